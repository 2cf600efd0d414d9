/// A block of addresses, such as `10.0.0.0/8` or `2001:db8::/32` (RFC 4632 section 3.1, RFC 4291
/// section 2.3).
public struct AddressBlock: Sendable, Hashable, CustomStringConvertible {
  private let first: IPAddress
  /// Leading bits that all addresses share, counted as for IPv6.
  private let length: Int

  /// Reads a block, or a single address.
  ///
  /// - Parameter text: the first address, and after a slash how many leading bits are fixed.
  /// - Throws: ``AddressBlockError`` if it is not a block, or its address is not the block's first.
  public init(parsing text: String) throws(AddressBlockError) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count <= 2, let first = parts.first.flatMap({ IPAddress(String($0)) }) else {
      throw AddressBlockError(text: text)
    }
    let largest = first.isIPv4 && !parts[0].contains(":") ? 32 : 128
    var length = largest
    if parts.count == 2 {
      let digits = parts[1]
      guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
        digits.count == 1 || digits.first != "0", let number = Int(digits), number <= largest
      else { throw AddressBlockError(text: text) }
      length = number
    }
    self.first = first
    self.length = length + 128 - largest
    let (high, low) = mask
    guard first.high & ~high == 0, first.low & ~low == 0 else {
      throw AddressBlockError(text: text)
    }
  }

  /// Whether the block contains the address; an IPv6 block contains no IPv4 address.
  public func contains(_ address: IPAddress) -> Bool {
    let (high, low) = mask
    return address.isIPv4 == first.isIPv4 && address.high & high == first.high
      && address.low & low == first.low
  }

  /// The block in the form that is parsed.
  public var description: String {
    first.isIPv4 ? "\(first)/\(length - 96)" : "\(first)/\(length)"
  }

  private var mask: (high: UInt64, low: UInt64) {
    (high: Self.ones(min(length, 64)), low: Self.ones(max(0, length - 64)))
  }

  /// A number with `count` leading ones.
  private static func ones(_ count: Int) -> UInt64 {
    count == 0 ? 0 : UInt64.max << UInt64(64 - count)
  }
}

/// A text that is not a block of addresses.
public struct AddressBlockError: Error, Hashable, CustomStringConvertible {
  /// The text.
  public let text: String

  /// Makes the error.
  public init(text: String) {
    self.text = text
  }

  /// The error as a sentence, with what to write instead.
  public var description: String {
    "\"\(text)\" is not a block of addresses; write its first address and how many leading bits are "
      + "fixed, such as 10.0.0.0/8 or 2001:db8::/32, or a single address."
  }
}

/// The proxies whose `X-Forwarded-For` is believed.
public struct TrustedProxies: Sendable, Hashable {
  /// Their addresses.
  public let blocks: [AddressBlock]

  /// Trusts the proxies in these blocks, by default none.
  public init(_ blocks: [AddressBlock] = []) {
    self.blocks = blocks
  }

  /// The client of a request: the last address that is not a trusted proxy's.
  ///
  /// Each proxy appends the address that its request came from to `X-Forwarded-For`. So the list is read from its
  /// end, as far as trusted proxies wrote it: anybody can forge the rest. Empty elements do not count (RFC 9110
  /// section 5.6.1.2).
  ///
  /// - Parameters:
  ///   - peer: the address that the connection came from.
  ///   - forwarded: the values of `X-Forwarded-For`, in their order.
  /// - Returns: the client, or the furthest trusted proxy if it named no usable address.
  public func client(peer: IPAddress, forwarded: [UnsafeRawBufferPointer]) -> IPAddress {
    var client = peer
    for value in forwarded.reversed() {
      var end = value.count
      while end >= 0 {
        let start = value[..<end].lastIndex(of: UInt8(ascii: ",")).map { $0 + 1 } ?? 0
        let element = Self.trimmed(value[start..<end])
        end = start - 1
        if element.isEmpty { continue }
        guard trusts(client), let address = Self.address(in: element) else { return client }
        client = address
      }
    }
    return client
  }

  /// Whether an address is that of a trusted proxy.
  public func trusts(_ address: IPAddress) -> Bool {
    blocks.contains { $0.contains(address) }
  }

  private static func trimmed(
    _ element: Slice<UnsafeRawBufferPointer>
  ) -> Slice<UnsafeRawBufferPointer> {
    var text = element
    while let first = text.first, first == 0x20 || first == 0x09 { text = text.dropFirst() }
    while let last = text.last, last == 0x20 || last == 0x09 { text = text.dropLast() }
    return text
  }

  /// The address of one element, which may have a port: `1.2.3.4:80`, `[::1]:80`.
  private static func address(in element: Slice<UnsafeRawBufferPointer>) -> IPAddress? {
    var text = element
    if text.first == UInt8(ascii: "[") {
      guard let end = text.firstIndex(of: UInt8(ascii: "]")) else { return nil }
      text = text[(text.startIndex + 1)..<end]
    } else if text.count(where: { $0 == UInt8(ascii: ":") }) == 1,
      let colon = text.firstIndex(of: UInt8(ascii: ":"))
    {
      text = text[..<colon]
    }
    return IPAddress(UnsafeRawBufferPointer(rebasing: text))
  }
}
