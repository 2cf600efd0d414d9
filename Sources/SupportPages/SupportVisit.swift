internal import API
internal import Domain
internal import Encoding
internal import Explain
internal import HTTPServer
internal import Store

/// One request for a support page, with its context and its language.
struct SupportVisit {
  let request: Request
  let context: RequestContext
  let language: Language

  init(_ request: Request, _ context: RequestContext) {
    self.request = request
    self.context = context
    language = request.language
  }

  var cookie: SessionCookie { SessionCookie(for: context.settings.publicURL) }

  /// The browser's session.
  ///
  /// - Throws: `SupportRefusal.signIn` if there is none or it has ended.
  func session() throws -> SupportSession {
    if let session = try sessionIfSignedIn() { return session }
    if case .nothing = cookie.presented(by: request) {
      throw SupportRefusal.signIn(hasEnded: false)
    }
    throw SupportRefusal.signIn(hasEnded: true)
  }

  /// The browser's session; nil if there is none or it has ended.
  func sessionIfSignedIn() throws -> SupportSession? {
    guard case .token(let token) = cookie.presented(by: request),
      let session = try context.reader().happenings.session(token), session.isValid(at: context.now)
    else { return nil }
    context.noteUse(of: session.key)
    return session
  }

  /// Answers an error of `work` with its page.
  func answer(_ work: () throws -> Response) -> Response {
    do {
      return try work()
    } catch {
      return SupportPages.page(of: error, self)
    }
  }

  /// Refuses a form that another site had the browser send (CWE-352), by its `Origin`.
  func checkOrigin() throws {
    guard request.method == .post else { return }
    let origins = request.headerValues("origin")
    guard let url = context.settings.publicURL else {
      throw SupportRefusal.page(403, SupportText.noPublicURL)
    }
    guard origins.count == 1, origins[0] == url.origin else {
      throw SupportRefusal.page(403, SupportText.foreignOrigin(url.origin))
    }
  }

  /// The fields of a form as browsers send it; unknown and repeated names are refused.
  ///
  /// The query of its address has to be empty, so that no secret is sent there.
  func form(_ known: [String]) throws -> [String: String] {
    _ = try query([])
    let type = request.header("content-type")?.prefix { $0 != ";" } ?? ""
    guard type.filter({ $0 != " " }).lowercased() == "application/x-www-form-urlencoded",
      !request.isEncoded
    else {
      throw SupportRefusal.page(415, SupportText.noForm)
    }
    if request.bodyTooLarge { throw SupportRefusal.page(413, SupportText.tooLarge) }
    guard let items = request.formItems() else {
      throw SupportRefusal.page(400, SupportText.badRequest)
    }
    return try distinct(items, known: known)
  }

  /// The parameters of the query; unknown and repeated names are refused.
  func query(_ known: [String]) throws -> [String: String] {
    guard let items = request.queryItems() else {
      throw SupportRefusal.page(400, SupportText.badRequest)
    }
    return try distinct(items, known: known)
  }

  private func distinct(
    _ items: [(name: String, value: String)], known: [String]
  ) throws -> [String: String] {
    var fields: [String: String] = [:]
    for (name, value) in items {
      guard known.contains(name), fields.updateValue(value, forKey: name) == nil else {
        throw SupportRefusal.page(400, SupportText.badRequest)
      }
    }
    return fields
  }
}

/// Why a support page is not shown.
enum SupportRefusal: Error {
  /// Nobody is signed in.
  case signIn(hasEnded: Bool)
  /// A page that says what is wrong, with its status.
  case page(Int, SupportText.Notice)
}
