internal import CMicroHTTPD
internal import Glibc

/// A numeric IPv4 or IPv6 address and a port to listen on.
public struct Address: Sendable, Hashable, CustomStringConvertible {
  /// The address, such as `127.0.0.1` or `::1`, without brackets.
  public let host: String
  /// The port; 0 takes any free one.
  public let port: UInt16
  let isIPv6: Bool

  /// Reads an address such as `127.0.0.1:8080` or `[::1]:8080`.
  ///
  /// - Parameter text: The address and the port.
  /// - Throws: ``AddressError`` when the text is not such an address.
  public init(parsing text: String) throws(AddressError) {
    guard let colon = text.lastIndex(of: ":") else { throw AddressError(text: text) }
    let digits = text[text.index(after: colon)...]
    var host = text[..<colon]
    guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(digits) else {
      throw AddressError(text: text)
    }
    isIPv6 = host.first == "[" && host.last == "]"
    if isIPv6 { host = host.dropFirst().dropLast() }
    self.host = String(host)
    self.port = port
    guard withSocketAddress({ _, _ in true }) ?? false else { throw AddressError(text: text) }
  }

  /// Reads an address that a system call wrote; nil if its family is neither IPv4 nor IPv6.
  init?(_ storage: sockaddr_storage) {
    var storage = storage
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    let size = socklen_t(text.count)
    isIPv6 = storage.ss_family == sa_family_t(AF_INET6)
    guard isIPv6 || storage.ss_family == sa_family_t(AF_INET) else { return nil }
    let isIPv6 = isIPv6
    let port = withUnsafeMutablePointer(to: &storage) { pointer -> UInt16? in
      if isIPv6 {
        return pointer.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
          inet_ntop(AF_INET6, &$0.pointee.sin6_addr, &text, size) == nil
            ? nil : UInt16(bigEndian: $0.pointee.sin6_port)
        }
      }
      return pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
        inet_ntop(AF_INET, &$0.pointee.sin_addr, &text, size) == nil
          ? nil : UInt16(bigEndian: $0.pointee.sin_port)
      }
    }
    guard let port else { return nil }
    self.port = port
    host = text.withUnsafeBufferPointer {
      String(decoding: $0.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
    }
  }

  /// Whether only programs of the same machine can reach the address.
  public var isLoopback: Bool {
    let isLoopback = withSocketAddress { address, size in
      let bytes = UnsafeRawBufferPointer(start: address, count: Int(size))
      // The bytes of the address stand after the family, the port and, in IPv6, the flow label
      // (RFC 3493 section 3.3); an IPv4 address can be mapped into IPv6 (RFC 4291 section 2.5.5.2).
      guard isIPv6 else { return bytes[4] == 127 }
      let isMapped =
        bytes[8..<18].allSatisfy { $0 == 0 } && bytes[18..<20].allSatisfy { $0 == 0xFF }
      return isMapped ? bytes[20] == 127 : bytes[8..<23].allSatisfy { $0 == 0 } && bytes[23] == 1
    }
    return isLoopback ?? false
  }

  /// The address in the form that is parsed.
  public var description: String { isIPv6 ? "[\(host)]:\(port)" : "\(host):\(port)" }

  /// Calls `use` with the address in the system's form; nil if the host is not numeric.
  func withSocketAddress<Result>(
    _ use: (UnsafePointer<sockaddr>, socklen_t) -> Result
  ) -> Result? {
    if isIPv6 {
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_port = port.bigEndian
      guard inet_pton(AF_INET6, host, &address.sin6_addr) == 1 else { return nil }
      return withGeneric(&address, use)
    }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    guard inet_pton(AF_INET, host, &address.sin_addr) == 1 else { return nil }
    return withGeneric(&address, use)
  }

  private func withGeneric<Specific, Result>(
    _ address: inout Specific, _ use: (UnsafePointer<sockaddr>, socklen_t) -> Result
  ) -> Result {
    withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        use($0, socklen_t(MemoryLayout<Specific>.size))
      }
    }
  }
}

/// A text that is not an address to listen on.
public struct AddressError: Error, Hashable, CustomStringConvertible {
  /// The text.
  public let text: String

  /// The error as a sentence, with what to write instead.
  public var description: String {
    "\"\(text)\" is no address to listen on; write a numeric one with a port, such as"
      + " 127.0.0.1:8080 or [::1]:8080."
  }
}
