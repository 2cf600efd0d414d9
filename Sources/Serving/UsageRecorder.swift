internal import Platform
internal import Glibc
internal import Domain
internal import Store
internal import Synchronization

/// Writes down once a second, on a thread of its own, what was counted.
///
/// A kill loses what was counted since. While the store fails, what was counted is kept and written
/// together with the next second's.
final class UsageRecorder: Sendable {
  private let recording: Recording
  private let thread: PeriodicThread
  private let report: @Sendable (String) -> Void

  /// Begins to record; nil where the system has no thread left.
  ///
  /// - Parameters:
  ///   - store: where usage is written.
  ///   - clock: tells the day that launches are counted for.
  ///   - report: takes a line for the operator.
  ///   - drain: gives what was counted since it was last called.
  init?(
    store: any Store, clock: @escaping Clock, report: @escaping @Sendable (String) -> Void,
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

  /// Writes the last of it and ends; to be called when nothing more is counted.
  ///
  /// - Parameter limit: seconds that a store which fails is tried again for.
  func stop(within limit: Int) {
    guard !thread.stop(within: limit * 1000) else { return }
    recording.isAbandoned.store(true, ordering: .relaxed)
    report("the last usage counts could not be written within \(limit) s and are lost")
  }
}

/// What the thread does.
///
/// Unchecked: only the thread touches the ledger.
private final class Recording: @unchecked Sendable {
  private static let pauseBetweenLastTries: UInt32 = 100_000

  private var ledger: UsageLedger
  private let clock: Clock
  private let drain: @Sendable () -> Usage
  /// Whether nobody waits any more for the last of it.
  let isAbandoned = Atomic(false)

  init(_ ledger: UsageLedger, _ clock: @escaping Clock, _ drain: @escaping @Sendable () -> Usage) {
    self.ledger = ledger
    self.clock = clock
    self.drain = drain
  }

  /// Writes what was counted; the last round tries again until it succeeds or is abandoned.
  func write(isLast: Bool) {
    while !ledger.write(drain(), on: Day(clock())), isLast,
      !isAbandoned.load(ordering: .relaxed)
    {
      usleep(Self.pauseBetweenLastTries)
    }
  }
}
