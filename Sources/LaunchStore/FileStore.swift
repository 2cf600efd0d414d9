internal import Glibc
internal import JSON
public import LaunchDomain
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
  /// - Returns: the store.
  /// - Throws: `StoreError`.
  public static func open(
    directory: String, keyRing: KeyRing, clock: @escaping Clock
  ) throws -> any Store {
    guard access(databasePath(in: directory), F_OK) == 0 else {
      throw StoreError(
        .unusable,
        "There is no database in \(directory). Run: launchlink init --data-directory \(directory)")
    }
    let path = databasePath(in: directory)
    try StoreError.translating {
      let connection = try Connection(
        path: path, mode: .readOnly, busyTimeout: SQLiteStore.busyTimeout)
      guard try Schema.migrator.currentVersion(of: connection) > 0 else {
        throw StoreError(
          .unusable,
          "The database in \(directory) is empty: it was cut off, or its making was interrupted. "
            + "Restore it from a backup, or for a new start run launchlink init.")
      }
    }
    return try SQLiteStore(path: path, keyRing: keyRing, clock: clock)
  }

  /// Makes the data directory, the master key, the database and an active signing key, each where
  /// it is missing; what is there stays as it is.
  ///
  /// - Parameters:
  ///   - directory: the data directory.
  ///   - keyRing: the master keys where there are some; nil has them made.
  ///   - masterKeyFile: where the key ring is to be made.
  ///   - clock: tells the time.
  ///   - actor: for the audit log.
  /// - Returns: what was made.
  /// - Throws: `StoreError`; of kind `unusable` where a database is there and its master key is not.
  public static func initialize(
    directory: String, keyRing: KeyRing?, masterKeyFile: String, clock: @escaping Clock,
    by actor: Actor
  ) throws -> InitializationReport {
    var report = InitializationReport()
    if access(directory, F_OK) != 0 {
      guard mkdir(directory, 0o700) == 0 else { throw SecretFile.failure("create", directory) }
      try SecretFile.synchronizeDirectory(of: directory)
      report.created.append("data directory \(directory)")
    }
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
      try Schema.migrator.migrate(connection)
    }
    if isNew {
      try SecretFile.synchronizeDirectory(of: database)
      report.created.append("database \(database)")
    }
    let store = try SQLiteStore(path: database, keyRing: keyRing, clock: clock)
    if let key = try store.activateFirstSigningKey(by: actor) {
      report.created.append("active signing key \(key.id)")
    }
    return report
  }

  private static func databasePath(in directory: String) -> String { directory + "/launchlink.db" }
}
