internal import Glibc

/// A value under a lock.
///
/// It stands on a POSIX mutex rather than on `Synchronization.Mutex`, which the thread sanitizer does
/// not understand: it would report every use as a race.
///
/// Unchecked: the value is only touched while the mutex is locked.
final class Guarded<Value>: @unchecked Sendable {
  private var value: Value
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>

  init(_ value: sending Value) {
    self.value = value
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  func withLock<Result>(_ use: (inout Value) throws -> Result) rethrows -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try use(&value)
  }
}
