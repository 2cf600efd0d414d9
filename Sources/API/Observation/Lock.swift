internal import Glibc

/// A lock for a few memory accesses, never for input or output.
///
/// It stands on a POSIX mutex rather than on `Synchronization.Mutex`, which the thread sanitizer does
/// not understand.
///
/// Unchecked: the mutex is what other threads may use at the same time.
final class Lock: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>

  init() {
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// Runs `body` while no other thread is in a body of this lock.
  func withLock<Result>(_ body: () throws -> Result) rethrows -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body()
  }
}
