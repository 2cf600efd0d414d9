internal import Platform
internal import SQLite
internal import Store

/// The database that a store has open, and its log files.
///
/// It is the same one for as long as the store lives. A database that is put in its place is another store's.
final class OpenDatabase: Sendable {
  let path: String
  private let identity: FileIdentity
  private let logs: LogIdentity

  /// Opens the database at the path.
  ///
  /// - Parameters:
  ///   - path: the database's file.
  ///   - busyTimeout: how long the connection waits for another's lock.
  /// - Returns: the database and its first connection, which may write.
  /// - Throws: `SQLiteError`, and `StoreError` where the files are replaced meanwhile.
  static func open(
    _ path: String, busyTimeout: Duration
  ) throws -> (database: OpenDatabase, connection: Connection) {
    let identity = FileIdentity(path)
    let connection = try Connection(path: path, mode: .readWrite, busyTimeout: busyTimeout)
    // The first read opens the log files.
    _ = try connection.dataVersion()
    guard let identity else { throw replaced }
    let database = OpenDatabase(path, identity, LogIdentity(of: path))
    try database.requireInPlace()
    return (database, connection)
  }

  private init(_ path: String, _ identity: FileIdentity, _ logs: LogIdentity) {
    self.path = path
    self.identity = identity
    self.logs = logs
  }

  /// Opens a further connection, which may write.
  ///
  /// - Parameter busyTimeout: how long it waits for another's lock.
  /// - Returns: the connection.
  /// - Throws: `SQLiteError`, and `StoreError` where the files are not in place.
  func connect(busyTimeout: Duration) throws -> Connection {
    let connection = try Connection(path: path, mode: .readWrite, busyTimeout: busyTimeout)
    _ = try connection.dataVersion()
    try requireInPlace()
    return connection
  }

  /// Whether another file stands at the database's path; one that was moved away may come back.
  var isReplaced: Bool { FileIdentity(path).map { $0 != identity } ?? false }

  /// Whether neither the database nor its log files were moved away or replaced.
  var isInPlace: Bool { FileIdentity(path) == identity && hasItsLogs }

  /// Whether the log files beside the database are the ones that are open.
  private var hasItsLogs: Bool { LogIdentity(of: path) == logs }

  /// Refuses a database that was replaced, or whose log files someone removed.
  ///
  /// The process would go on with files that have no name, and later processes with new ones. Neither would
  /// see the other's changes, a revoked key would go on working, and both would write the same database.
  ///
  /// - Throws: `StoreError` that says what to do.
  func requireInPlace() throws {
    if isReplaced { throw Self.replaced }
    guard hasItsLogs else {
      throw StoreError(
        .unusable,
        "The database's files launchlink.db-wal or launchlink.db-shm were removed or replaced while it was "
          + "open. Stop every server and command on it, then run: launchlink db check. Restart the server, or "
          + "restore a backup if changes are missing.")
    }
  }

  private static let replaced = StoreError(
    .unavailable, "Another database was put in the place of the open one. Start again to open it.")
}

/// Notices that the files of an open database were moved away or replaced.
///
/// It looks ten times a second at most: a look is a system call, and every request asks.
struct PlaceWatch {
  private static let interval: UInt64 = 100_000_000

  private let database: OpenDatabase
  private var lookedAt: UInt64 = 0
  private var wasInPlace = true

  init(_ database: OpenDatabase) {
    self.database = database
  }

  /// Whether the files were in place at the last look.
  mutating func isInPlace() -> Bool {
    let now = MonotonicTime.coarse
    guard now >= lookedAt + Self.interval else { return wasInPlace }
    lookedAt = now
    wasInPlace = database.isInPlace
    return wasInPlace
  }
}

/// The write-ahead log of a database and the log's index that processes share.
///
/// They stay the same for as long as anyone has the database open.
struct LogIdentity: Equatable {
  private let log: FileIdentity?
  private let index: FileIdentity?

  /// Looks at the files beside the database at the path.
  init(of path: String) {
    log = FileIdentity(path + "-wal")
    index = FileIdentity(path + "-shm")
  }
}
