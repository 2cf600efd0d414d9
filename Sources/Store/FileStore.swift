public import Platform
internal import Glibc
internal import JSON
public import Domain
internal import SQLite

/// What `FileStore.initialize` made.
public struct InitializationReport: Sendable, Equatable {
  /// In plain words; empty where everything was there.
  public var created: [String] = []
}

/// The store in one SQLite file of a data directory.
public enum FileStore {
  /// Opens the store and brings its schema up to date.
  ///
  /// - Parameters:
  ///   - directory: the data directory, made by `initialize`.
  ///   - keyRing: the master keys.
  ///   - clock: tells the time of changes.
  ///   - machine: tells the time since the machine was started.
  ///   - note: hears of a backup that was made before the schema was brought up to date.
  /// - Returns: the store.
  /// - Throws: `StoreError`.
  public static func open(
    directory: String, keyRing: KeyRing, clock: @escaping Clock,
    machine: MachineClock = .system, note: (String) -> Void = { _ in }
  ) throws -> any Store {
    try openSQLite(
      directory: directory, keyRing: keyRing, time: StoreTime(ofDay: clock, machine: machine),
      note: note)
  }

  /// Whether somebody has the store in a directory open, and goes on having it for two seconds.
  ///
  /// - Parameter directory: the data directory.
  /// - Returns: false also where that cannot be found out.
  public static func isInUse(directory: String) -> Bool {
    do {
      _ = try DirectoryUse(alone: directory)
      return false
    } catch {
      return (error as? StoreError)?.kind == .inUse
    }
  }

  /// How many bytes the database of a data directory takes, and the write-ahead log beside it.
  public static func sizes(directory: String) -> DatabaseSizes {
    DatabaseSizes(ofFilesAt: databasePath(in: directory))
  }

  static func openSQLite(
    directory: String, keyRing: KeyRing, time: StoreTime, note: (String) -> Void = { _ in }
  ) throws -> SQLiteStore {
    let use = try DirectoryUse(shared: directory)
    let path = databasePath(in: directory)
    try requireWritableFileSystem(directory)
    guard access(path, F_OK) == 0 else {
      throw StoreError(
        .unusable,
        "There is no database in \(directory). Run: launchlink init --data-directory \(directory)")
    }
    return try StoreError.translating {
      try rollBack(path)
      return try MigrationBackup(directory: directory, path: path).around(
        now: time.ofDay(), note: note
      ) {
        try SQLiteStore(path: path, keyRing: keyRing, time: time, use: use)
      }
    }
  }

  /// Makes the data directory, the master key, the database and an active signing key, each where
  /// it is missing; what is there stays as it is.
  ///
  /// - Parameters:
  ///   - directory: the data directory.
  ///   - keyRing: the master keys where there are some; nil has them made.
  ///   - masterKeyFile: where the key ring is to be made.
  ///   - clock: tells the time.
  ///   - machine: tells the time since the machine was started.
  ///   - actor: for the audit log.
  ///   - note: hears of a backup that was made before the schema was brought up to date.
  /// - Returns: what was made.
  /// - Throws: `StoreError`; of kind `unusable` where a database is there and its master key is not.
  public static func initialize(
    directory: String, keyRing: KeyRing?, masterKeyFile: String, clock: @escaping Clock,
    machine: MachineClock = .system, by actor: Actor, note: (String) -> Void = { _ in }
  ) throws -> InitializationReport {
    var report = InitializationReport()
    if access(directory, F_OK) != 0 {
      guard mkdir(directory, 0o700) == 0 else { throw SecretFile.failure("create", directory) }
      try SecretFile.synchronizeDirectory(of: directory)
      report.created.append("data directory \(directory)")
    }
    try requireWritableFileSystem(directory)
    let use = try DirectoryUse(shared: directory)
    defer { withExtendedLifetime(use) {} }
    let database = databasePath(in: directory)
    let isNew = access(database, F_OK) != 0
    if keyRing == nil {
      guard isNew else {
        throw StoreError(
          .unusable,
          "\(directory) has a database but \(masterKeyFile) is missing. Put the master key back: a "
            + "new one could not open what the database holds.")
      }
      try KeyRing.create(masterKeyFile)
      report.created.append("master key \(masterKeyFile): back it up apart from the database")
    }
    let keyRing = try keyRing ?? KeyRing.read(masterKeyFile, credentialsDirectory: nil)
    try StoreError.translating {
      let connection = try Connection(
        path: database, mode: .readWriteCreate, busyTimeout: SQLiteStore.busyTimeout)
      // One of an older version is brought up to date below, with a backup.
      if try Schema.migrator.currentVersion(of: connection) == 0 {
        try Schema.migrator.migrate(connection)
      }
    }
    if isNew {
      try SecretFile.synchronizeDirectory(of: database)
      report.created.append("database \(database)")
    }
    let store = try openSQLite(
      directory: directory, keyRing: keyRing, time: StoreTime(ofDay: clock, machine: machine),
      note: note)
    if let key = try store.activateFirstSigningKey(by: actor) {
      report.created.append("active signing key \(key.id)")
    }
    return report
  }

  /// Undoes what a kill cut short before the database had its write-ahead log, as one has that was
  /// copied into place from a backup: only a connection that may write is able to.
  private static func rollBack(_ path: String) throws {
    guard access(path + "-journal", F_OK) == 0 else { return }
    _ = try Connection(path: path, mode: .readWrite, busyTimeout: SQLiteStore.busyTimeout)
  }

  /// Says plainly what SQLite would call a file that it is unable to open.
  private static func requireWritableFileSystem(_ directory: String) throws {
    guard access(directory, W_OK) != 0, errno == EROFS else { return }
    throw StoreError(
      .inputOutput,
      "The file system of \(directory) is read-only. Mount it for writing: reading the database too takes "
        + "log files beside it. If it turned read-only by itself, its disk has failed: see dmesg.")
  }

  /// Where the database of a data directory is.
  static func databasePath(in directory: String) -> String { directory + "/launchlink.db" }

  /// Looks for everything that could be wrong with a database, without changing it.
  ///
  /// - Parameters:
  ///   - file: a backup; nil for the database of the data directory.
  ///   - directory: the data directory; servers may be running on it.
  ///   - keyRing: the master keys that its secrets have to open with; nil leaves that out.
  ///   - isQuick: whether to leave out what takes long in a large database.
  /// - Returns: what was found.
  /// - Throws: `StoreError` where the database is missing, another program's, or newer.
  public static func check(
    _ file: String? = nil, directory: String, keyRing: KeyRing?, isQuick: Bool = false
  ) throws -> DatabaseReport {
    let path = file ?? databasePath(in: directory)
    try requireReadable(
      path, orElse: .unusable, whereNoFile: file == nil ? .unusable : .invalid)
    if file == nil { try requireWritableFileSystem(directory) }
    let use = file == nil ? try DirectoryUse(shared: directory) : nil
    defer { withExtendedLifetime(use) {} }
    return try StoreError.translating {
      if file == nil { try rollBack(path) }
      return try namingStranger(file) {
        try looking(at: path) { connection in
          try DatabaseCheck(connection: connection, keyRing: keyRing).run(isQuick: isQuick)
        }
      }
    }
  }

  /// Refuses what is no file of databases, which SQLite would wait for or call damaged, and what this
  /// user cannot read.
  ///
  /// - Parameters:
  ///   - path: a database or a backup.
  ///   - kind: what it is called where it is missing.
  ///   - strangerKind: what it is called where it is no file.
  /// - Throws: `StoreError`.
  static func requireReadable(
    _ path: String, orElse kind: StoreError.Kind,
    whereNoFile strangerKind: StoreError.Kind = .invalid
  ) throws {
    var status = stat()
    let isThere = stat(path, &status) == 0
    if isThere, status.st_mode & S_IFMT != S_IFREG {
      throw StoreError(strangerKind, "\(path) is no plain file.")
    }
    guard !isThere || access(path, R_OK) != 0 else { return }
    let number = errno
    if number == ENOENT { throw StoreError(kind, "There is no database \(path).") }
    throw StoreError(
      number == EACCES || number == EPERM ? .permission : .inputOutput,
      "The owner of the data directory (uid \(geteuid())) cannot read \(path): "
        + "\(systemMessage(number)).")
  }

  /// Runs `body`, and says plainly that a file which was named is no backup, or no whole one.
  static func namingStranger<Value>(_ file: String?, _ body: () throws -> Value) throws -> Value {
    guard let file else { return try body() }
    do {
      return try body()
    } catch let error as SQLiteError where error.kind == .notADatabase {
      throw StoreError(.invalid, "\(file) is no LaunchLink backup, or its beginning is damaged.")
    } catch MigrationError.foreignDatabase {
      throw StoreError(.invalid, "\(file) is no LaunchLink backup: it belongs to another program.")
    } catch let error as SQLiteError where error.kind == .corrupt {
      throw StoreError(.invalid, "\(file) is damaged, or was cut off: \(error.message).")
    } catch let error as StoreError where error == DatabaseCheck.empty {
      throw StoreError(
        .invalid, "\(file) is empty: it was cut off, or its making was interrupted.")
    }
  }

  /// The master keys that a file's secrets are sealed with, sorted; none where it has no secret.
  static func masterKeys(ofFileAt path: String) throws -> [String] {
    try requireReadable(path, orElse: .unusable)
    return try looking(at: path) { try SealedValue.masterKeys($0) }
  }

  /// Looks at a database, and leaves no file beside it that was not there.
  static func looking<Value>(
    at path: String, _ look: (Connection) throws -> Value
  ) throws -> Value {
    let log = path + "-wal"
    let wasOpen = access(log, F_OK) == 0
    defer {
      // Reading made the log, and only the last one who may write takes it away again. Where that
      // fails it does no harm, and what was seen counts.
      if !wasOpen, access(log, F_OK) == 0 {
        _ = try? Connection(path: path, mode: .readWrite, busyTimeout: .zero)
      }
    }
    return try look(
      Connection(path: path, mode: .readOnly, busyTimeout: SQLiteStore.busyTimeout))
  }
}
