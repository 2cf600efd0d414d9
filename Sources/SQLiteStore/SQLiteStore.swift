public import Domain
internal import Glibc
public import Platform
internal import SQLite
public import Store

/// The things that `SQLiteStore.initialize` made.
public struct InitializationReport: Sendable, Equatable {
  /// In plain words; empty where everything was there.
  public var created: [String] = []
}

/// The store in one SQLite file of a data directory.
public enum SQLiteStore {
  /// Opens the store and brings its schema up to date.
  ///
  /// - Parameters:
  ///   - directory: the data directory, made by `initialize`.
  ///   - keyRing: the master keys.
  ///   - clock: tells the time of changes.
  ///   - machine: tells the time since the machine was started.
  ///   - note: gets a line about the backup that is made before a migration.
  /// - Returns: the store.
  /// - Throws: `StoreError`.
  public static func open(
    directory: String, keyRing: KeyRing, clock: @escaping Clock,
    machine: MachineClock = .system, note: (String) -> Void = { _ in }
  ) throws -> Store {
    let use = try DirectoryUse(shared: directory)
    let path = DatabaseFile.path(in: directory)
    try requireWritableFileSystem(directory)
    guard access(path, F_OK) == 0 else {
      throw StoreError(
        .unusable,
        "There is no database in \(directory). Run: launchlink init --data-directory \(directory)")
    }
    let time = StoreTime(ofDay: clock, machine: machine)
    return try StoreError.translating {
      try rollBack(path)
      return try MigrationBackup(directory: directory, path: path).around(
        now: time.ofDay(), note: note
      ) {
        try store(at: path, keyRing: keyRing, time: time, use: use)
      }
    }
  }

  /// Opens the store in a file.
  ///
  /// - Parameters:
  ///   - path: the file.
  ///   - keyRing: the master keys.
  ///   - time: tells the time.
  ///   - use: keeps a restore away for as long as the store lives; nil where nobody else knows the file.
  /// - Returns: the store.
  /// - Throws: `StoreError`.
  package static func store(
    at path: String, keyRing: KeyRing, time: StoreTime, use: DirectoryUse?
  ) throws -> Store {
    try Store(keyRing: keyRing, time: time) { prepare in
      try SQLiteTables(path: path, use: use, prepare: prepare)
    }
  }

  /// Whether another process has the store in a directory open, and keeps it open for two seconds.
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

  /// The bytes of a data directory's database and of the write-ahead log beside it.
  public static func sizes(directory: String) -> DatabaseSizes {
    DatabaseSizes(ofFilesAt: DatabaseFile.path(in: directory))
  }

  /// Whether a database is in place.
  public static func hasDatabase(in directory: String) -> Bool {
    access(DatabaseFile.path(in: directory), F_OK) == 0
  }

  /// Makes the data directory, the master key, the database and an active signing key, each where it is
  /// missing.
  ///
  /// - Parameters:
  ///   - directory: the data directory.
  ///   - keyRing: the master keys; nil has a ring made.
  ///   - masterKeyFile: the file of the ring that is made.
  ///   - clock: tells the time.
  ///   - machine: tells the time since the machine was started.
  ///   - actor: for the audit log.
  ///   - note: gets a line about the backup that is made before a migration.
  /// - Returns: the things that were made.
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
    let database = DatabaseFile.path(in: directory)
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
        path: database, mode: .readWriteCreate, busyTimeout: SQLiteTables.busyTimeout)
      // An older schema is migrated below, after a backup.
      if try Schema.migrator.currentVersion(of: connection) == 0 {
        try Schema.migrator.migrate(connection)
      }
    }
    if isNew {
      try SecretFile.synchronizeDirectory(of: database)
      report.created.append("database \(database)")
    }
    let store = try open(
      directory: directory, keyRing: keyRing, clock: clock, machine: machine, note: note)
    if let key = try store.activateFirstSigningKey(by: actor) {
      report.created.append("active signing key \(key.id)")
    }
    return report
  }

  /// Rolls back a transaction that a kill cut short while the database had no write-ahead log.
  ///
  /// A copy of a backup has none. Only a connection that may write rolls back.
  private static func rollBack(_ path: String) throws {
    guard access(path + "-journal", F_OK) == 0 else { return }
    _ = try Connection(path: path, mode: .readWrite, busyTimeout: SQLiteTables.busyTimeout)
  }

  /// Says plainly that the file system is read-only, where SQLite would say that it cannot open a file.
  private static func requireWritableFileSystem(_ directory: String) throws {
    guard access(directory, W_OK) != 0, errno == EROFS else { return }
    throw StoreError(
      .inputOutput,
      "The file system of \(directory) is read-only. Mount it for writing: reading the database too takes "
        + "log files beside it. If it turned read-only by itself, its disk has failed: see dmesg.")
  }

  /// Checks a database without changing it.
  ///
  /// - Parameters:
  ///   - file: a backup; nil for the database of the data directory.
  ///   - directory: the data directory; servers may be running on it.
  ///   - keyRing: the master keys that its secrets have to open with; nil skips that check.
  ///   - isQuick: whether to skip the checks that take long in a large database.
  /// - Returns: the outcome.
  /// - Throws: `StoreError` where the database is missing, another program's, or newer.
  public static func check(
    _ file: String? = nil, directory: String, keyRing: KeyRing?, isQuick: Bool = false
  ) throws -> DatabaseReport {
    let path = file ?? DatabaseFile.path(in: directory)
    try DatabaseFile.requireReadable(
      path, orElse: .unusable, whereNoFile: file == nil ? .unusable : .invalid)
    if file == nil { try requireWritableFileSystem(directory) }
    let use = file == nil ? try DirectoryUse(shared: directory) : nil
    defer { withExtendedLifetime(use) {} }
    return try StoreError.translating {
      if file == nil { try rollBack(path) }
      return try DatabaseFile.namingStranger(file) {
        try DatabaseFile.looking(at: path) { connection in
          try DatabaseCheck(connection, keyRing: keyRing).run(isQuick: isQuick)
        }
      }
    }
  }
}
