internal import Encoding
public import HTTPServer
internal import Domain
internal import Store

/// The whole of the HTTP interface, a line a route.
extension LaunchService {
  /// The routes of the API's listener.
  ///
  /// - Returns: the router, whose context is `makeWorker()`'s.
  /// - Throws: `RouteError` where two routes are in each other's way, which a test rules out.
  public static func router() throws(RouteError) -> Router<Worker> {
    try Router(
      [
        route(
          "/launch", bodyLimit: 16 * 1024, admitting: { try Launching.admit($0, $1) },
          Launching.launch),
        route(
          "/launch/batch", bodyLimit: 256 * 1024, admitting: { try Launching.admit($0, $1) },
          Launching.batch),
        route(
          "/launch/revoke", bodyLimit: 16 * 1024,
          admitting: { try Launching.admit($0, $1, allowsDisabledProject: true) }, Launching.revoke),
        route(
          "/verify", bodyLimit: 16 * 1024,
          admitting: { try $1.authenticate($0, scopes: [.verify], allowsDisabledProject: true) },
          Verifying.verify),
        Route(.get, "/verify/forward-auth", allowsHead: false) { request, worker in
          worker.takeOverSettings()
          return Verifying.forwardAuth(request, worker)
        },
        route(.get, "/whoami", Describing.whoami),
        route(.get, "/businesses", Catalog.businesses),
        route(.get, "/businesses/{business_id}", Catalog.business),
        route(.get, "/categories", Catalog.categories),
        route(.get, "/pages", Catalog.pages),
        route(.get, "/web-version", WebView.version),
        route(.get, "/webview-settings", WebView.settings),
        route(.get, "/problems/{code}", Describing.problem),
        route(.get, "/openapi.yaml", Describing.openAPI),
        page(.get, Support.home, Search.show),
        page(.get, Support.signIn, SignIn.show),
        form(Support.signIn, bodyLimit: Support.smallForm, SignIn.submit),
        form(SignIn.outPath, bodyLimit: Support.smallForm, SignIn.signOut),
        page(.get, "/support/businesses/{business_id}", BusinessDetails.show),
        page(.get, Explain.path, Explain.show),
        form(
          Explain.path, bodyLimit: Support.pasteForm, admitting: { try $0.session() },
          Explain.submit),
        page(.get, Statistics.path, Statistics.show),
        page(.get, "/support/assets/{name}", SupportAssets.show),
      ], problem: refusal)
  }

  /// The routes of the operations listener.
  ///
  /// - Returns: the router, whose context is `makeWorker()`'s.
  /// - Throws: `RouteError` where two routes are in each other's way, which a test rules out.
  public static func operationsRouter() throws(RouteError) -> Router<Worker> {
    try Router(
      [
        route(.get, "/healthz", Operations.health),
        route(.get, "/readyz", Operations.readiness),
        route(.get, "/metrics", Operations.metrics),
      ], problem: refusal)
  }

  private static func route(
    _ method: Method, _ pattern: String,
    _ work: @escaping @Sendable (Request, Worker) throws -> Response
  ) -> Route<Worker> {
    Route(method, pattern) { request, worker in
      worker.takeOverSettings()
      return worker.answer(request) { try work(request, worker) }
    }
  }

  /// A POST, whose body is kept only for those whom `check` admits by its head; `work` checks the same
  /// again, since a key may be revoked while the body comes.
  private static func route<Admitted>(
    _ pattern: String, bodyLimit: Int,
    admitting check: @escaping @Sendable (Request, Worker) throws -> Admitted,
    _ work: @escaping @Sendable (Request, Worker) throws -> Response
  ) -> Route<Worker> {
    Route(
      .post, pattern, bodyLimit: bodyLimit,
      admission: { request, worker in
        worker.takeOverSettings()
        return worker.refusal(of: request) { _ = try check(request, worker) }
      }
    ) { request, worker in
      worker.takeOverSettings()
      return worker.answer(request) { try work(request, worker) }
    }
  }

  private static func page(
    _ method: Method, _ pattern: String,
    _ work: @escaping @Sendable (SupportVisit) throws -> Response
  ) -> Route<Worker> {
    Route(method, pattern) { request, worker in
      worker.takeOverSettings()
      return Support.answer(request, worker, work)
    }
  }

  /// A form, which is kept only where it comes from these pages and from whom `check` admits.
  private static func form<Admitted>(
    _ pattern: String, bodyLimit: Int,
    admitting check: @escaping @Sendable (SupportVisit) throws -> Admitted = { _ in },
    _ work: @escaping @Sendable (SupportVisit) throws -> Response
  ) -> Route<Worker> {
    Route(
      .post, pattern, bodyLimit: bodyLimit,
      admission: { request, worker in
        worker.takeOverSettings()
        return Support.refusal(of: request, worker) { _ = try check($0) }
      }
    ) { request, worker in
      worker.takeOverSettings()
      return Support.answer(request, worker, work)
    }
  }

  private static let refusal: Router<Worker>.Refusal = { problem, request, worker in
    let problem = APIProblem(problem)
    worker.note.problem = problem.code
    if let refusal = Verifying.refusal(of: request, for: problem) { return refusal }
    guard Support.isSupport(request) else { return problem.response(requestID: request.id) }
    worker.takeOverSettings()
    return Support.problemPage(of: problem, SupportVisit(request, worker))
  }
}

extension Worker {
  /// Does the work of a request and turns what it throws into a problem.
  func answer(_ request: Request, _ work: () throws -> Response) -> Response {
    do {
      return try work()
    } catch {
      return problem(of: error, in: request).response(requestID: request.id)
    }
  }

  /// The answer to a request that a check refuses; nil where it does not.
  func refusal(of request: Request, _ check: () throws -> Void) -> Response? {
    do {
      try check()
      return nil
    } catch {
      return problem(of: error, in: request).response(requestID: request.id)
    }
  }

  /// What the caller is told of an error; faults that are not the caller's go to the operator.
  func problem(of error: any Error, in request: Request) -> APIProblem {
    let problem = translated(error, in: request)
    note.problem = problem.code
    return problem
  }

  private func translated(_ error: any Error, in request: Request) -> APIProblem {
    switch error {
    case let problem as APIProblem:
      return problem
    case let faults as Faults:
      return APIProblem(faults)
    case let error as UnknownUpstream:
      report(
        StoreError(
          .unusable,
          "the project's upstream \(error.name) is not configured; there are "
            + error.known.joined(separator: ", ")), in: request)
      return .unavailable
    case let error as StoreError:
      meter.count(storeError: error.kind)
      // A database that was moved or replaced is found again by opening it anew.
      closeReader()
      report(error, in: request)
      return .unavailable
    default:
      report(error, in: request)
      return .internal
    }
  }
}

extension APIProblem {
  fileprivate init(_ problem: HTTPServer.Problem) {
    switch problem {
    case .malformedRequest(let reason):
      self.init(.invalidRequest, reason)
    case .headersTooLarge(let limit):
      self.init(
        .headersTooLarge,
        "The request's head is over \(limit) bytes, or has too many headers and cookies. Send fewer or "
          + "shorter ones.")
    case .notFound:
      self.init(.notFound, "There is nothing at this path. GET /openapi.yaml lists what there is.")
    case .methodNotAllowed(let allow):
      self.init(.methodNotAllowed, "This path does not take that method. It takes: \(allow).")
    case .internalFault:
      self = .internal
    case .outOfBodyMemory:
      self.init(
        .unavailable,
        "The server holds as many bodies of requests as it may. Try again in a moment.")
    case .overloaded:
      self.init(
        .unavailable, "There are more requests than the server can answer. Try again in a moment.")
    }
  }

  static let unavailable = APIProblem(
    .unavailable, "The server cannot answer now. Try again in a moment.")
  static let `internal` = APIProblem(
    .internal, "Something went wrong here. Try again; tell the operator the request id if it stays."
  )
}
