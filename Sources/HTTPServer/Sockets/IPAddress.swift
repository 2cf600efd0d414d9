internal import CMicroHTTPD
internal import Glibc

/// An IPv4 or IPv6 address without a port.
///
/// An IPv4 address that is mapped into IPv6 (RFC 4291 section 2.5.5.2) is that IPv4 address.
public struct IPAddress: Sendable, Hashable, CustomStringConvertible {
  /// The first 64 bits of the address as IPv6.
  public let high: UInt64
  /// The last 64 bits.
  public let low: UInt64

  private static let mapped: UInt64 = 0xFFFF

  init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  init(v4 bits: UInt32) {
    self.init(high: 0, low: Self.mapped << 32 | UInt64(bits))
  }

  /// Parses a numeric address without brackets and zone; nil for any other text.
  public init?(_ text: String) {
    var text = text
    guard let address = text.withUTF8({ IPAddress(UnsafeRawBufferPointer($0)) }) else { return nil }
    self = address
  }

  /// Parses the bytes of a numeric address without brackets and zone; nil for any other text.
  public init?(_ text: UnsafeRawBufferPointer) {
    let longest = Int(INET6_ADDRSTRLEN)
    guard (1..<longest).contains(text.count), !text.contains(0) else { return nil }
    let parsed = withUnsafeTemporaryAllocation(of: CChar.self, capacity: longest) {
      copy -> IPAddress? in
      for (place, byte) in text.enumerated() { copy[place] = CChar(bitPattern: byte) }
      copy[text.count] = 0
      var v4 = in_addr()
      if inet_pton(AF_INET, copy.baseAddress, &v4) == 1 {
        return IPAddress(v4: UInt32(bigEndian: v4.s_addr))
      }
      var v6 = in6_addr()
      guard inet_pton(AF_INET6, copy.baseAddress, &v6) == 1 else { return nil }
      return withUnsafeBytes(of: v6) { IPAddress(bytes: $0) }
    }
    guard let parsed else { return nil }
    self = parsed
  }

  fileprivate init(bytes: UnsafeRawBufferPointer) {
    self.init(
      high: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
      low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
  }

  /// Whether it is an IPv4 address.
  public var isIPv4: Bool { high == 0 && low >> 32 == Self.mapped }

  /// The address as text (RFC 5952 for IPv6).
  public var description: String {
    var text: [UInt8] = []
    append(to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  /// Appends the address as text.
  public func append(to output: inout [UInt8]) {
    guard isIPv4 else { return appendV6(to: &output) }
    for shift in stride(from: 24, through: 0, by: -8) {
      if shift != 24 { output.append(UInt8(ascii: ".")) }
      let part = UInt8(truncatingIfNeeded: low >> UInt64(shift))
      if part > 99 { output.append(UInt8(ascii: "0") + part / 100) }
      if part > 9 { output.append(UInt8(ascii: "0") + part / 10 % 10) }
      output.append(UInt8(ascii: "0") + part % 10)
    }
  }

  private func appendV6(to output: inout [UInt8]) {
    var bits = (high.bigEndian, low.bigEndian)
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { text in
      guard inet_ntop(AF_INET6, &bits, text.baseAddress, socklen_t(text.count)) != nil else {
        return
      }
      for character in text.prefix(while: { $0 != 0 }) {
        output.append(UInt8(bitPattern: character))
      }
    }
  }
}

extension Request {
  /// The address that the connection came from: the client's, or that of the proxy before it.
  ///
  /// Nil for a request made from plain values.
  public var peer: IPAddress? {
    guard case .received(let connection) = fields, let address = chttp_client(connection) else {
      return nil
    }
    let bytes = UnsafeRawPointer(address)
    switch Int32(address.pointee.sa_family) {
    case AF_INET:
      return IPAddress(
        v4: UInt32(bigEndian: bytes.loadUnaligned(as: sockaddr_in.self).sin_addr.s_addr))
    case AF_INET6:
      return withUnsafeBytes(of: bytes.loadUnaligned(as: sockaddr_in6.self).sin6_addr) {
        IPAddress(bytes: $0)
      }
    default:
      return nil
    }
  }
}
