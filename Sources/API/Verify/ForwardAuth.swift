internal import Domain
internal import Encoding
internal import HTTPServer
internal import JSON
internal import Observability
internal import Store

/// `GET /verify/forward-auth`.
extension Verifying {
  private static let forwardAuthPath = "/verify/forward-auth"

  /// The answer to a gateway whose request the server itself rejects: 403, since the fault may be the client's, and
  /// a gateway takes any status but 401 and 403 for a server error.
  static func refusal(of request: Request, for problem: Problem) -> Response? {
    guard problem.code.status < 500, request.method == .get, request.path == forwardAuthPath else {
      return nil
    }
    return refusal(403, code: problem.code.rawValue, detail: problem.detail)
  }

  /// Answers a gateway: 204 with the headers to set upstream, 401 for a refused bundle, 403 for a refused gateway.
  ///
  /// `Authorization` is the gateway's own; every other header belongs to the request to verify.
  static func forwardAuth(_ request: Request, _ context: RequestContext) -> Reply {
    do {
      let partner = try context.authenticate(
        request, scopes: [.verify], allowsDisabledProject: true)
      try request.refuseQuery()
      return context.use(try judge(request, context, for: partner), for: partner) { final in
        do {
          return try answer(final.get(), context)
        } catch {
          return answer(error, request, context)
        }
      }
    } catch {
      return .now(answer(error, request, context))
    }
  }

  /// The answer to a fault of the request or of the server.
  private static func answer(
    _ error: any Error, _ request: Request, _ context: RequestContext
  ) -> Response {
    let problem = context.problem(of: error, in: request)
    guard problem.code.status < 500 else { return problem.response(requestID: request.id) }
    return refusal(403, code: problem.code.rawValue, detail: problem.detail)
  }

  /// The verdict on the forwarded request, its use left out.
  private static func judge(
    _ request: Request, _ context: RequestContext, for partner: Partner
  ) throws -> Verdict {
    let judge = try Judge(context, for: partner)
    var plain: Verdict?
    try request.withHeaders { headers in
      guard let bundle = PlainBundle(forwarded: headers) else { return }
      plain = try judge.verdict(on: bundle, usesUp: true)
    }
    return try plain ?? judge.verdict(on: forwarded(request), usesUp: true)
  }

  /// The answer to a verdict that is final.
  private static func answer(_ verdict: Verdict, _ context: RequestContext) throws -> Response {
    context.note(verdict)
    switch verdict {
    case .invalid(let code, let detail):
      return refusal(401, code: code.rawValue, detail: detail)
    case .valid(let launch):
      let credentials = launch.credentials
      guard
        let webAPIKey = try credentials.webAPIKey
          ?? context.reader().knowledge.webAPIKey(of: launch.projectID)
      else {
        throw StoreError(.unavailable, "the project \(launch.projectID) has just been deleted")
      }
      var response = Response(status: 204)
      response.headers.reserveCapacity(5)
      response.headers.append(("x-moment-project-id", credentials.projectText))
      response.headers.append(("x-moment-user-id", launch.userID))
      response.headers.append(("x-moment-platform", launch.platform.rawValue))
      response.headers.append(("x-moment-web-api-key", webAPIKey))
      response.headers.append(("Cache-Control", "no-store"))
      return response
    }
  }

  /// Gateways drop the body, so a header has the code, too.
  private static func refusal(_ status: Int, code: String, detail: String) -> Response {
    var response = Response.json(
      ["code": .string(code), "detail": .string(detail)], caching: .none)
    response.status = status
    response.headers.append(("x-launch-code", code))
    return response
  }

  /// The request to verify, composed from the headers in one pass.
  private static func forwarded(_ request: Request) throws -> SignedRequest {
    var methods: [String] = []
    var hosts: [String] = []
    var targets: [String] = []
    var headers: [(name: String, value: String)] = []
    for header in request.headers {
      if isWord("x-forwarded-method", header.name) {
        methods.append(header.value)
      } else if isWord("x-forwarded-host", header.name) {
        hosts.append(header.value)
      } else if isWord("x-forwarded-uri", header.name) {
        targets.append(header.value)
      } else if !isWord("authorization", header.name) {
        headers.append(header)
      }
    }
    let method = try onlyValue(methods, of: "x-forwarded-method", isName)
    // No character may end the host early, or the client could choose the rest of the URL.
    let host = try onlyValue(hosts, of: "x-forwarded-host") { text in
      text.utf8.allSatisfy { isNameByte($0) || "[]:.".utf8.contains($0) }
    }
    let target = try onlyValue(targets, of: "x-forwarded-uri") { text in
      text.utf8.first == UInt8(ascii: "/") && text.isVisibleASCII
    }
    guard
      let signed = SignedRequest(method: method, url: "https://\(host)\(target)", headers: headers)
    else { throw unusable("x-forwarded-host") }
    return signed
  }

  /// The value of a header that the gateway sets, exactly once: a second could be the client's own.
  private static func onlyValue(
    _ values: [String], of name: String, _ isUsable: (String) -> Bool
  ) throws -> String {
    guard values.count == 1, let value = values.first, !value.isEmpty,
      !value.utf8.contains(UInt8(ascii: ",")), isUsable(value)
    else { throw unusable(name) }
    return value
  }

  private static func unusable(_ name: String) -> Problem {
    Problem(
      .invalidRequest,
      "\(name) has to be there once, as the request had it: the gateway sets it and overwrites what a "
        + "client sends.")
  }

  private static func isName(_ text: String) -> Bool { text.utf8.allSatisfy(isNameByte) }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}

extension PlainBundle {
  /// Reads a forwarded request; nil where it lacks a part, or has one in a form that needs a closer look.
  ///
  /// - Parameter headers: the gateway's, which have to stay as they are while the request is used.
  fileprivate init?(forwarded headers: UnsafeBufferPointer<HeaderBytes>) {
    self.init()
    var method, host, target: UnsafeRawBufferPointer?
    for header in headers {
      switch header.name.count {
      case 15 where isWord("x-forwarded-uri", header.name):
        guard target == nil else { return nil }
        target = header.value
      case 16 where isWord("x-forwarded-host", header.name):
        guard host == nil else { return nil }
        host = header.value
      case 18 where isWord("x-forwarded-method", header.name):
        guard method == nil else { return nil }
        method = header.value
      default:
        take(header.name, header.value)
      }
    }
    guard let method, let host, let target, method.elementsEqual("GET".utf8),
      !target.contains(UInt8(ascii: ","))
    else { return nil }
    take(method: method)
    take(authority: host, target: target)
  }
}
