internal import Domain
internal import Encoding
public import HTTPServer

/// The whole HTTP interface, one line a route.
extension LaunchService {
  /// The routes of the API's listener.
  ///
  /// - Parameters:
  ///   - pages: further routes, which follow those of the API.
  ///   - rejectPage: answers a request that is rejected on a page's path; nil for any other path.
  /// - Returns: the router.
  public static func router(
    adding pages: [Route<RequestContext>] = [],
    rejectPage: @escaping @Sendable (Problem, Request, RequestContext) -> Response? = { _, _, _ in
      nil
    }
  ) -> Router<RequestContext> {
    Router(
      [
        route(
          "/launch", bodyLimit: 16 * 1024, admitting: { try Launching.partner(of: $0, $1) },
          Launching.launch),
        route(
          "/launch/batch", bodyLimit: 256 * 1024, admitting: { try Launching.partner(of: $0, $1) },
          Launching.batch),
        promising(
          "/launch/revoke", bodyLimit: 16 * 1024,
          admitting: { try Launching.partner(of: $0, $1, allowsDisabledProject: true) },
          Launching.revoke),
        promising(
          "/verify", bodyLimit: 16 * 1024,
          admitting: { try $1.authenticate($0, scopes: [.verify], allowsDisabledProject: true) },
          Verifying.verify),
        Route.promising(
          .get, "/verify/forward-auth", allowsHead: false, answer: Verifying.forwardAuth),
        route(.get, "/whoami", About.whoami),
        .promising(.get, "/businesses") { request, context in
          context.reply(request) { try Catalog.businesses(request, context) }
        },
        route(.get, "/businesses/{business_id}", Catalog.business),
        route(.get, "/categories", Catalog.categories),
        route(.get, "/pages", Catalog.pages),
        route(.get, "/web-version", WebView.version),
        route(.get, "/webview-settings", WebView.settings),
        route(.get, "/problems/{code}", About.problem),
        route(.get, "/openapi.yaml", About.openAPI),
      ] + pages,
      reject: { rejection, request, context in
        let problem = Problem(rejection)
        context.noteProblem(problem.code)
        return Verifying.refusal(of: request, for: problem)
          ?? rejectPage(problem, request, context) ?? problem.response(requestID: request.id)
      })
  }

  /// The routes of the operations listener.
  ///
  /// - Returns: the router.
  static func operationsRouter() -> Router<RequestContext> {
    Router(
      [
        route(.get, "/healthz", Operations.health),
        route(.get, "/readyz", Operations.readiness),
        route(.get, "/metrics", Operations.metrics),
      ],
      reject: { rejection, request, _ in Problem(rejection).response(requestID: request.id) })
  }

  private static func route(
    _ method: Method, _ pattern: String,
    _ work: @escaping @Sendable (Request, RequestContext) throws -> Response
  ) -> Route<RequestContext> {
    Route(method, pattern) { request, context in
      context.answer(request) { try work(request, context) }
    }
  }

  /// A POST route, which keeps the body only if `check` admits the request by its head; `work` checks again, since
  /// a key may be revoked while the body arrives.
  private static func route<Admitted>(
    _ pattern: String, bodyLimit: Int,
    admitting check: @escaping @Sendable (Request, RequestContext) throws -> Admitted,
    _ work: @escaping @Sendable (Request, RequestContext) throws -> Response
  ) -> Route<RequestContext> {
    Route(
      .post, pattern, bodyLimit: bodyLimit,
      admission: { request, context in
        context.refusal(of: request) { _ = try check(request, context) }
      }
    ) { request, context in
      context.answer(request) { try work(request, context) }
    }
  }

  /// A POST route as above whose answer may be promised.
  private static func promising<Admitted>(
    _ pattern: String, bodyLimit: Int,
    admitting check: @escaping @Sendable (Request, RequestContext) throws -> Admitted,
    _ work: @escaping @Sendable (Request, RequestContext) throws -> Reply
  ) -> Route<RequestContext> {
    .promising(
      .post, pattern, bodyLimit: bodyLimit,
      admission: { request, context in
        context.refusal(of: request) { _ = try check(request, context) }
      }
    ) { request, context in
      context.reply(request) { try work(request, context) }
    }
  }
}
