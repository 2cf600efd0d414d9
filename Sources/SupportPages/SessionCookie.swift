internal import Domain
internal import HTTPServer

/// The cookie that holds a session's id (RFC 6265 section 4.1).
struct SessionCookie {
  private let name: String
  private let attributes: String

  /// Chooses a name and attributes that browsers accept at this address.
  ///
  /// `__Host-` binds the cookie to this host and to TLS; without TLS browsers reject a cookie of such a name.
  init(for url: PublicURL?) {
    let isSecure = url?.isSecure ?? true
    name = isSecure ? "__Host-launchlink" : "launchlink-session"
    attributes = "; Path=/; HttpOnly; SameSite=Lax" + (isSecure ? "; Secure" : "")
  }

  /// The value of `Set-Cookie` that keeps a new session for `seconds`.
  func setting(_ token: SessionToken, for seconds: Int) -> String {
    "\(name)=\(token.secret)\(attributes); Max-Age=\(seconds)"
  }

  /// The value of `Set-Cookie` that removes the session.
  var removing: String { "\(name)=\(attributes); Max-Age=0" }

  /// What the browser sent as the cookie.
  enum Presented {
    case nothing
    case token(SessionToken)
    /// Not a session's id, or several: another site of the domain may have set one.
    case nonsense
  }

  func presented(by request: Request) -> Presented {
    let pairs = request.headerValues("cookie").flatMap { $0.split(separator: ";") }
    let values = pairs.compactMap { pair -> Substring? in
      let parts = pair.drop { $0 == " " }.split(
        separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return parts.count == 2 && parts[0] == name ? parts[1] : nil
    }
    guard !values.isEmpty else { return .nothing }
    guard values.count == 1, let token = SessionToken(String(values[0])) else { return .nonsense }
    return .token(token)
  }
}
