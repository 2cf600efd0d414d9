/// A cookie that an app sets in its web view before it loads a launch (RFC 6265).
public struct WebViewCookie: Sendable, Equatable {
  /// When a browser sends a cookie along from another site.
  public enum SameSite: String, Sendable, CaseIterable {
    case strict = "Strict"
    case lax = "Lax"
    case none = "None"
  }

  /// The project it is for; nil for all projects.
  public let projectID: ProjectID?
  /// The name, a token.
  public let name: String
  /// The value.
  public var value: String
  /// The host that it is sent to; with a point before it, hosts below it too.
  public let domain: String
  /// Where on the host, beginning with a slash.
  public let path: String
  /// Whether it is sent over TLS only.
  public var isSecure: Bool
  /// Whether scripts cannot see it.
  public var isHTTPOnly: Bool
  /// When it is sent along from another site.
  public var sameSite: SameSite
  /// When it ends; nil for the end of the web view's session.
  public var expiresAt: Timestamp?

  /// Puts a cookie together.
  ///
  /// - Throws: `FieldFault` with what no browser would take, by the field's name.
  public init(
    projectID: ProjectID?, name: String, value: String, domain: String, path: String = "/",
    isSecure: Bool = true, isHTTPOnly: Bool = false, sameSite: SameSite = .lax,
    expiresAt: Timestamp? = nil
  ) throws {
    self.projectID = projectID
    self.name = name
    self.value = value
    // Hosts have no case (RFC 6265 section 5.1.2).
    self.domain = domain.lowercasedASCII
    self.path = path
    self.isSecure = isSecure
    self.isHTTPOnly = isHTTPOnly
    self.sameSite = sameSite
    self.expiresAt = expiresAt
    if let fault = Self.fault(self) { throw fault }
  }

  private static func fault(_ cookie: WebViewCookie) -> FieldFault? {
    if cookie.name.isEmpty || !cookie.name.utf8.allSatisfy(isTokenByte) {
      return FieldFault(
        "name", .invalidField, "A cookie's name is letters, digits and !#$%&'*+-.^_`|~ only.")
    }
    if !cookie.value.utf8.allSatisfy(isValueByte) || cookie.value.utf8.count > 4096 {
      return FieldFault(
        "value", .invalidField,
        "A cookie's value is up to 4,096 visible ASCII characters without quotes, commas, semicolons "
          + "and backslashes. Percent-encode others.")
    }
    if !isDomain(cookie.domain) {
      return FieldFault(
        "domain", .invalidField,
        "A cookie's domain is a host name alone, such as cashback.example: no scheme, port or path."
      )
    }
    if cookie.path.utf8.first != UInt8(ascii: "/") || !cookie.path.isVisibleASCII
      || cookie.path.utf8.contains(UInt8(ascii: ";"))
    {
      return FieldFault(
        "path", .invalidField,
        "A cookie's path begins with a slash and is visible ASCII characters without semicolons.")
    }
    let name = cookie.name.lowercasedASCII
    if name.hasPrefix("__host-") {
      return FieldFault(
        "name", .invalidField,
        "Browsers take a __Host- cookie without a domain only, and this one gets a domain.")
    }
    if name.hasPrefix("__secure-"), !cookie.isSecure {
      return FieldFault("name", .invalidField, "Browsers take a __Secure- cookie with Secure only.")
    }
    if cookie.sameSite == .none, !cookie.isSecure {
      return FieldFault("same_site", .invalidField, "Browsers take SameSite=None with Secure only.")
    }
    return nil
  }

  /// A host name: labels of letters, digits and hyphens, perhaps behind a point.
  private static func isDomain(_ text: String) -> Bool {
    let labels = text.utf8.drop { $0 == UInt8(ascii: ".") }
      .split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard text.utf8.count <= 253, !text.hasPrefix(".."), labels.count >= 2 else { return false }
    return labels.allSatisfy { label in
      (1...63).contains(label.count) && label.first != UInt8(ascii: "-")
        && label.last != UInt8(ascii: "-")
        && label.allSatisfy { PercentEncoding.isUnreserved($0) && !"._~".utf8.contains($0) }
    }
  }

  /// RFC 9110 section 5.6.2.
  private static func isTokenByte(_ byte: UInt8) -> Bool {
    PercentEncoding.isUnreserved(byte) || "!#$%&'*+^`|".utf8.contains(byte)
  }

  /// RFC 6265 section 4.1.1.
  private static func isValueByte(_ byte: UInt8) -> Bool {
    byte >= 0x21 && byte <= 0x7E && !"\",;\\".utf8.contains(byte)
  }
}

extension WebViewCookie {
  /// The attributes of a cookie that an update may leave as they are.
  public enum Attribute: Sendable, CaseIterable {
    case secure
    case httpOnly
    case sameSite
    case expires
  }

  /// This cookie with the given attributes of another.
  ///
  /// - Throws: `FieldFault` with what no browser would take, by the field's name.
  public func keeping(_ attributes: Set<Attribute>, of old: WebViewCookie) throws -> WebViewCookie {
    try WebViewCookie(
      projectID: projectID, name: name, value: value, domain: domain, path: path,
      isSecure: attributes.contains(.secure) ? old.isSecure : isSecure,
      isHTTPOnly: attributes.contains(.httpOnly) ? old.isHTTPOnly : isHTTPOnly,
      sameSite: attributes.contains(.sameSite) ? old.sameSite : sameSite,
      expiresAt: attributes.contains(.expires) ? old.expiresAt : expiresAt)
  }

  /// Whether browsers take both for the same cookie (RFC 6265 section 5.3).
  public func takesThePlace(of other: WebViewCookie) -> Bool {
    name == other.name && domain == other.domain && path == other.path
  }

  /// The cookies that a project's apps set: its own replace those for all projects, and expired
  /// ones are left out.
  ///
  /// - Parameters:
  ///   - projectID: the project.
  ///   - cookies: those of every project.
  ///   - now: the time.
  /// - Returns: at most one for each name, domain and path, in that order.
  public static func cookies(
    of projectID: ProjectID, among cookies: [WebViewCookie], at now: Timestamp
  ) -> [WebViewCookie] {
    let own = cookies.filter { $0.projectID == projectID }
    return cookies.filter { cookie in
      let isMeant =
        cookie.projectID == projectID
        || (cookie.projectID == nil && !own.contains { $0.takesThePlace(of: cookie) })
      return isMeant && cookie.expiresAt.map { now < $0 } != false
    }
  }
}
