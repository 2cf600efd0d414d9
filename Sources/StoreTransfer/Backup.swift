public import Domain
internal import Glibc
internal import Platform
internal import SQLite
public import SQLiteStore
public import Store

/// A backup that was made.
public struct BackupReport: Sendable, Equatable {
  /// The file.
  public let path: String
  /// Its size in bytes.
  public let size: Int
  /// The outcome of the check of the finished copy.
  public let contents: DatabaseReport
}

/// Moves the contents of a store into backups, and back.
public enum StoreTransfer {}

extension StoreTransfer {
  /// Copies the database into a file of its own, while servers and commands go on.
  ///
  /// The copy is of one moment, is checked as a whole once it is on disk, and only then gets its
  /// name. It never holds a master key.
  ///
  /// - Parameters:
  ///   - file: the file to make, of mode 0600.
  ///   - name: its name in the audit log, the path from the root on; `file` unless given.
  ///   - directory: the data directory.
  ///   - keyRing: the master keys, which every secret of the copy has to open with.
  ///   - replacing: whether the file may be there already.
  ///   - clock: tells the time.
  ///   - actor: for the audit log.
  /// - Returns: the backup.
  /// - Throws: `StoreError`, of kind `alreadyExists` where the file is there; then there is no new file.
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
      try DatabaseFile.put(partial.path, at: file, replacing: replacing)
      return BackupReport(path: file, size: DatabaseFile.size(file), contents: contents)
    }
  }

  /// Makes a backup under a temporary name, checks it, records it in the audit log, and hands it over.
  ///
  /// - Parameters:
  ///   - name: its name in the audit log.
  ///   - path: the beginning of the temporary name.
  ///   - directory: the data directory.
  ///   - keyRing: the master keys, which every secret of the copy has to open with.
  ///   - clock: tells the time.
  ///   - actor: for the audit log.
  ///   - prepare: refuses where it cannot be made.
  ///   - body: gets the copy, whose temporary file is removed afterwards.
  /// - Returns: what `body` returns.
  /// - Throws: `StoreError`, and what `prepare` and `body` throw.
  static func withBackup(
    recordedAs name: String, beside path: String, directory: String, keyRing: KeyRing,
    clock: @escaping Clock, by actor: Actor, before prepare: () throws -> Void = {},
    _ body: (TemporaryFile, DatabaseReport) throws -> BackupReport
  ) throws -> BackupReport {
    let store = try SQLiteStore.open(directory: directory, keyRing: keyRing, clock: clock)
    try prepare()
    let partial = TemporaryFile(path + partialMark + "\(getpid())", besides: Connection.suffixes)
    removeDeadPartials(beside: path)
    defer { partial.remove() }
    return try StoreError.translating {
      let source = try Connection(
        path: DatabaseFile.path(in: directory), mode: .readOnly,
        busyTimeout: SQLiteTables.busyTimeout)
      let report = try DatabaseFile.copy(source, to: partial.path, keyRing: keyRing)
      // Recorded before anyone has it: an unknown copy is worse than a row too many.
      try store.recordBackup(
        to: name, schemaVersion: report.schemaVersion, masterKeys: report.masterKeys,
        replacing: isPlainFile(name), openedWith: keyRing, by: actor)
      return try body(partial, report)
    }
  }

  private static func checkDestination(
    _ file: String, directory: String, replacing: Bool
  ) throws {
    var status = stat()
    if stat(file, &status) == 0 {
      guard status.st_mode & S_IFMT == S_IFREG else {
        throw StoreError(.invalid, "\(file) is no plain file.")
      }
      let live = FileIdentity(DatabaseFile.path(in: directory))
      guard FileIdentity(file) != live else {
        throw StoreError(.invalid, "\(file) is the database itself.")
      }
      guard replacing else {
        throw StoreError(
          .alreadyExists, "\(file) is there already. Name another, or say --replace.")
      }
      // A file such as the key ring, without which no backup opens.
      guard try isOurs(file) else {
        throw StoreError(
          .invalid, "\(file) is not a LaunchLink backup, and is not replaced. Name another file.")
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
          path: file, mode: .readOnly, busyTimeout: SQLiteTables.busyTimeout)
        return try DatabaseFile.isOurs(connection)
      } catch let error as SQLiteError where error.kind == .notADatabase {
        return false
      }
    }
  }

  /// The mark between the name of an unfinished copy and the number of the process that makes it.
  static let partialMark = ".launchlink.partial."

  /// The names of unfinished copies that killed commands left in a data directory, without the files beside them.
  ///
  /// - Parameter directory: the data directory.
  /// - Returns: the names, sorted.
  public static func deadPartials(in directory: String) -> [String] {
    FilePath.names(in: directory).filter { $0.contains(partialMark) && SecretFile.isLeftover($0) }
  }

  /// Removes the unfinished copies that killed commands left in the same directory.
  static func removeDeadPartials(beside file: String) {
    let parent = FilePath.directory(of: file)
    for name in FilePath.names(in: parent) where name.contains(partialMark) {
      // A kill while a copy is removed may leave its journal alone.
      let suffix = Connection.suffixes.first { !$0.isEmpty && name.hasSuffix($0) } ?? ""
      let copy = String(name.dropLast(suffix.count))
      if SecretFile.isLeftover(copy) { Connection.remove(parent + "/" + copy) }
    }
  }

  /// Whether a path begins at the root and leads to a plain file; replacing a link leaves its target as it is.
  private static func isPlainFile(_ path: String) -> Bool {
    var status = stat()
    return path.utf8.first == UInt8(ascii: "/") && lstat(path, &status) == 0
      && status.st_mode & S_IFMT == S_IFREG
  }
}
