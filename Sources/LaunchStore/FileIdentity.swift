internal import CClock
internal import Glibc
internal import Synchronization

/// Which file stands at a path: another one under the same name is another database.
struct FileIdentity: Hashable {
  private let device: UInt
  private let number: UInt

  /// Looks at the path; nil where nothing is there.
  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    device = UInt(status.st_dev)
    number = UInt(status.st_ino)
  }
}

/// The log of a database and the index of it that processes share, both beside the database.
///
/// They stay what they are for as long as anyone has the database open.
struct LogIdentity: Equatable {
  private let log: FileIdentity?
  private let index: FileIdentity?

  /// Looks at the files beside the database at the path.
  init(of path: String) {
    log = FileIdentity(path + "-wal")
    index = FileIdentity(path + "-shm")
  }
}

/// Which log files the process has open with each database.
///
/// Where someone removes them, the process goes on with files that have no name, and those who come
/// later with new ones: neither sees what the other changes, a revoked key would go on working, and
/// both write the same database. So nothing is answered then. SQLite gives the files back only when the
/// last connection of the process is closed.
final class OpenLogs: Sendable {
  private let logs = Mutex<[FileIdentity: LogIdentity]>([:])

  /// Takes note of the files of a database that was just opened.
  func note(_ path: String) {
    guard let database = FileIdentity(path) else { return }
    logs.withLock { $0[database] = LogIdentity(of: path) }
  }

  /// Whether the files are the ones that were open first.
  ///
  /// - Throws: `StoreError` where they are not.
  func check(_ path: String) throws {
    guard let database = FileIdentity(path) else { return }
    let found = LogIdentity(of: path)
    let isKnown = logs.withLock { logs in
      let known = logs[database] ?? found
      logs[database] = known
      return known == found
    }
    guard isKnown else {
      throw StoreError(
        .unusable,
        "The database's files launchlink.db-wal or launchlink.db-shm were removed or replaced while it was "
          + "open. Stop every server and command on it, then run: launchlink db check. Restart the server, or "
          + "restore a backup if changes are missing.")
    }
  }
}

/// Notices that the files of an open database were moved away or replaced.
///
/// It looks ten times a second at most: a look is a system call, and the question comes with every
/// request.
struct ReplacementWatch {
  private static let interval: UInt64 = 100_000_000

  private let path: String
  private let identity: FileIdentity?
  private let logs: LogIdentity
  private var lookedAt: UInt64 = 0

  /// Watches the files of a database that is open.
  ///
  /// - Parameters:
  ///   - path: the database.
  ///   - identity: which file stood at the path before it was opened.
  init(_ path: String, opened identity: FileIdentity?) {
    self.path = path
    self.identity = identity
    logs = LogIdentity(of: path)
  }

  /// Whether the files are the same, as far as the last look tells.
  mutating func isInPlace() -> Bool {
    let now = shim_monotonic_coarse()
    guard now >= lookedAt + Self.interval else { return true }
    lookedAt = now
    return identity != nil && FileIdentity(path) == identity && LogIdentity(of: path) == logs
  }
}
