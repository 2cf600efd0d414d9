internal import Platform
internal import SQLite
package import Store

/// The tables of one SQLite file.
///
/// Changes go through one connection under its lock; every view has a connection of its own.
package final class SQLiteTables: Tables {
  /// How long a command waits for another process's lock.
  package static let busyTimeout: Duration = .seconds(10)
  private let database: OpenDatabase
  private let writer: WritingConnection
  private let use: DirectoryUse?

  /// Opens a database and brings its schema up to date.
  ///
  /// - Parameters:
  ///   - path: the database's file.
  ///   - use: keeps a restore away for as long as the tables live.
  ///   - prepare: gets the tables before their first use.
  /// - Throws: `StoreError`, and what `prepare` throws.
  init(
    path: String, use: DirectoryUse?, prepare: (any OpenedTables) throws -> Void
  ) throws {
    self.use = use
    (database, writer) = try StoreError.translating {
      let opened = try OpenDatabase.open(path, busyTimeout: Self.busyTimeout)
      try Schema.migrator.migrate(opened.connection)
      try prepare(OpenedDatabase(connection: opened.connection))
      return (opened.database, WritingConnection(opened.connection, to: opened.database))
    }
  }

  package func change<Value: Sendable>(
    _ patience: Patience, _ body: (any ChangingRows) throws -> Value
  ) throws -> Value {
    try StoreError.translating {
      try writer.withLock(patience) { connection in
        try connection.transaction(.immediate) { try body(SQLiteRows(connection)) }
      }
    }
  }

  package func makeView() throws -> any TablesView {
    try StoreError.translating {
      // Only a connection that may write has the log's index in memory, and sees commits without a system call.
      let connection = try database.connect(busyTimeout: Store.longestWait)
      try connection.script("PRAGMA query_only = ON")
      return SQLiteView(connection, of: database)
    }
  }

  package var isReplaced: Bool { database.isReplaced }

  package func withStaging<Value>(_ body: (any CatalogStaging) throws -> Value) throws -> Value {
    try StoreError.translating {
      try body(
        StagedCatalog(
          Connection(path: database.path, mode: .readWrite, busyTimeout: Self.busyTimeout)))
    }
  }
}

/// A database that was opened just now.
private struct OpenedDatabase: OpenedTables {
  let connection: Connection

  var rows: any Rows { SQLiteRows(connection) }

  func change<Value>(_ body: (any ChangingRows) throws -> Value) throws -> Value {
    try connection.transaction(.immediate) { try body(SQLiteRows(connection)) }
  }

  func changeIfPossible(_ body: (any ChangingRows) throws -> Void) throws {
    do {
      try change(body)
    } catch let error as SQLiteError where [.busy, .full, .io].contains(error.kind) {
      return
    }
  }
}

/// The connection that writes, which threads use one after another.
private final class WritingConnection: Sendable {
  private struct State {
    let connection: Connection
    /// Whether the last change met a lock that stayed.
    var isLocked = false
  }

  private let database: OpenDatabase
  private let state: Locked<State>

  init(_ connection: sending Connection, to database: OpenDatabase) {
    self.database = database
    state = Locked(State(connection: connection))
  }

  /// Runs `body` on the database.
  ///
  /// Waiting for other threads counts as waiting for the database.
  func withLock<Value: Sendable>(
    _ patience: Patience, _ body: (Connection) throws -> Value
  ) throws -> Value {
    let limit = patience == .request ? Store.longestWait : SQLiteTables.busyTimeout
    let deadline = ContinuousClock.now + limit
    return try state.withLock { state in
      try database.requireInPlace()
      let isHopeless = patience == .request && state.isLocked
      state.connection.wait(atMost: isHopeless ? .zero : deadline - .now)
      do {
        let value = try body(state.connection)
        state.isLocked = false
        return value
      } catch {
        state.isLocked = (error as? SQLiteError)?.kind == .busy
        throw error
      }
    }
  }
}
