internal import Foundation
public import LaunchDomain
public import LaunchStore

/// Writes down once a second, on a thread of its own, what was counted.
///
/// A kill loses what was counted since. While the store fails, what was counted is kept and written
/// together with the next second's.
public final class UsageRecorder: Sendable {
  private static let period = 1000
  private static let pauseBetweenLastTries = 100

  private let report: @Sendable (String) -> Void
  private let ending = Latch()
  private let abandoned = Latch()
  private let ended = Latch()

  /// Begins to record.
  ///
  /// - Parameters:
  ///   - store: where usage is written.
  ///   - clock: tells the day that launches are counted for.
  ///   - report: takes a line for the operator.
  ///   - drain: gives what was counted since it was last called.
  public init(
    store: any Store, clock: @escaping Clock, report: @escaping @Sendable (String) -> Void,
    drain: @escaping @Sendable () -> Usage
  ) {
    self.report = report
    let (ending, abandoned, ended) = (ending, abandoned, ended)
    Thread.detachNewThread {
      var ledger = UsageLedger(store: store, report: report)
      while !ending.wait(milliseconds: Self.period) {
        _ = ledger.write(drain(), on: Day(clock()))
      }
      while !ledger.write(drain(), on: Day(clock())),
        !abandoned.wait(milliseconds: Self.pauseBetweenLastTries)
      {}
      ended.open()
    }
  }

  /// Writes the last of it and ends; to be called when nothing more is counted.
  ///
  /// - Parameter limit: seconds that a store which fails is tried again for.
  public func stop(within limit: Int) {
    ending.open()
    guard !ended.wait(milliseconds: limit * 1000) else { return }
    abandoned.open()
    report("the last usage counts could not be written within \(limit) s and are lost")
  }
}
