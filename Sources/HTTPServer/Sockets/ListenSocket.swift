// For the socket types: they belong to whichever module the compiler meets them in first.
internal import CMicroHTTPD
internal import Glibc

/// A listening socket, closed with the object.
final class ListenSocket: Sendable {
  let descriptor: Int32
  let port: UInt16
  /// Whether another program made it, which may keep it open beyond this process.
  let isPassed: Bool

  init(_ passed: PassedSocket) throws(ServerError) {
    let flags = fcntl(passed.descriptor, F_GETFL)
    guard flags >= 0, fcntl(passed.descriptor, F_SETFL, flags | O_NONBLOCK) == 0,
      fcntl(passed.descriptor, F_SETFD, FD_CLOEXEC) == 0
    else { throw ServerError(passed.address, operation: "fcntl", number: errno) }
    descriptor = passed.descriptor
    port = passed.address.port
    isPassed = true
  }

  init(_ address: Address, backlog: Int32) throws(ServerError) {
    let family = address.isIPv6 ? AF_INET6 : AF_INET
    let type =
      Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    let descriptor = socket(family, type, 0)
    guard descriptor >= 0 else { throw ServerError(address, operation: "socket", number: errno) }
    do throws(ServerError) {
      // A restart may take the port while connections of the previous run are still in TIME_WAIT.
      var yes: Int32 = 1
      let size = socklen_t(MemoryLayout<Int32>.size)
      guard setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, size) == 0 else {
        throw ServerError(address, operation: "setsockopt", number: errno)
      }
      guard address.withSocketAddress({ bind(descriptor, $0, $1) }) == 0 else {
        throw ServerError(address, operation: "bind", number: errno)
      }
      guard listen(descriptor, backlog) == 0 else {
        throw ServerError(address, operation: "listen", number: errno)
      }
      guard let port = ListenSocket.port(of: descriptor) else {
        throw ServerError(address, operation: "getsockname", number: errno)
      }
      self.port = port
      isPassed = false
    } catch {
      close(descriptor)
      throw error
    }
    self.descriptor = descriptor
  }

  deinit {
    close(descriptor)
  }

  /// Whether a connection waits to be accepted.
  var hasWaiting: Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, 0) == 1
  }

  private static func port(of descriptor: Int32) -> UInt16? {
    var storage = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutablePointer(to: &storage) { pointer in
      let result = pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        getsockname(descriptor, $0, &size)
      }
      guard result == 0 else { return nil }
      // The port has the same offset in the addresses of both families.
      return pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
        UInt16(bigEndian: $0.pointee.sin_port)
      }
    }
  }
}
