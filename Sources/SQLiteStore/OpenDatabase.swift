internal import Platform
internal import SQLite
internal import Store

/// A database that connections of the process have open, and its log files.
///
/// SQLite closes a database's log files only with the last connection of the process, so each connection
/// keeps this for as long as it is open.
final class OpenDatabase: Sendable {
  let path: String
  /// Which file stood at the path when it was opened.
  let identity: FileIdentity
  private let logs: LogIdentity

  fileprivate init(_ path: String, _ identity: FileIdentity, _ logs: LogIdentity) {
    self.path = path
    self.identity = identity
    self.logs = logs
  }

  /// Whether neither the database nor its log files were moved away or replaced.
  var isInPlace: Bool { FileIdentity(path) == identity && hasItsLogs }

  /// Whether the log files beside the database are the ones that are open.
  private var hasItsLogs: Bool { LogIdentity(of: path) == logs }

  /// Refuses a database whose log files someone removed.
  ///
  /// The process would go on with files that have no name, and later processes with new ones. Neither would
  /// see the other's changes, a revoked key would go on working, and both would write the same database.
  ///
  /// - Throws: `StoreError` that says what to do.
  func requireItsLogs() throws {
    guard hasItsLogs else {
      throw StoreError(
        .unusable,
        "The database's files launchlink.db-wal or launchlink.db-shm were removed or replaced while it was "
          + "open. Stop every server and command on it, then run: launchlink db check. Restart the server, or "
          + "restore a backup if changes are missing.")
    }
  }
}

/// The databases that a store has open: one, and for a moment two when one is replaced.
final class OpenDatabases: Sendable {
  private struct Entry {
    weak var database: OpenDatabase?
  }

  private let entries = Locked<[FileIdentity: Entry]>([:])

  /// Opens a connection that may write to the database at the path.
  ///
  /// - Returns: the connection and its database; the caller releases the connection last.
  /// - Throws: `SQLiteError`, and `StoreError` where the files were replaced.
  func open(
    _ path: String, busyTimeout: Duration
  ) throws -> (database: OpenDatabase, connection: Connection) {
    let identity = FileIdentity(path)
    let connection = try Connection(path: path, mode: .readWrite, busyTimeout: busyTimeout)
    // The first read opens the log files.
    _ = try connection.dataVersion()
    let logs = LogIdentity(of: path)
    guard let identity, FileIdentity(path) == identity else {
      throw StoreError(
        .unavailable, "The database was replaced while it was being opened. Try again.")
    }
    let database = entries.withLock { entries in
      if let known = entries[identity]?.database { return known }
      let database = OpenDatabase(path, identity, logs)
      entries = entries.filter { $0.value.database != nil }
      entries[identity] = Entry(database: database)
      return database
    }
    try database.requireItsLogs()
    return (database, connection)
  }
}

/// Notices that the files of an open database were moved away or replaced.
///
/// It looks ten times a second at most: a look is a system call, and every request asks.
struct ReplacementWatch {
  private static let interval: UInt64 = 100_000_000

  private let database: OpenDatabase
  private var lookedAt: UInt64 = 0

  init(_ database: OpenDatabase) {
    self.database = database
  }

  /// Whether the files were the same at the last look.
  mutating func isInPlace() -> Bool {
    let now = MonotonicTime.coarse
    guard now >= lookedAt + Self.interval else { return true }
    lookedAt = now
    return database.isInPlace
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
