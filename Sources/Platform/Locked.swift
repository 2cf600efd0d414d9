public import Glibc

/// A value under a lock, the only kind of lock for values in the program.
///
/// Requests hold theirs for a few memory accesses. The connection that writes, an index under construction and a
/// server that stops hold theirs until they are done. It stands on a POSIX mutex, since the thread sanitizer does not
/// understand `Synchronization.Mutex` and reports its contended uses as races.
///
/// Unchecked: the value is touched only while the mutex is locked.
public final class Locked<Value>: @unchecked Sendable {
  @usableFromInline var value: Value
  @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>

  /// Puts a value under a lock of its own.
  public init(_ value: sending Value) {
    self.value = value
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// Runs `use` while no other thread uses the value.
  ///
  /// - Parameter use: reads and changes the value; it must not lock the same value again.
  /// - Returns: what `use` returns.
  /// - Throws: what `use` throws.
  @inlinable
  public func withLock<Result>(_ use: (inout Value) throws -> Result) rethrows -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try use(&value)
  }
}
