internal import Platform
internal import Glibc
internal import JSON
public import Domain
internal import SQLite

/// What a backup holds.
public struct BackupReport: Sendable, Equatable {
  /// The file.
  public let path: String
  /// Its size in bytes.
  public let size: Int
  /// What it holds, as a check of the finished copy found it.
  public let contents: DatabaseReport
}

extension FileStore {
  /// Copies the database into a file of its own, while servers and commands go on.
  ///
  /// The copy is of one moment, is checked as a whole once it is on disk, and only then gets its
  /// name. It never holds a master key.
  ///
  /// - Parameters:
  ///   - file: the file to make, of mode 0600.
  ///   - name: what the audit log calls it, its path from the root on; `file` unless given.
  ///   - directory: the data directory.
  ///   - keyRing: the master keys, which every secret of the copy has to open with.
  ///   - replacing: whether the file may be there already.
  ///   - clock: tells the time.
  ///   - actor: for the audit log.
  /// - Returns: what the file holds.
  /// - Throws: `StoreError`; of kind `alreadyExists`, or what went wrong; then there is no new file.
  public static func backUp(
    to file: String, named name: String? = nil, directory: String, keyRing: KeyRing,
    replacing: Bool,
    clock: @escaping Clock, by actor: Actor
  ) throws -> BackupReport {
    try withBackup(
      recordedAs: name ?? file, beside: file, directory: directory, keyRing: keyRing,
      clock: clock, by: actor,
      before: { try checkDestination(file, directory: directory, replacing: replacing) }
    ) { partial, contents in
      TemporaryFile.holdSignals()
      try put(partial.path, at: file, replacing: replacing)
      return BackupReport(path: file, size: fileSize(file), contents: contents)
    }
  }

  /// Makes a backup under a temporary name, checks it, writes down that it is there, and hands it over.
  ///
  /// - Parameters:
  ///   - name: what the audit log calls it.
  ///   - path: what the temporary name begins with.
  ///   - directory: the data directory.
  ///   - keyRing: the master keys, which every secret of the copy has to open with.
  ///   - clock: tells the time.
  ///   - actor: for the audit log.
  ///   - prepare: looks whether it can be made.
  ///   - body: gets the copy, which goes with its temporary name.
  /// - Returns: what `body` returns.
  /// - Throws: `StoreError`, and what `prepare` and `body` throw.
  static func withBackup(
    recordedAs name: String, beside path: String, directory: String, keyRing: KeyRing,
    clock: @escaping Clock, by actor: Actor, before prepare: () throws -> Void = {},
    _ body: (TemporaryFile, DatabaseReport) throws -> BackupReport
  ) throws -> BackupReport {
    let store = try openSQLite(
      directory: directory, keyRing: keyRing, time: StoreTime(ofDay: clock, machine: .system))
    try prepare()
    let partial = TemporaryFile(path + partialMark + "\(getpid())", besides: Connection.suffixes)
    removeDeadPartials(beside: path)
    defer { partial.remove() }
    return try StoreError.translating {
      let source = try Connection(
        path: databasePath(in: directory), mode: .readOnly, busyTimeout: SQLiteStore.busyTimeout)
      let report = try copy(source, to: partial.path, keyRing: keyRing)
      // Before anyone has it: a copy that nobody knows of is worse than a row too many.
      try store.recordBackup(
        to: name, of: report, replacing: isPlainFile(name), openedWith: keyRing, by: actor)
      return try body(partial, report)
    }
  }

  /// Copies a database into a new file and checks the copy against what was copied.
  ///
  /// What else is wrong with the database than the checks to refuse is in the report: a backup can be
  /// made of it all the same.
  static func copy(
    _ source: Connection, to path: String, keyRing: KeyRing?,
    refusing checks: Set<String> = ["integrity"]
  ) throws -> DatabaseReport {
    let counts = try source.transaction(.deferred) {
      let counts = try DatabaseCheck.counts(source)
      // Within the transaction, so that both are of the same moment.
      try source.backup(to: path)
      return counts
    }
    let written = try Connection(path: path, mode: .readOnly, busyTimeout: SQLiteStore.busyTimeout)
    let report = try DatabaseCheck(connection: written, keyRing: keyRing).run()
    if let fault = report.faults.first(where: { checks.contains($0.check) }) {
      throw StoreError(
        .unusable,
        "The copy is not sound, and was removed: \(fault.message) Run: launchlink db check")
    }
    guard report.counts == counts else {
      throw StoreError(.inputOutput, "The copy lacks rows of the database, and was removed.")
    }
    return report
  }

  /// Gives a finished copy its name, for good.
  static func put(_ partial: String, at file: String, replacing: Bool) throws {
    try SecretFile.synchronize(partial)
    if replacing {
      guard rename(partial, file) == 0 else { throw SecretFile.failure("replace", file) }
    } else {
      // A link, unlike a renaming, never takes the place of a file that was just made.
      guard link(partial, file) == 0 else { throw SecretFile.failure("create", file) }
      unlink(partial)
    }
    try SecretFile.synchronizeDirectory(of: file)
  }

  private static func checkDestination(
    _ file: String, directory: String, replacing: Bool
  ) throws {
    var status = stat()
    if stat(file, &status) == 0 {
      guard status.st_mode & S_IFMT == S_IFREG else {
        throw StoreError(.invalid, "\(file) is no plain file.")
      }
      let live = FileIdentity(databasePath(in: directory))
      guard FileIdentity(file) != live else {
        throw StoreError(.invalid, "\(file) is the database itself.")
      }
      guard replacing else {
        throw StoreError(
          .alreadyExists, "\(file) is there already. Name another, or say --replace.")
      }
      // Such as the key ring, without which no backup opens.
      guard try isOurs(file) else {
        throw StoreError(
          .invalid, "\(file) is no backup of LaunchLink, and is not replaced. Name another file.")
      }
    }
    let parent = FilePath.directory(of: file)
    guard access(parent, W_OK | X_OK) == 0 else {
      let code = errno
      let reason = systemMessage(code)
      throw StoreError(
        code == EACCES || code == EPERM ? .permission : .inputOutput,
        "The owner of the data directory (uid \(geteuid())) cannot make a file in \(parent): "
          + "\(reason). The command works as that user: name a directory that it may write to.")
    }
  }

  /// Whether the file is a database of LaunchLink.
  private static func isOurs(_ file: String) throws -> Bool {
    try StoreError.translating {
      do {
        let connection = try Connection(
          path: file, mode: .readOnly, busyTimeout: SQLiteStore.busyTimeout)
        return try Schema.migrator.owns(connection)
      } catch let error as SQLiteError where error.kind == .notADatabase {
        return false
      }
    }
  }

  /// What stands between the name of a copy that is being made and the number of the process that
  /// makes it.
  static let partialMark = ".launchlink.partial."

  /// The names of what killed commands left of backups in a data directory, without the files beside them.
  ///
  /// - Parameter directory: the data directory.
  /// - Returns: the names, sorted.
  public static func deadPartials(in directory: String) -> [String] {
    FilePath.names(in: directory).filter { $0.contains(partialMark) && SecretFile.isLeftover($0) }
  }

  /// Removes what earlier backups into the same directory left behind when they were killed.
  static func removeDeadPartials(beside file: String) {
    let parent = FilePath.directory(of: file)
    for name in FilePath.names(in: parent) where name.contains(partialMark) {
      // Of a copy that was killed while it was removed, a journal may be there alone.
      let suffix = Connection.suffixes.first { !$0.isEmpty && name.hasSuffix($0) } ?? ""
      let copy = String(name.dropLast(suffix.count))
      if SecretFile.isLeftover(copy) { Connection.remove(parent + "/" + copy) }
    }
  }

  /// Whether a path is that of a file from the root on; what a link leads to stays where the link is
  /// replaced.
  private static func isPlainFile(_ path: String) -> Bool {
    var status = stat()
    return path.utf8.first == UInt8(ascii: "/") && lstat(path, &status) == 0
      && status.st_mode & S_IFMT == S_IFREG
  }

  static func fileSize(_ path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }
}

extension SQLiteStore {
  /// Writes down that there is a backup, for whoever drops a master key.
  ///
  /// - Parameters:
  ///   - file: what it is called.
  ///   - report: what it holds.
  ///   - replaced: whether it takes the place of a file, which is gone then.
  ///   - old: the key ring that it was made with.
  ///   - actor: who made it.
  /// - Throws: `StoreError` of kind `unavailable` where a key that it needs was dropped while it was made.
  fileprivate func recordBackup(
    to file: String, of report: DatabaseReport, replacing replaced: Bool, openedWith old: KeyRing,
    by actor: Actor
  ) throws {
    try write(by: actor) { transaction in
      let ring = try transaction.keyRing.underWriteLock(of: transaction.connection)
      if let key = report.masterKeys.first(where: { old.holds($0) && !ring.holds($0) }) {
        throw StoreError(
          .unavailable,
          "The master key \(key) was dropped while the backup was made, which nothing would open. The "
            + "backup was removed: make it again.")
      }
      try transaction.audit(
        "db.backup", file,
        new: [
          "schema_version": .integer(Int64(report.schemaVersion)),
          "master_keys": .array(report.masterKeys.map(JSON.string)),
          "replaced": .bool(replaced),
        ])
    }
  }
}
