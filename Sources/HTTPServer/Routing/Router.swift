/// A table of routes, and what answers when no route does.
public struct Router<Context>: Sendable {
  /// Writes the answer when no route answers, with the status ``Rejection/status``.
  public typealias Reject =
    @Sendable (
      _ rejection: Rejection, _ request: Request, _ context: Context
    ) -> Response

  private let routes: [Route<Context>]
  private let table: RouteTable
  private let reject: Reject

  /// Makes a router.
  ///
  /// - Parameters:
  ///   - routes: The table. A malformed pattern ends the program; of two routes for the same requests the first
  ///     one answers.
  ///   - reject: Writes the answer when no route answers.
  public init(_ routes: [Route<Context>], reject: @escaping Reject) {
    self.routes = routes
    self.reject = reject
    table = RouteTable(
      routes.map { ($0.method, $0.pattern, answersHead: $0.method == .get && $0.allowsHead) })
  }

  /// The method and the pattern of each route, in the order of the table.
  public var lines: [(method: Method, pattern: String)] { routes.map { ($0.method, $0.pattern) } }

  /// Makes what answers the requests of one event loop.
  ///
  /// - Parameters:
  ///   - makeContext: Makes what belongs to one request, when the work on it begins. A request that is refused by
  ///     its head and one that is answered have one context each; one that is admitted by its head gets another
  ///     once its body has arrived.
  ///   - finish: Called with each request and its answer, just before that is sent, on the loop's thread; where the
  ///     answer was promised, also if the client has left.
  /// - Returns: The handler.
  public func handler(
    makeContext: @escaping () -> Context,
    finish: @escaping (Request, Response, Context) -> Void = { _, _, _ in }
  ) -> any Handler {
    RouterHandler(
      table: table, limits: routes.map(\.bodyLimit),
      admissions: routes.map { route in
        route.admission.map { admission in
          { request in
            let context = makeContext()
            guard let refusal = admission(request, context) else { return nil }
            finish(request, refusal, context)
            return refusal
          }
        }
      },
      lines: routes.map { route in
        switch route.work {
        case .answer(let answer):
          BoundRoute { request in
            let context = makeContext()
            let response = answer(request, context)
            finish(request, response, context)
            return .now(response)
          }
        case .promise(let answer):
          BoundRoute { request in
            let context = makeContext()
            let reply = answer(request, context)
            switch reply {
            case .now(let response): finish(request, response, context)
            case .later(let promise): promise.whenAnswered { finish(request, $0, context) }
            }
            return reply
          }
        }
      },
      reject: { [reject] rejection, request in
        let context = makeContext()
        var response = reject(rejection, request, context)
        if case .methodNotAllowed(let allow) = rejection, response.header("Allow") == nil {
          response.headers.append(("Allow", allow))
        }
        finish(request, response, context)
        return response
      })
  }
}

/// What replies to the requests of a route; a structure, since a closure is called by way of another where it stands in
/// an array by itself.
private struct BoundRoute {
  let reply: (Request) -> Reply
}

/// A router bound to one event loop; not generic, since generic code makes look-ups for each request.
private final class RouterHandler: Handler {
  private let table: RouteTable
  private let limits: [Int]
  private let admissions: [((Request) -> Response?)?]
  private let lines: [BoundRoute]
  private let reject: (Rejection, Request) -> Response

  init(
    table: RouteTable, limits: [Int], admissions: [((Request) -> Response?)?],
    lines: [BoundRoute], reject: @escaping (Rejection, Request) -> Response
  ) {
    self.table = table
    self.limits = limits
    self.admissions = admissions
    self.lines = lines
    self.reject = reject
  }

  func prepare(_ request: Request) -> Int {
    request.match = table.match(request)
    return request.match.map { limits[$0.index] } ?? 0
  }

  func admit(_ request: Request) -> Response? {
    request.match.flatMap { admissions[$0.index]?(request) }
  }

  func respond(to request: Request) -> Reply {
    if let index = request.match?.index { return lines[index].reply(request) }
    let allow = table.methods(for: request)
    return .now(reject(request, for: allow.isEmpty ? .notFound : .methodNotAllowed(allow: allow)))
  }

  func reject(_ request: Request, for rejection: Rejection) -> Response {
    reject(rejection, request)
  }
}
