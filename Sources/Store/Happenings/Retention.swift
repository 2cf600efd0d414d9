internal import Domain
internal import Synchronization

/// Clears away used launches and log-outs that refuse no bundle any more.
///
/// A row goes when a day and the longest lifetime of a bundle have passed by two clocks: by running time, so that
/// a time of day that is ahead for a while clears nothing away; and by the time of day, so that what was issued
/// while that was ahead is still refused when its time has come.
final class Retention: Sendable {
  /// Milliseconds that a row is kept.
  private static let kept = Int64(86_400 + Project.lifetimes.upperBound) * 1000
  /// Milliseconds between two times of clearing away: it may meet rows that have to stay.
  private static let interval: Int64 = 60_000

  private let lastTime = Atomic<Int64>(.min)

  /// Clears away what is old enough, unless that was done just before.
  func clean(_ rows: any ChangingRows, at moment: StoreMoment, now: Timestamp) throws {
    let last = lastTime.load(ordering: .relaxed)
    guard last == .min || moment.runningTime - last >= Self.interval else { return }
    lastTime.store(moment.runningTime, ordering: .relaxed)
    try rows.removeUsesAndLogOuts(
      runningTimeBelow: moment.runningTime - Self.kept,
      before: Timestamp(milliseconds: now.milliseconds - Self.kept))
  }
}
