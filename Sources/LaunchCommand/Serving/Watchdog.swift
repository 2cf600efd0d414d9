import Dispatch
import Foundation

/// Tells the service manager, while the server does its work, that it does.
final class Watchdog: Sendable {
  private let end = DispatchSemaphore(value: 0)
  private let ended = DispatchSemaphore(value: 0)
  private let isRunning: Bool

  /// Starts to tell, twice in each of the manager's intervals.
  ///
  /// - Parameters:
  ///   - manager: who is told, if it wants to be.
  ///   - isAlive: whether the server does its work, found out within the time that is given.
  init(
    _ manager: ServiceManager, isAlive: @escaping @Sendable (_ limit: Duration) -> Bool
  ) {
    guard let interval = manager.watchdogInterval() else {
      isRunning = false
      return
    }
    isRunning = true
    let pause = DispatchTimeInterval.microseconds(Int(clamping: interval / 2))
    let limit = Duration.microseconds(Int64(clamping: interval / 4))
    let (end, ended) = (end, ended)
    Thread {
      repeat {
        if isAlive(limit) { manager.notify("WATCHDOG=1") }
      } while end.wait(timeout: .now() + pause) == .timedOut
      ended.signal()
    }.start()
  }

  /// Ends it; the manager expects nothing more of a server that is stopping.
  func stop() {
    guard isRunning else { return }
    end.signal()
    ended.wait()
  }
}
