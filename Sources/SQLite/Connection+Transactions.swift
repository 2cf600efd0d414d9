import CSQLite

extension Connection {
  /// When a transaction takes the write lock.
  public enum TransactionKind: Sendable {
    /// At its start, waiting for it as long as the busy time-out; for everything that writes.
    ///
    /// A deferred transaction that reads before it writes fails at once if another wrote in between.
    case immediate
    /// When it first writes; for reads that have to see one state throughout.
    case deferred
  }

  /// Runs `body` as one transaction: all of it happens, or nothing if anything throws.
  ///
  /// - Parameters:
  ///   - kind: When to take the write lock.
  ///   - body: The work; it may not begin a transaction of its own.
  /// - Returns: What `body` returns, after the commit.
  /// - Throws: What `body` throws, or ``SQLiteError``: of kind `misuse` inside another transaction.
  @discardableResult
  public func transaction<T>(_ kind: TransactionKind, _ body: () throws -> T) throws -> T {
    guard !isInTransaction else {
      throw SQLiteError(SQLITE_MISUSE, message: "a transaction inside another one")
    }
    try run(kind == .immediate ? "BEGIN IMMEDIATE" : "BEGIN DEFERRED")
    do {
      let result = try body()
      try run("COMMIT")
      return result
    } catch {
      // After some failures (a full disk) SQLite has rolled back by itself.
      if isInTransaction { try run("ROLLBACK") }
      throw error
    }
  }

  /// Whether the open transaction has the write lock.
  public var holdsWriteLock: Bool {
    sqlite3_txn_state(database, "main") == SQLITE_TXN_WRITE
  }

  /// Whether a transaction is open.
  public var isInTransaction: Bool { sqlite3_get_autocommit(database) == 0 }
}
