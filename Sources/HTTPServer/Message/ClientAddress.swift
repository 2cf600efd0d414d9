internal import CMicroHTTPD
internal import Glibc

extension Request {
  /// The numeric address of the client, or of the proxy that the client is behind, without its port.
  ///
  /// An IPv4-mapped IPv6 address is written as IPv4. Nil for a request made from plain values.
  public var clientAddress: String? {
    guard case .received(let connection) = fields, let address = chttp_client(connection) else {
      return nil
    }
    let isIPv6 = Int32(address.pointee.sa_family) == AF_INET6
    let size = isIPv6 ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size
    var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    let result = getnameinfo(
      address, socklen_t(size), &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
    guard result == 0 else { return nil }
    let numeric = String(
      decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    let mapped = "::ffff:"
    return numeric.hasPrefix(mapped) && numeric.contains(".")
      ? String(numeric.dropFirst(mapped.count)) : numeric
  }
}
