internal import Glibc

/// A thread that does its work again and again until it is stopped.
///
/// A round begins when the interval is over or someone wakes the thread. Setting the time of day changes nothing.
public final class PeriodicThread: Sendable {
  private let state: State

  /// Starts the thread; nil where the system has none left.
  ///
  /// - Parameters:
  ///   - milliseconds: the longest time between two rounds.
  ///   - work: one round; `isLast` is true in the round that ``stop(within:)`` asks for.
  public init?(every milliseconds: Int, _ work: @escaping @Sendable (_ isLast: Bool) -> Void) {
    let state = State(milliseconds, work)
    guard startThread({ state.run() }) == 0 else { return nil }
    self.state = state
  }

  deinit {
    state.change { $0.isStopping = true }
  }

  /// Begins the next round at once.
  public func wake() { state.change { $0.isWoken = true } }

  /// Has the thread do a last round and end, and waits for that.
  ///
  /// - Parameter milliseconds: the longest wait.
  /// - Returns: whether the thread has ended.
  public func stop(within milliseconds: Int) -> Bool {
    state.change { $0.isStopping = true }
    return state.wait(milliseconds) { $0.hasEnded }
  }
}

/// What a thread and its owner share, for as long as either needs it.
///
/// Unchecked: `flags` is touched only while the mutex is locked.
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
    // With the time of day, a clock that is set back would keep the thread asleep.
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
    let end = Int(MonotonicTime.now) + milliseconds * 1_000_000
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
