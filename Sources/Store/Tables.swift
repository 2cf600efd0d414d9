package import Domain

/// What an engine brings to a store: its rows, and transactions around them.
///
/// It is the only seam between the rules and a database. The rules know neither SQL nor connections nor files,
/// and an engine knows no rule. Errors of the engine leave it as `StoreError`.
package protocol Tables: Sendable {
  /// Makes one change in one transaction, which nobody else writes beside.
  ///
  /// - Parameters:
  ///   - patience: how long to wait for other processes.
  ///   - body: the change; what it throws undoes it.
  /// - Returns: what `body` returns, once that is on disk.
  /// - Throws: `StoreError`, and what `body` throws.
  func change<Value: Sendable>(
    _ patience: Patience, _ body: (any ChangingRows) throws -> Value
  ) throws -> Value

  /// Whether another database stands in the place of the open one; then changes and new views are refused.
  var isReplaced: Bool { get }

  /// Makes a view for one thread.
  func makeView() throws -> any TablesView

  /// Lends a place for an import of the catalogue, which goes when `body` returns.
  func withStaging<Value>(_ body: (any CatalogStaging) throws -> Value) throws -> Value
}

/// How long a change waits for the lock of another process.
package enum Patience {
  /// A command waits ten seconds at most.
  case command
  /// A request waits two seconds at most. After one has waited in vain, the next ones do not wait until a change succeeds.
  case request
}

/// One thread's view of the tables.
package protocol TablesView: AnyObject {
  /// The rows; each operation reads what is committed by then.
  var rows: any Rows { get }

  /// A number that differs from the one before if anybody has committed anything in between.
  ///
  /// It is asked before every answer, so it must cost no more than some nanoseconds.
  func changeCounter() throws -> Int

  /// Whether the database in place is the one that is open; it may be asked with every request.
  var isInPlace: Bool { get }

  /// The room that the database takes.
  var sizes: DatabaseSizes { get }

  /// Runs `body` with rows that are all of one moment.
  func atOneMoment<Value>(_ body: () throws -> Value) throws -> Value

  /// What an error of the rows is called above the seam.
  ///
  /// - Parameter error: what reading threw.
  /// - Returns: a `StoreError` for the engine's own errors; every other error as it is.
  func storeError(for error: any Error) -> any Error
}

/// Tables that were opened just now and that no one has used yet.
package protocol OpenedTables {
  /// The rows.
  var rows: any Rows { get }

  /// Makes one change in one transaction.
  func change<Value>(_ body: (any ChangingRows) throws -> Value) throws -> Value

  /// Makes a change that can wait for the next one where the database takes none now.
  func changeIfPossible(_ body: (any ChangingRows) throws -> Void) throws
}

/// A place for what an import has read, beside the tables that it is compared with.
package protocol CatalogStaging: AnyObject {
  /// Takes everything that `read` hands over; the catalogue is not locked meanwhile.
  ///
  /// - Returns: the faults that `read` found.
  func fill(_ read: (any CatalogCollector) throws -> Void) throws -> CatalogFaults

  /// Runs `body` in one transaction of the tables.
  ///
  /// - Parameters:
  ///   - isDryRun: whether `body` only reads, which locks nothing.
  ///   - body: compares, and changes the catalogue.
  /// - Returns: what `body` returns.
  /// - Throws: the engine's error, and what `body` throws.
  func change<Value>(
    isDryRun: Bool, _ body: (any ChangingRows) throws -> Value
  ) throws -> Value

  /// Hands every business that was read to `body`, by id, with one at a time in memory.
  func forEach(_ body: (CatalogEntry) throws -> Void) throws

  /// Notes the active businesses of the catalogue that were not read.
  ///
  /// - Returns: their number.
  func findMissing() throws -> Int

  /// Hands every business that ``findMissing()`` noted to `body`, by id.
  func forEachMissing(_ body: (Business) throws -> Void) throws
}
