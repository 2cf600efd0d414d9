internal import CPlatform
internal import Glibc

/// Wakes a thread that polls descriptors (eventfd(2)).
public final class Wakeup: Sendable {
  /// Readable while it is raised.
  public let descriptor: Int32

  /// Makes one that is not raised.
  ///
  /// - Returns: nil when the system has no descriptor left; `errno` says why.
  public init?() {
    descriptor = eventfd(0, Int32(EFD_NONBLOCK) | Int32(EFD_CLOEXEC))
    if descriptor < 0 { return nil }
  }

  deinit {
    close(descriptor)
  }

  /// Wakes the thread.
  public func raise() {
    // It fails only when it was raised 2^64 times; it is raised then.
    _ = eventfd_write(descriptor, 1)
  }

  /// Makes it unreadable until it is raised again.
  public func lower() {
    var count: eventfd_t = 0
    // It fails only when it is not raised.
    _ = eventfd_read(descriptor, &count)
  }

  /// Waits until it is raised.
  ///
  /// - Parameter milliseconds: the longest wait; -1 for no limit.
  /// - Returns: whether it was raised in time.
  public func wait(milliseconds: Int32) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    while true {
      let result = poll(&entry, 1, milliseconds)
      if result >= 0 || errno != EINTR { return result == 1 }
    }
  }
}
