/// The parts of an absolute URL that a signature covers, as the request would send them.
struct URLParts {
  /// In lower case, such as `https`.
  let scheme: String
  /// Host in lower case and port, the scheme's own port left out (RFC 9421 section 2.2.3).
  let authority: String
  /// As written; `/` where there is none (RFC 9421 section 2.2.6).
  let path: String
  /// With its `?`; `?` alone where there is none (RFC 9421 section 2.2.7).
  let query: String
  /// Path and query as a request line has them (RFC 9421 section 2.2.5).
  let requestTarget: String

  /// Cuts an `https` or `http` URL with a host.
  ///
  /// No request carries a fragment, so a `#` belongs to the query or path that it stands in.
  /// Nothing is decoded or repaired: what was signed has to come to the letter.
  init?(_ url: String) {
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
    // A port behind the scheme's own would pass for that host and port.
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

extension StringProtocol {
  /// The text with `A-Z` in lower case and nothing else changed: the Kelvin sign is no `k` in the
  /// name of a header or a host.
  var lowercasedASCII: String {
    let isUpper: (UInt8) -> Bool = { $0 >= UInt8(ascii: "A") && $0 <= UInt8(ascii: "Z") }
    return String(decoding: utf8.map { isUpper($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
  }
}
