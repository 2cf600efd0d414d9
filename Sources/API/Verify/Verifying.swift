internal import Domain
internal import Encoding
internal import HTTPServer
internal import JSON
internal import Observability
internal import Store

/// `POST /verify` and `GET /verify/forward-auth`.
enum Verifying {
  private static let fields = ["method", "url", "headers", "consume"]

  static func verify(_ request: Request, _ context: RequestContext) throws -> Response {
    let partner = try context.authenticate(
      request, scopes: [.verify], allowsDisabledProject: true)
    let (signed, consumes) = try signedRequest(request)
    let verdict = try context.judge(signed, for: partner, consumes: consumes)
    return Response.json(verdict.json, caching: .none)
  }

  private static func signedRequest(
    _ request: Request
  ) throws -> (signed: SignedRequest, consumes: Bool) {
    var reader = MemberReader(try request.jsonObject(), known: fields)
    let consumes = reader.bool("consume")
    let method = reader.string("method")
    let url = reader.string("url")
    let members = reader.object("headers")
    reader.refuseOthers()
    var faults = reader.faults
    func require(_ name: String, _ isThere: Bool) {
      guard !isThere, !faults.contains(where: { $0.field == name }) else { return }
      faults.append(FieldFault(name, .missingField, "Add \(name) of the request to verify."))
    }
    require("method", method != nil)
    require("url", url != nil)
    require("headers", members != nil)
    var headers: [(name: String, value: String)] = []
    for member in members ?? [] where !member.value.isNull {
      if let value = member.value.stringValue {
        headers.append((member.name, value))
      } else if !faults.contains(where: { $0.field == "headers" }) {
        faults.append(
          FieldFault(
            "headers", .invalidField,
            "Each header has to be a string; \(member.name.prefix(64)) is not."))
      }
    }
    if let method, method.isEmpty || !method.isVisibleASCII {
      faults.append(
        FieldFault("method", .invalidField, "method has to be an HTTP method, such as GET."))
    }
    let signed = SignedRequest(method: method ?? "", url: url ?? "", headers: headers)
    if url != nil, signed == nil {
      faults.append(
        FieldFault(
          "url", .invalidField, "url has to be the absolute https or http URL as requested."))
    }
    guard faults.isEmpty, let signed else {
      let rank: (FieldFault) -> Int = { fields.firstIndex(of: $0.field) ?? fields.count }
      throw FieldFaults(faults.sorted { rank($0) < rank($1) })
    }
    return (signed, consumes ?? false)
  }
}

extension RequestContext {
  /// Verifies a request, and uses its launch up if the caller asks for that and the project allows one use.
  fileprivate func judge(
    _ signed: SignedRequest, for partner: Partner, consumes: Bool
  ) throws -> Verdict {
    let directory = ScopedDirectory(reader: try reader(), only: partner.key.projectID)
    var verdict = try settings.verifier.verify(signed, directory: directory, at: now)
    if case .valid(let launch) = verdict {
      (note.projectID, note.userID, note.launchID) = (
        launch.projectID, launch.userID, launch.launchID
      )
      if consumes, launch.replayPolicy == .once,
        try !write({ try $0.record(.use(launch.launchID)) })
      {
        verdict = .replayed
      }
    }
    let result = VerificationResult(verdict)
    note.verification = result
    meter.count(verification: result)
    return verdict
  }
}

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
  static func forwardAuth(_ request: Request, _ context: RequestContext) -> Response {
    do {
      let partner = try context.authenticate(
        request, scopes: [.verify], allowsDisabledProject: true)
      try request.refuseQuery()
      let verdict = try context.judge(forwarded(request), for: partner, consumes: true)
      switch verdict {
      case .invalid(let code, let detail):
        return refusal(401, code: code.rawValue, detail: detail)
      case .valid(let launch):
        guard let webAPIKey = try context.reader().knowledge.webAPIKey(of: launch.projectID) else {
          throw StoreError(.unavailable, "the project \(launch.projectID) has just been deleted")
        }
        return Response(
          status: 204,
          headers: [
            ("x-moment-project-id", launch.projectID.description),
            ("x-moment-user-id", launch.userID), ("x-moment-platform", launch.platform),
            ("x-moment-web-api-key", webAPIKey), ("Cache-Control", "no-store"),
          ])
      }
    } catch let problem as Problem where problem.code.status < 500 {
      context.noteProblem(problem.code)
      return refusal(403, code: problem.code.rawValue, detail: problem.detail)
    } catch {
      return context.problem(of: error, in: request).response(requestID: request.id)
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

/// What a verify key sees: all projects, or the one that it is bound to.
private struct ScopedDirectory: VerificationDirectory {
  let reader: StoreReader
  let only: ProjectID?

  func project(_ id: ProjectID) throws -> Project? {
    if let only, only != id { return nil }
    return try reader.knowledge.project(id)
  }

  func isVerifying(keyID: SigningKeyID, at now: Timestamp) throws -> Bool {
    try reader.knowledge.isVerifying(keyID: keyID, at: now)
  }

  func verifier(
    keyID: SigningKeyID, projectID: ProjectID, at now: Timestamp
  ) throws -> LaunchSigner? {
    try reader.knowledge.verifier(keyID: keyID, projectID: projectID, at: now)
  }

  func lastLogOut(of userID: String, in projectID: ProjectID) throws -> Timestamp? {
    try reader.happenings.lastLogOut(of: userID, in: projectID)
  }

  func isUsed(_ id: LaunchID) throws -> Bool {
    try reader.happenings.isUsed(id)
  }
}
