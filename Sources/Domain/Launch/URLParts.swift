/// The parts of an absolute URL that a signature covers, as the request would send them.
public struct URLParts: Sendable {
  /// In lower case, such as `https`.
  public let scheme: String
  /// Host in lower case and port, the scheme's own port left out (RFC 9421 section 2.2.3).
  public let authority: String
  /// As written; `/` where there is none (RFC 9421 section 2.2.6).
  public let path: String
  /// With its `?`; `?` alone where there is none (RFC 9421 section 2.2.7).
  public let query: String
  /// Path and query as a request line has them (RFC 9421 section 2.2.5).
  public let requestTarget: String

  /// Splits an `https` or `http` URL that has a host.
  ///
  /// A request never carries a fragment, so a `#` belongs to the path or query that it stands in.
  /// Nothing is decoded or repaired, since the signature covers the exact text.
  public init?(_ url: String) {
    let text = url.utf8
    guard let colon = text.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    let scheme = url[..<colon].lowercasedASCII
    guard scheme == "https" || scheme == "http", text[colon...].starts(with: "://".utf8) else {
      return nil
    }
    let start = text.index(colon, offsetBy: 3)
    let queryStart = text[start...].firstIndex(of: UInt8(ascii: "?")) ?? text.endIndex
    let pathStart = text[start..<queryStart].firstIndex(of: UInt8(ascii: "/")) ?? queryStart
    self.scheme = scheme
    authority = Self.normalized(authority: url[start..<pathStart], scheme: scheme)
    path = pathStart == queryStart ? "/" : String(url[pathStart..<queryStart])
    query = queryStart == text.endIndex ? "?" : String(url[queryStart...])
    requestTarget = queryStart == text.endIndex ? path : path + query
    // Of `a:443:443` the first port would be left, and `a:443` means the host `a`.
    let isWhole = Self.normalized(authority: authority[...], scheme: scheme) == authority
    if authority.isEmpty || !isWhole { return nil }
  }

  /// Host in lower case without the scheme's own port.
  static func normalized(authority: Substring, scheme: String) -> String {
    let lowered = authority.lowercasedASCII
    let port = scheme == "https" ? ":443" : ":80"
    return lowered.hasSuffix(port) ? String(lowered.dropLast(port.count)) : lowered
  }
}
