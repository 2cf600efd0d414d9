internal import Platform
internal import SQLite
internal import Synchronization

/// A database that connections of the process have open, and the log files that it has open with it.
///
/// SQLite gives a database's log files back only when the last connection of the process is closed, so
/// each connection keeps this for as long as it is open.
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
  /// The process goes on with files that have no name, and those who come later with new ones: neither
  /// sees what the other changes, a revoked key would go on working, and both write the same database.
  /// So nothing is answered then.
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

/// The databases that a store has open: one, and for a moment two where another took its place.
final class OpenDatabases: Sendable {
  private struct Entry {
    weak var database: OpenDatabase?
  }

  private let entries = Mutex<[FileIdentity: Entry]>([:])

  /// Opens a connection that may write to the database at the path.
  ///
  /// - Returns: the connection and its database, which whoever lets go of both lets go of first.
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
/// It looks ten times a second at most: a look is a system call, and the question comes with every
/// request.
struct ReplacementWatch {
  private static let interval: UInt64 = 100_000_000

  private let database: OpenDatabase
  private var lookedAt: UInt64 = 0

  init(_ database: OpenDatabase) {
    self.database = database
  }

  /// Whether the files are the same, as far as the last look tells.
  mutating func isInPlace() -> Bool {
    let now = MonotonicTime.coarse
    guard now >= lookedAt + Self.interval else { return true }
    lookedAt = now
    return database.isInPlace
  }
}

/// The log of a database and the index of it that processes share, both beside the database.
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
