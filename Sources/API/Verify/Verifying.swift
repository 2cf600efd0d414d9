internal import Domain
internal import Encoding
internal import HTTPServer
internal import JSON
internal import Store

/// `POST /verify` and `GET /verify/forward-auth`.
enum Verifying {
  private static let fields = ["method", "url", "headers", "consume"]

  static func verify(_ request: Request, _ context: RequestContext) throws -> Reply {
    let partner = try context.authenticate(
      request, scopes: [.verify], allowsDisabledProject: true)
    try request.checkJSONBody()
    let (verdict, consumes) = try judge(request, context, for: partner)
    guard consumes else { return .now(answer(verdict, context)) }
    return context.use(verdict, for: partner) { final in
      context.answer(request) { answer(try final.get(), context) }
    }
  }

  /// The verdict, without a use, and whether the caller asks for one.
  private static func judge(
    _ request: Request, _ context: RequestContext, for partner: Partner
  ) throws -> (verdict: Verdict, consumes: Bool) {
    let judge = try Judge(context, for: partner)
    let plain = try request.withBody { body -> (Verdict, Bool)? in
      guard let asked = PlainVerification(body),
        let verdict = try judge.verdict(on: asked.bundle, usesUp: asked.consumes)
      else { return nil }
      return (verdict, asked.consumes)
    }
    if let plain { return plain }
    let (signed, consumes) = try signedRequest(of: request.parsedObject())
    return (try judge.verdict(on: signed, usesUp: consumes), consumes)
  }

  /// The answer to a verdict that is final.
  private static func answer(_ verdict: Verdict, _ context: RequestContext) -> Response {
    context.note(verdict)
    return Response.json(verdict.encoded(), caching: .none)
  }

  private static func signedRequest(
    of members: [JSON.Member]
  ) throws -> (signed: SignedRequest, consumes: Bool) {
    var reader = MemberReader(members, known: fields)
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
