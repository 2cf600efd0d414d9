/// A table of routes and what answers where no route does.
public struct Router<Context>: Sendable {
  /// Writes the answer where no route answers; the status is ``Problem/status`` by custom.
  public typealias Refusal =
    @Sendable (
      _ problem: Problem, _ request: Request, _ context: Context
    ) -> Response

  private let routes: [Route<Context>]
  private let table: RouteTable
  private let problem: Refusal

  /// Makes a router.
  ///
  /// - Parameters:
  ///   - routes: The table.
  ///   - problem: Writes the answer where no route answers.
  /// - Throws: ``RouteError`` when a pattern is malformed or a route could never be reached.
  public init(_ routes: [Route<Context>], problem: @escaping Refusal) throws(RouteError) {
    self.routes = routes
    self.problem = problem
    table = try RouteTable(
      routes.map { ($0.method, $0.pattern, answersHead: $0.method == .get && $0.allowsHead) })
  }

  /// Answers a request made from plain values, as a server would.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - context: What the routes work with.
  /// - Returns: The answer. One to `HEAD` still has its body; the server leaves it out.
  public func respond(to request: Request, context: Context) -> Response {
    let limit = prepare(request)
    request.bodyTooLarge = request.body.count > limit
    request.body.removeLast(max(0, request.body.count - limit))
    return answer(request, context: context)
  }

  /// Makes what answers the requests of one worker thread.
  ///
  /// - Parameter context: What the routes work with on that thread.
  /// - Returns: The handler.
  public func handler(context: Context) -> any Handler {
    RouterHandler(router: self, context: context)
  }

  func prepare(_ request: Request) -> Int {
    request.match = table.match(request)
    return request.match.map { routes[$0.index].bodyLimit } ?? 0
  }

  func answer(_ request: Request, context: Context) -> Response {
    guard let match = request.match else { return refuse(request, context: context) }
    return routes[match.index].answer(request, context)
  }

  func refuse(_ request: Request, for reason: Problem, context: Context) -> Response {
    var response = problem(reason, request, context)
    if case .methodNotAllowed(let allow) = reason, response.header("Allow") == nil {
      response.headers.append(("Allow", allow))
    }
    return response
  }

  private func refuse(_ request: Request, context: Context) -> Response {
    let allow = table.methods(for: request)
    let reason: Problem = allow.isEmpty ? .notFound : .methodNotAllowed(allow: allow)
    return refuse(request, for: reason, context: context)
  }
}

/// A router together with one worker's context.
private struct RouterHandler<Context>: Handler {
  let router: Router<Context>
  let context: Context

  func prepare(_ request: Request) -> Int { router.prepare(request) }

  func respond(to request: Request) -> Response { router.answer(request, context: context) }

  func refuse(_ request: Request, for problem: Problem) -> Response {
    router.refuse(request, for: problem, context: context)
  }
}
