// For the socket types: they belong to whichever module the compiler meets them in first.
internal import CMicroHTTPD
internal import Glibc

/// A listening socket that another program, such as systemd, made and passed in.
public struct PassedSocket: Sendable, Hashable {
  /// The file descriptor; the server that is given it closes it when it stops.
  public let descriptor: Int32
  /// Where it listens.
  public let address: Address

  /// Checks a file descriptor that was passed in.
  ///
  /// - Parameter descriptor: The file descriptor.
  /// - Throws: ``ServerError`` when it is not a listening TCP socket.
  public init(descriptor: Int32) throws(ServerError) {
    self.descriptor = descriptor
    var storage = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let result = withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        getsockname(descriptor, $0, &size)
      }
    }
    guard result == 0 else {
      throw .unusableSocket(
        descriptor: descriptor, reason: "it is no socket (\(String(cString: strerror(errno))))")
    }
    guard let address = Address(storage),
      PassedSocket.option(SO_TYPE, of: descriptor) == Int32(SOCK_STREAM.rawValue),
      PassedSocket.option(SO_ACCEPTCONN, of: descriptor) == 1
    else {
      throw .unusableSocket(
        descriptor: descriptor, reason: "it is no TCP socket over IPv4 or IPv6 that listens")
    }
    self.address = address
  }

  private static func option(_ name: Int32, of descriptor: Int32) -> Int32? {
    var value: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(descriptor, SOL_SOCKET, name, &value, &size) == 0 ? value : nil
  }
}
