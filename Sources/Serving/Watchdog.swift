import Platform

/// Tells the service manager at intervals that the server works (sd_watchdog_enabled(3)).
final class Watchdog: Sendable {
  /// Nil when the manager does not watch.
  private let thread: PeriodicThread?

  /// Starts telling, twice in each of the manager's intervals; nil when the system has no thread left.
  ///
  /// - Parameters:
  ///   - manager: the service manager; nothing is told to one that does not watch.
  ///   - isAlive: finds out within a time limit whether the server works.
  init?(
    _ manager: ServiceManager, isAlive: @escaping @Sendable (_ limit: Duration) -> Bool
  ) {
    guard let interval = manager.watchdogInterval() else {
      thread = nil
      return
    }
    let limit = Duration.microseconds(Int64(clamping: interval / 4))
    let thread = PeriodicThread(every: max(1, Int(clamping: interval / 2000))) { isLast in
      if !isLast, isAlive(limit) { manager.notify("WATCHDOG=1") }
    }
    guard let thread else { return nil }
    thread.wake()
    self.thread = thread
  }

  /// Stops telling, since the manager expects nothing from a server that is stopping.
  func stop() { _ = thread?.stop(within: Watchdog.patience) }

  /// The longest wait for the end of a round, in milliseconds; each round has a time limit of its own.
  private static let patience = 10_000
}
