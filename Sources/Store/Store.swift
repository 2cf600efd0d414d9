internal import Domain
internal import Platform

/// The projects, keys, catalogue and happenings of an installation; each change is one transaction.
///
/// When a method returns, its change is on disk and holds for the next read of every reader of every process.
/// Every change by an admin, and each look at something secret, is one row of the audit log. All methods throw
/// `StoreError`.
public final class Store: Sendable {
  /// How long a request waits for the disk and for other processes.
  public static let longestWait: Duration = .seconds(2)

  let tables: any Tables
  let keyRing: SharedKeyRing
  let time: StoreTime
  let retention = Retention()
  private let writer: HappeningWriter
  private let searchIndex = SharedIndex()

  /// Puts a store together.
  ///
  /// - Parameters:
  ///   - keyRing: the master keys.
  ///   - time: tells the time.
  ///   - open: opens the tables, and calls its argument before their first use.
  /// - Throws: `StoreError`.
  package init(
    keyRing: KeyRing, time: StoreTime,
    open: (_ prepare: (any OpenedTables) throws -> Void) throws -> any Tables
  ) throws {
    let keyRing = SharedKeyRing(keyRing)
    self.keyRing = keyRing
    self.time = time
    let tables = try open { opened in
      try keyRing.requireFit(to: opened.rows)
      try UserDigestKey.addMissing(to: opened, keyRing)
      try LaunchTime.setAtOpening(opened, time)
    }
    self.tables = tables
    writer = HappeningWriter(tables, time: time, retention: retention)
  }

  /// Whether another database stands in the place of the open one.
  ///
  /// Changes and new readers are refused then; the process has to start again to open the other one.
  public var isReplaced: Bool { tables.isReplaced }

  /// Makes a view for one thread, which it must not leave; a view is cheap.
  public func makeReader() throws -> StoreReader {
    StoreReader(
      try tables.makeView(), keyRing: keyRing, searchIndex: searchIndex, time: time)
  }

  /// Records a happening together with the others that come meanwhile, and returns at once.
  ///
  /// - Parameters:
  ///   - happening: the happening.
  ///   - then: gets the result once it is on disk, on a thread of the store, which it must not keep. After a failure
  ///     nothing was written, unless the error comes from the disk itself.
  public func record<Value>(
    _ happening: Happening<Value>, then: @escaping @Sendable (Result<Value, any Error>) -> Void
  ) {
    writer.record(happening, then: then)
  }

  /// Records a happening and waits for the disk; for threads that have nothing else to do.
  ///
  /// - Parameter happening: the happening.
  /// - Returns: its value.
  /// - Throws: `StoreError`.
  @discardableResult
  public func record<Value>(_ happening: Happening<Value>) throws -> Value {
    let told = WorkQueue<Result<Value, any Error>>(limit: 1)
    record(happening) { _ = told.put($0) }
    guard let result = told.take(atMost: 1).first else {
      throw StoreError(.unavailable, "The store was closed before the change was written.")
    }
    return try result.get()
  }

  /// Makes one change by an admin in one transaction.
  package func change<Value: Sendable>(
    by actor: Actor, _ body: (borrowing Change) throws -> Value
  ) throws -> Value {
    try tables.change(.command) { rows in try body(makeChange(rows, by: actor)) }
  }

  /// A change by an admin in the transaction under way.
  func makeChange(_ rows: any ChangingRows, by actor: Actor) -> Change {
    Change(rows: rows, keyRing: keyRing, time: time, now: time.ofDay(), actor: actor)
  }
}
