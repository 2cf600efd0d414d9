public import API
internal import Domain
internal import Encoding
internal import Explain
public import HTTPServer
internal import Store

/// What all support pages have in common (docs/security.md, "The support pages").
public enum SupportPages {
  static let home = "/support"
  static let signIn = "/support/sign-in"

  /// Bodies of forms, in bytes; a pasted launch grows threefold when a browser encodes it.
  static let smallForm = 4 * 1024
  static let pasteForm = 4 * Explainer.sizeLimit

  /// Answers what the server rejects on one of the pages.
  ///
  /// - Parameters:
  ///   - problem: what is wrong.
  ///   - request: the request.
  ///   - context: its context.
  /// - Returns: the page; nil if the path is not one of the pages'.
  @Sendable
  public static func reject(
    _ problem: Problem, _ request: Request, _ context: RequestContext
  ) -> Response? {
    let path = request.path
    guard path == home || path.hasPrefix(home + "/") else { return nil }
    return problemPage(of: problem, SupportVisit(request, context))
  }

  /// Runs the work of a request, and answers an error with its page.
  static func answer(
    _ request: Request, _ context: RequestContext, _ work: (SupportVisit) throws -> Response
  ) -> Response {
    let visit = SupportVisit(request, context)
    return visit.answer {
      try visit.checkOrigin()
      return try work(visit)
    }
  }

  /// Runs the work of a request that may promise its answer, and answers an error with its page.
  static func reply(
    _ request: Request, _ context: RequestContext, _ work: (SupportVisit) throws -> Reply
  ) -> Reply {
    let visit = SupportVisit(request, context)
    do {
      try visit.checkOrigin()
      return try work(visit)
    } catch {
      return .now(page(of: error, visit))
    }
  }

  /// The page of an error.
  static func page(of error: any Error, _ visit: SupportVisit) -> Response {
    switch error {
    case SupportRefusal.signIn(let hasEnded):
      return SignInPage.redirect(visit, hasEnded: hasEnded)
    case SupportRefusal.page(let status, let problem):
      return problemPage(status, problem, visit)
    default:
      return problemPage(of: visit.context.problem(of: error, in: visit.request), visit)
    }
  }

  /// The answer that refuses a form by its head; nil to keep its body.
  static func refusal(
    of request: Request, _ context: RequestContext, _ check: (SupportVisit) throws -> Void
  ) -> Response? {
    var isAdmitted = false
    let response = answer(request, context) { visit in
      try check(visit)
      isAdmitted = true
      return Response(status: 204)
    }
    return isAdmitted ? nil : response
  }

  /// The page that shows a problem of the API.
  static func problemPage(of problem: Problem, _ visit: SupportVisit) -> Response {
    let status = problem.code.status
    let words: SupportText.Notice =
      switch problem.code {
      case .notFound: SupportText.notFound
      case .methodNotAllowed: SupportText.wrongMethod
      case .unavailable: SupportText.unavailable
      case .internal: SupportText.internalFault
      default: SupportText.badRequest
      }
    var response = problemPage(status, words, visit)
    response.headers += problem.headers.filter { $0.name == "Retry-After" }
    return response
  }

  static func problemPage(
    _ status: Int, _ problem: SupportText.Notice, _ visit: SupportVisit
  ) -> Response {
    let language = visit.language
    let content: HTML = """
      <section class="notice-page">
      <p class="status-code">\(status)</p>
      <h1>\(problem.title[language])</h1>
      <p class="lead">\(problem.detail[language])</p>
      <p><a class="button" href="\(home)">\(SupportText.backToSearch[language])</a></p>
      <p class="quiet">\(SupportText.requestID[language]) <code>\(visit.request.id)</code></p>
      </section>
      """
    let page = SupportPage(title: problem.title, content: content, session: nil)
    return page.response(visit, status: status)
  }

  /// Redirects the browser to another page by GET (RFC 9110 section 15.4.4).
  static func redirect(
    to path: String, headers: [(name: String, value: String)] = []
  ) -> Response {
    Response(status: 303, headers: [("Location", path)] + self.headers + headers)
  }

  /// The headers of every answer: the browser runs and shows nothing that is not ours.
  ///
  /// `same-origin` rather than `no-referrer`: both tell other sites nothing, but under the latter browsers send
  /// `Origin: null` with our own forms (Fetch section 3.2, "append a request Origin header"), as they do with
  /// forged ones.
  static let headers: [(name: String, value: String)] = [
    ("Cache-Control", "no-store"),
    (
      "Content-Security-Policy",
      "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; "
        + "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
    ),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Referrer-Policy", "same-origin"),
    ("X-Content-Type-Options", "nosniff"),
  ]
}
