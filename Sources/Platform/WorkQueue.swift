internal import Glibc

/// A queue of bounded length through which threads hand work to others that wait for it.
///
/// Nobody who puts something in ever waits, and it needs no descriptor.
///
/// Unchecked: the state is touched only while the mutex is locked.
public final class WorkQueue<Element: Sendable>: @unchecked Sendable {
  private let limit: Int
  private var elements: [Element] = []
  private var isClosed = false
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

  /// Makes an empty queue.
  ///
  /// - Parameter limit: the most elements that wait in it.
  public init(limit: Int) {
    self.limit = limit
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
    condition.initialize(to: pthread_cond_t())
    pthread_cond_init(condition, nil)
  }

  deinit {
    pthread_cond_destroy(condition)
    condition.deallocate()
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// Puts an element at the end.
  ///
  /// - Returns: false where the queue is full or closed; then it is not in the queue.
  public func put(_ element: Element) -> Bool {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    guard !isClosed, elements.count < limit else { return false }
    elements.append(element)
    pthread_cond_signal(condition)
    return true
  }

  /// Takes elements from the front, and waits until there are some.
  ///
  /// - Parameter count: the most elements to take, at least 1.
  /// - Returns: none once the queue is closed and empty.
  public func take(atMost count: Int) -> [Element] {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while elements.isEmpty, !isClosed { pthread_cond_wait(condition, mutex) }
    guard elements.count > count else {
      defer { elements = [] }
      return elements
    }
    defer { elements.removeFirst(count) }
    return Array(elements.prefix(count))
  }

  /// Takes no further elements; those in the queue are still handed out.
  public func close() {
    pthread_mutex_lock(mutex)
    isClosed = true
    pthread_cond_broadcast(condition)
    pthread_mutex_unlock(mutex)
  }
}
