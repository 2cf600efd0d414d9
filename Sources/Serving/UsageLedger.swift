internal import Domain
internal import Store

/// The counts that are not written yet, by day, and the attempts to write them.
struct UsageLedger {
  private static let secondsBetweenReports = 60
  /// The most counts of a kind that are written at once, some 10 ms of work: single uses wait for it.
  static let mostAtOnce = 1000

  private let store: Store
  private let report: (String) -> Void
  private let limit: Int
  private var unwritten: [(day: Day, usage: Usage)] = []
  private var lost = 0
  private var reportedAt: ContinuousClock.Instant?

  /// Opens a ledger.
  ///
  /// - Parameters:
  ///   - store: where usage is written.
  ///   - report: takes a line for the operator.
  ///   - limit: the most counts that are kept, so that a store which fails for days takes little memory.
  init(store: Store, report: @escaping (String) -> Void, limit: Int = 100_000) {
    self.store = store
    self.report = report
    self.limit = limit
  }

  /// Adds the counts of a day and writes all that are kept.
  ///
  /// - Returns: whether all are written.
  mutating func write(_ usage: Usage, on day: Day) -> Bool {
    keep(usage, on: day)
    do {
      while !unwritten.isEmpty { try writePart() }
    } catch {
      reportFailure(error)
      return false
    }
    reportSuccess()
    return true
  }

  private mutating func writePart() throws {
    let day = unwritten[0].day
    let part = unwritten[0].usage.take(atMost: Self.mostAtOnce)
    do {
      try store.record(.count(part, on: day))
    } catch {
      unwritten[0].usage.merge(part)
      throw error
    }
    if unwritten[0].usage.isEmpty { unwritten.removeFirst() }
  }

  private mutating func keep(_ usage: Usage, on day: Day) {
    guard !usage.isEmpty else { return }
    let kept = unwritten.reduce(0) { $0 + $1.usage.launches.count + $1.usage.lastUsed.count }
    guard kept < limit else {
      lost += usage.launches.values.reduce(0, +)
      return
    }
    if unwritten.last?.day == day {
      unwritten[unwritten.count - 1].usage.merge(usage)
    } else {
      unwritten.append((day, usage))
    }
  }

  private mutating func reportFailure(_ error: any Error) {
    let now = ContinuousClock.now
    if let reportedAt, now - reportedAt < .seconds(Self.secondsBetweenReports) { return }
    reportedAt = now
    report("usage counts cannot be written; they are kept and tried again: \(error)")
  }

  private mutating func reportSuccess() {
    guard reportedAt != nil else { return }
    let loss = lost == 0 ? "" : "; \(lost) launches were too many to keep and are not counted"
    report("usage counts are written again" + loss)
    (reportedAt, lost) = (nil, 0)
  }
}
