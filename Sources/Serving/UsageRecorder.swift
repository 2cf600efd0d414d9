internal import Domain
internal import Glibc
internal import Platform
internal import Store
internal import Synchronization

/// Writes the counts once a second, on a thread of its own.
///
/// A kill loses the counts of the last second. While the store fails, counts are kept and written together with
/// those of the next second.
final class UsageRecorder: Sendable {
  private let recording: Recording
  private let thread: PeriodicThread
  private let report: @Sendable (String) -> Void

  /// Starts recording; nil when the system has no thread left.
  ///
  /// - Parameters:
  ///   - store: where usage is written.
  ///   - clock: tells the day that launches are counted for.
  ///   - report: takes a line for the operator.
  ///   - drain: returns the counts since its last call.
  init?(
    store: Store, clock: @escaping Clock, report: @escaping @Sendable (String) -> Void,
    drain: @escaping @Sendable () -> Usage
  ) {
    self.report = report
    let recording = Recording(UsageLedger(store: store, report: report), clock, drain)
    let thread = PeriodicThread(every: 1000) { isLast in recording.write(isLast: isLast) }
    guard let thread else { return nil }
    self.recording = recording
    self.thread = thread
  }

  deinit {
    recording.isAbandoned.store(true, ordering: .relaxed)
  }

  /// Writes the last counts and ends; call it when nothing more is counted.
  ///
  /// - Parameter limit: how long a failing store is tried again, in seconds.
  func stop(within limit: Int) {
    guard !thread.stop(within: limit * 1000) else { return }
    recording.isAbandoned.store(true, ordering: .relaxed)
    report("the last usage counts could not be written within \(limit) s and are lost")
  }
}

/// The work of the thread.
///
/// Unchecked: only the thread touches the ledger.
private final class Recording: @unchecked Sendable {
  private static let pauseBetweenLastTries: UInt32 = 100_000

  private var ledger: UsageLedger
  private let clock: Clock
  private let drain: @Sendable () -> Usage
  /// Whether the last counts are given up.
  let isAbandoned = Atomic(false)

  init(_ ledger: UsageLedger, _ clock: @escaping Clock, _ drain: @escaping @Sendable () -> Usage) {
    self.ledger = ledger
    self.clock = clock
    self.drain = drain
  }

  /// Writes the counts; the last round tries again until it succeeds or is given up.
  func write(isLast: Bool) {
    while !ledger.write(drain(), on: Day(clock())), isLast,
      !isAbandoned.load(ordering: .relaxed)
    {
      usleep(Self.pauseBetweenLastTries)
    }
  }
}
