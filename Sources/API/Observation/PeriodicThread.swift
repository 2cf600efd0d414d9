internal import CClock
internal import Glibc

/// A thread that does its work again and again, until it is stopped.
///
/// Each round begins when the interval is over or someone wakes it, whatever becomes of the time of day.
public final class PeriodicThread: Sendable {
  private let state: State

  /// Starts the thread; nil where the system has none left.
  ///
  /// - Parameters:
  ///   - milliseconds: the longest time between two rounds.
  ///   - work: one round; `isLast` is true in the one that a stop has asked for.
  public init?(every milliseconds: Int, _ work: @escaping @Sendable (_ isLast: Bool) -> Void) {
    state = State(milliseconds, work)
    let argument = Unmanaged.passRetained(state)
    let result = State.startThread(argument.toOpaque()) { argument in
      guard let argument else { return nil }
      Unmanaged<State>.fromOpaque(argument).takeRetainedValue().run()
      return nil
    }
    guard result == 0 else {
      argument.release()
      return nil
    }
  }

  deinit {
    state.change { $0.isStopping = true }
  }

  /// Has the next round begin at once.
  public func wake() { state.change { $0.isWoken = true } }

  /// Has the thread work a last time and end, and waits for that.
  ///
  /// - Parameter milliseconds: how long to wait.
  /// - Returns: whether it has ended.
  public func stop(within milliseconds: Int) -> Bool {
    state.change { $0.isStopping = true }
    return state.wait(milliseconds) { $0.hasEnded }
  }
}

/// What a thread and its owner share, for as long as either needs it.
///
/// Unchecked: `flags` is touched under the mutex only.
private final class State: @unchecked Sendable {
  struct Flags {
    var isWoken = false
    var isStopping = false
    var hasEnded = false
  }

  private let interval: Int
  private let work: @Sendable (Bool) -> Void
  private var flags = Flags()
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

  init(_ interval: Int, _ work: @escaping @Sendable (Bool) -> Void) {
    self.interval = interval
    self.work = work
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
    condition.initialize(to: pthread_cond_t())
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    // A clock that is set back must not keep the thread asleep.
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(condition, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(condition)
    condition.deallocate()
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  static func startThread(
    _ argument: UnsafeMutableRawPointer,
    _ body: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?
  ) -> Int32 {
    var thread = pthread_t()
    let result = pthread_create(&thread, nil, body, argument)
    if result == 0 { pthread_detach(thread) }
    return result
  }

  func run() {
    var isLast = false
    while !isLast {
      _ = wait(interval) { $0.isWoken || $0.isStopping }
      change { flags in
        flags.isWoken = false
        isLast = flags.isStopping
      }
      work(isLast)
    }
    change { $0.hasEnded = true }
  }

  func change(_ body: (inout Flags) -> Void) {
    pthread_mutex_lock(mutex)
    body(&flags)
    pthread_cond_broadcast(condition)
    pthread_mutex_unlock(mutex)
  }

  /// Waits until something holds.
  ///
  /// - Returns: whether it did, within the time.
  func wait(_ milliseconds: Int, until holds: (Flags) -> Bool) -> Bool {
    let end = Int(shim_monotonic()) + milliseconds * 1_000_000
    var deadline = timespec(tv_sec: end / 1_000_000_000, tv_nsec: end % 1_000_000_000)
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while !holds(flags) {
      guard pthread_cond_timedwait(condition, mutex, &deadline) != ETIMEDOUT else {
        return holds(flags)
      }
    }
    return true
  }
}
