internal import CMicroHTTPD
internal import Glibc

/// Wakes a thread that polls.
final class Signal: Sendable {
  let descriptor: Int32

  /// - Returns: nil when the system has no descriptor left; `errno` says why.
  init?() {
    descriptor = eventfd(0, Int32(EFD_NONBLOCK) | Int32(EFD_CLOEXEC))
    if descriptor < 0 { return nil }
  }

  deinit {
    close(descriptor)
  }

  func raise() {
    // It fails only where it is raised 2^64 times over already; it is raised then.
    _ = eventfd_write(descriptor, 1)
  }

  func lower() {
    var count: eventfd_t = 0
    // It fails only where it is not raised.
    _ = eventfd_read(descriptor, &count)
  }

  /// Waits until it is raised.
  ///
  /// - Returns: Whether it was, within the time-out.
  func wait(milliseconds: Int32) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    while true {
      let result = poll(&entry, 1, milliseconds)
      if result >= 0 || errno != EINTR { return result == 1 }
    }
  }
}
