internal import Domain
internal import Synchronization

/// Removes used launches and log-outs that refuse no bundle any more.
///
/// A row goes when two clocks say that it is a day and the longest lifetime of a bundle old. Running time guards
/// against a time of day that is ahead for a while, which would remove rows too early. The time of day guards bundles
/// that were issued while it was ahead: they are still refused when that time comes.
final class Retention: Sendable {
  /// Milliseconds that a row is kept.
  private static let kept = Int64(86_400 + Project.lifetimes.upperBound) * 1000
  /// Milliseconds between two removals, each of which looks at old rows that have to stay.
  private static let interval: Int64 = 60_000
  /// The most rows of a kind that one transaction removes, some 10 ms of work for those who wait for it.
  static let mostAtOnce = 2000

  private let lastTime = Atomic<Int64>(.min)

  /// Removes rows that are old enough, unless all of them were removed within the last minute.
  func clean(_ rows: any ChangingRows, at moment: StoreMoment, now: Timestamp) throws {
    let last = lastTime.load(ordering: .relaxed)
    guard last == .min || moment.runningTime - last >= Self.interval else { return }
    let hasMore = try rows.removeUsesAndLogOuts(
      runningTimeBelow: moment.runningTime - Self.kept,
      before: Timestamp(milliseconds: now.milliseconds - Self.kept), atMost: Self.mostAtOnce)
    if !hasMore { lastTime.store(moment.runningTime, ordering: .relaxed) }
  }
}
