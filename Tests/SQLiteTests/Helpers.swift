import Foundation
import SQLite
import Testing

/// A directory of its own for one test's database, removed with it.
final class TemporaryDatabase: Sendable {
  let directory: String
  let path: String

  init() throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "SQLiteTests-\(UUID())")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    directory = url.path
    path = url.appending(path: "test.db").path
  }

  deinit {
    // A connection that is released after this may be removing its log's files at this very moment,
    // and nothing depends on the directory's going.
    try? FileManager.default.removeItem(atPath: directory)
  }

  func connect(
    _ mode: Connection.Mode = .readWriteCreate, busyTimeout: Duration = .seconds(60)
  ) throws -> Connection {
    try Connection(path: path, mode: mode, busyTimeout: busyTimeout)
  }

  /// A connection to a database with one table, `t(id INTEGER PRIMARY KEY, name TEXT UNIQUE)`.
  func connectWithTable() throws -> Connection {
    let connection = try connect()
    try connection.script("CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT UNIQUE) STRICT")
    return connection
  }

  func permissions(of path: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return try #require(attributes[.posixPermissions] as? Int)
  }
}

/// Work on a thread of its own, where blocking holds up no other test.
final class Background: Sendable {
  private let done = DispatchSemaphore(value: 0)
  private nonisolated(unsafe) var failure: (any Error)?

  init(_ body: @escaping @Sendable () throws -> Void) {
    Thread { [self] in
      // Written before the signal and read after the wait, so never at once.
      do { try body() } catch { failure = error }
      done.signal()
    }.start()
  }

  func wait() throws {
    done.wait()
    if let failure { throw failure }
  }
}

extension Connection {
  func count(_ table: String = "t") throws -> Int? {
    try first("SELECT count(*) FROM \(table)") { try $0.int(0) }
  }

  func pragma(_ name: String) throws -> Value? {
    try first("PRAGMA \(name)") { try $0.value(0) }
  }
}

/// The error that `body` is expected to throw.
func error<T>(_ body: () throws -> T) throws -> SQLiteError {
  try #require(throws: SQLiteError.self, performing: body)
}
