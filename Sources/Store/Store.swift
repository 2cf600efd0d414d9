internal import Domain
internal import Platform

/// The projects, keys, catalogue and happenings of an installation; each change is one transaction.
///
/// When a method returns, its change is on disk and holds for the next read of every reader of every process.
/// Every change by an admin, and each look at something secret, is one row of the audit log. All methods throw
/// `StoreError`.
public final class Store: Sendable {
  let tables: any Tables
  let keyRing: SharedKeyRing
  let time: StoreTime
  let retention = Retention()
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
    tables = try open { opened in
      try keyRing.requireFit(to: opened.rows)
      try UserDigestKey.addMissing(to: opened, keyRing)
      try LaunchTime.setAtOpening(opened, time)
    }
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
