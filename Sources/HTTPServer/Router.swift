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

  /// The method and the pattern of each route, in the order of the table.
  public var lines: [(method: Method, pattern: String)] { routes.map { ($0.method, $0.pattern) } }

  /// Answers a request made from plain values, as a server would.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - context: What the routes work with.
  /// - Returns: The answer. One to `HEAD` still has its body; the server leaves it out.
  public func respond(to request: Request, context: Context) -> Response {
    let handler = handler(context: context)
    let limit = handler.prepare(request)
    request.bodyTooLarge = request.body.count > limit
    request.hasUnseenBody = request.bodyTooLarge
    if request.bodyTooLarge { request.body = [] }
    return handler.respond(to: request)
  }

  /// Makes what answers the requests of one worker thread.
  ///
  /// - Parameter context: What the routes work with on that thread.
  /// - Returns: The handler.
  public func handler(context: Context) -> any Handler {
    RouterHandler(
      table: table, limits: routes.map(\.bodyLimit),
      admissions: routes.map { route in
        route.admission.map { admission in { request in admission(request, context) } }
      },
      answers: routes.map { route in { request in route.answer(request, context) } },
      problem: { [problem] reason, request in problem(reason, request, context) })
  }
}

/// A router bound to one worker's context; not generic, which spares each request the look-ups that
/// generic code makes.
private final class RouterHandler: Handler {
  private let table: RouteTable
  private let limits: [Int]
  private let admissions: [((Request) -> Response?)?]
  private let answers: [(Request) -> Response]
  private let problem: (Problem, Request) -> Response

  init(
    table: RouteTable, limits: [Int], admissions: [((Request) -> Response?)?],
    answers: [(Request) -> Response], problem: @escaping (Problem, Request) -> Response
  ) {
    self.table = table
    self.limits = limits
    self.admissions = admissions
    self.answers = answers
    self.problem = problem
  }

  func prepare(_ request: Request) -> Int {
    request.match = table.match(request)
    return request.match.map { limits[$0.index] } ?? 0
  }

  func admit(_ request: Request) -> Response? {
    request.match.flatMap { admissions[$0.index]?(request) }
  }

  func respond(to request: Request) -> Response {
    if let index = request.match?.index { return answers[index](request) }
    let allow = table.methods(for: request)
    return refuse(request, for: allow.isEmpty ? .notFound : .methodNotAllowed(allow: allow))
  }

  func refuse(_ request: Request, for reason: Problem) -> Response {
    var response = problem(reason, request)
    if case .methodNotAllowed(let allow) = reason, response.header("Allow") == nil {
      response.headers.append(("Allow", allow))
    }
    return response
  }
}
