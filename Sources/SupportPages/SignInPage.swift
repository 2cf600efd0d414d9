internal import API
internal import Domain
internal import Encoding
internal import Explain
internal import HTTPServer
internal import Store

/// The sign-in to the support pages, and the sign-out.
enum SignInPage {
  static let outPath = "/support/sign-out"

  /// Why a key does not sign in; the raw value is a parameter of the address that shows it.
  private enum Refusal: String {
    case missing
    case mistyped
    case unknown
    case revoked
    case expired
    case scope

    /// The reason for the API's `code`; nil if the code is not about the key.
    init?(_ code: ProblemCode) {
      switch code {
      case .invalidAPIKey: self = .unknown
      case .revokedAPIKey: self = .revoked
      case .expiredAPIKey: self = .expired
      case .insufficientScope: self = .scope
      default: return nil
      }
    }

    var words: Wording {
      switch self {
      case .missing: SupportText.missingKey
      case .mistyped: SupportText.mistypedKey
      case .unknown: SupportText.unknownKey
      case .revoked: SupportText.revokedKey
      case .expired: SupportText.expiredKey
      case .scope: SupportText.wrongScope
      }
    }
  }

  static func show(_ visit: SupportVisit) throws -> Response {
    let fields = try visit.query(["next", "ended", "out", "fault"])
    if try visit.sessionIfSignedIn() != nil { return SupportPages.redirect(to: SupportPages.home) }
    let notice =
      fields["ended"] != nil
      ? SupportText.sessionEnded(after: visit.context.settings.sessionSeconds)
      : fields["out"] != nil ? SupportText.signedOut : nil
    return form(
      visit, next: fields["next"], notice: notice, fault: fields["fault"].flatMap(Refusal.init))
  }

  static func submit(_ visit: SupportVisit) throws -> Reply {
    let fields = try visit.form(["api_key", "next"])
    let next = fields["next"]
    let text = (fields["api_key"] ?? "").trimmingBlanks
    guard !text.isEmpty else { return .now(refusal(.missing, next: next)) }
    guard let secret = APIKeySecret(text) else { return .now(refusal(.mistyped, next: next)) }
    let partner: Partner
    do {
      partner = try visit.context.authenticate(secret, scopes: [.support])
    } catch let problem as Problem {
      guard let reason = Refusal(problem.code) else { throw problem }
      visit.context.noteProblem(problem.code)
      return .now(refusal(reason, next: next))
    }
    // A new id at each sign-in, so that one planted in the browser beforehand stays worthless (CWE-384).
    let token = visit.context.makeSessionToken()
    var old: SessionToken?
    if case .token(let presented) = visit.cookie.presented(by: visit.request) { old = presented }
    let seconds = visit.context.settings.sessionSeconds
    let session = Happening<Void>.beginSession(
      token, of: partner.key.id, seconds: seconds, replacing: old)
    return .later(
      visit.context.promise(recording: session) { begun in
        visit.answer {
          do {
            try begun.get()
          } catch let failure as UncertainWrite
            where (failure.cause as? StoreError)?.kind == .notFound
          {
            return refusal(.unknown, next: next)
          }
          return SupportPages.redirect(
            to: safePath(next) ?? SupportPages.home,
            headers: [("Set-Cookie", visit.cookie.setting(token, for: seconds))])
        }
      })
  }

  static func signOut(_ visit: SupportVisit) throws -> Reply {
    let signedOut = SupportPages.redirect(
      to: SupportPages.signIn + "?out", headers: [("Set-Cookie", visit.cookie.removing)])
    guard case .token(let token) = visit.cookie.presented(by: visit.request) else {
      return .now(signedOut)
    }
    return .later(
      visit.context.promise(recording: .endSession(token)) { ended in
        visit.answer {
          try ended.get()
          return signedOut
        }
      })
  }

  /// Redirects to the sign-in, which leads back to the requested page.
  static func redirect(_ visit: SupportVisit, hasEnded: Bool) -> Response {
    var parameters = hasEnded ? ["ended"] : []
    let request = visit.request
    if request.method == .get || request.method == .head,
      request.path != SupportPages.home
        || request.query != nil
    {
      let target = request.path + (request.query.map { "?" + $0 } ?? "")
      parameters.append("next=" + target.percentEncoded)
    }
    return SupportPages.redirect(
      to: address(parameters),
      headers: hasEnded ? [("Set-Cookie", visit.cookie.removing)] : [])
  }

  /// The path if it is one of these pages, so that a link cannot lead elsewhere through the sign-in (CWE-601).
  static func safePath(_ path: String?) -> String? {
    guard let path, path.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), path.utf8.count <= 2048,
      path == SupportPages.home || path.hasPrefix(SupportPages.home + "/")
        || path.hasPrefix(SupportPages.home + "?")
    else { return nil }
    // A segment of dots, also encoded or behind a backslash, leads a browser out of the support pages.
    let way = path.prefix { $0 != "?" && $0 != "#" }
    let segments = way.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    guard !way.contains("%"), !way.contains("\\"),
      !segments.contains(where: { ["", ".", ".."].contains($0) })
    else { return nil }
    return path
  }

  /// Redirects to the form, so that reloading the page does not send the key again.
  private static func refusal(_ reason: Refusal, next: String?) -> Response {
    let back = safePath(next).map { ["next=" + $0.percentEncoded] } ?? []
    return SupportPages.redirect(to: address(["fault=" + reason.rawValue] + back))
  }

  private static func address(_ parameters: [String]) -> String {
    SupportPages.signIn + (parameters.isEmpty ? "" : "?" + parameters.joined(separator: "&"))
  }

  private static func form(
    _ visit: SupportVisit, next: String?, notice: Wording?, fault: Refusal?
  ) -> Response {
    let language = visit.language
    let said = notice.map { words -> HTML in
      "<p class=\"notice\" role=\"status\">\(words[language])</p>"
    }
    let refused = fault.map { fault -> HTML in
      "<p class=\"error\" id=\"key-error\" role=\"alert\">\(fault.words[language])</p>"
    }
    let lasting = SupportText.signInDone(for: visit.context.settings.sessionSeconds)
    let invalid: HTML = fault == nil ? "" : " aria-invalid=\"true\""
    let describedBy = fault == nil ? "key-hint" : "key-error key-hint"
    let hidden = safePath(next).map { path -> HTML in
      "<input type=\"hidden\" name=\"next\" value=\"\(path)\">"
    }
    let content: HTML = """
      <section class="card sign-in">
      <h1>\(SupportText.signIn[language])</h1>
      <p class="lead">\(SupportText.signInLead[language])</p>
      \(said)
      <form method="post" action="\(SupportPages.signIn)">
      \(hidden)
      <label for="api-key">\(SupportText.apiKey[language])</label>
      \(refused)
      <input id="api-key" name="api_key" type="password" autocomplete="current-password" spellcheck="false" autocapitalize="none" required autofocus aria-describedby="\(describedBy)"\(invalid)>
      <p class="hint" id="key-hint">\(SupportText.apiKeyHint[language])</p>
      <button class="button wide">\(SupportText.signIn[language])</button>
      </form>
      <p class="quiet">\(lasting[language])</p>
      </section>
      """
    return SupportPage(title: SupportText.signIn, content: content, session: nil)
      .response(visit)
  }
}

extension String {
  /// The text without white space at its ends, which a paste may bring along.
  var trimmingBlanks: String {
    var text = self[...]
    while text.first?.isWhitespace == true { text.removeFirst() }
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }
}
