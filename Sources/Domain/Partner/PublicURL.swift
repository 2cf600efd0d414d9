/// The address at which browsers reach the support pages: scheme, host and port.
public struct PublicURL: Sendable, Equatable {
  /// As browsers write it in `Origin`: lower case, without the scheme's own port (RFC 6454 section 6.2).
  public let origin: String
  /// Whether browsers use TLS; if not, they run on this machine.
  public let isSecure: Bool

  /// Takes an `https` URL, or an `http` URL of a loopback host, with nothing after the port but
  /// `/`.
  ///
  /// Over plain HTTP from another machine, no session cookie would be safe.
  public init?(_ text: String) {
    guard text.isVisibleASCII, let parts = URLParts(text), parts.path == "/", parts.query == "?",
      Self.isAuthority(parts.authority), !text.utf8.contains(UInt8(ascii: "?")),
      !text.utf8.contains(UInt8(ascii: "#"))
    else { return nil }
    isSecure = parts.scheme == "https"
    guard isSecure || Self.isLoopback(parts.authority) else { return nil }
    origin = "\(parts.scheme)://\(parts.authority)"
  }

  /// Whether `text` is a host and perhaps a port, without credentials.
  private static func isAuthority(_ text: String) -> Bool {
    let host = hostAndPort(text).host
    let isHostByte: (UInt8) -> Bool = { byte in
      byte.isASCIIDigit || (byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z"))
        || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
    }
    let isIPv6 = host.utf8.first == UInt8(ascii: "[") && host.utf8.last == UInt8(ascii: "]")
    let isHost =
      isIPv6
      ? host.utf8.count > 4
        && host.utf8.dropFirst().dropLast().allSatisfy { isHostByte($0) || $0 == UInt8(ascii: ":") }
      : !host.isEmpty && host.utf8.allSatisfy(isHostByte)
    guard let port = hostAndPort(text).port else { return isHost }
    return isHost && port.utf8.allSatisfy(\.isASCIIDigit) && UInt16(port).map { $0 > 0 } == true
  }

  private static func isLoopback(_ authority: String) -> Bool {
    let host = hostAndPort(authority).host
    if host == "localhost" || host == "[::1]" { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }

  private static func hostAndPort(_ authority: String) -> (host: Substring, port: Substring?) {
    // The colons of an IPv6 address stand within brackets.
    guard let colon = authority.lastIndex(of: ":"), !authority[colon...].contains("]") else {
      return (authority[...], nil)
    }
    return (authority[..<colon], authority[authority.index(after: colon)...])
  }
}
