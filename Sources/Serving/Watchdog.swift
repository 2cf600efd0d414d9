import Platform

/// Tells the service manager, while the server does its work, that it does.
final class Watchdog: Sendable {
  /// Nil where nobody watches.
  private let thread: PeriodicThread?

  /// Starts to tell, twice in each of the manager's intervals; nil where the system has no thread left.
  ///
  /// - Parameters:
  ///   - manager: who is told, if it wants to be.
  ///   - isAlive: whether the server does its work, found out within the time that is given.
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

  /// Ends it; the manager expects nothing more of a server that is stopping.
  func stop() { _ = thread?.stop(within: Watchdog.patience) }

  /// In milliseconds; a round ends by itself, since it asks with a limit.
  private static let patience = 10_000
}
