internal import CEmbedded
internal import Domain
internal import Encoding
internal import HTTPServer
internal import JSON
internal import Store

/// `GET /whoami`, `/problems/{code}` and `/openapi.yaml`: what the service says about itself.
enum About {
  /// `openapi.yaml`, which is compiled in.
  private static let description: [UInt8] = {
    let file = embedded_openapi()
    return Array(UnsafeBufferPointer(start: file.bytes, count: file.size))
  }()

  static func whoami(_ request: Request, _ context: RequestContext) throws -> Response {
    let partner = try context.authenticate(request, scopes: Scope.allCases)
    try request.refuseQuery()
    let key = partner.key
    return Response.json(
      [
        "key_id": .string(key.id.description),
        "name": .string(key.name),
        "scopes": .array(key.scopeNames.map(JSON.string)),
        "project": partner.project.map(summary) ?? .null,
        "expires_at": JSON(key.expiresAt),
        "rate_limit": partner.project.map { limit(of: $0, context) } ?? .null,
      ], caching: .none)
  }

  static func problem(_ request: Request, _ context: RequestContext) throws -> Response {
    try request.refuseQuery()
    guard let code = request.parameter("code").flatMap(ProblemCode.init) else {
      throw Problem(
        .notFound, "There is no problem with this code. GET /openapi.yaml lists the codes.")
    }
    return Response.json(
      [
        "code": .string(code.rawValue), "title": .string(code.title),
        "status": .integer(Int64(code.status)), "detail": .string(code.meaning[.english]),
        "remedy": .string(code.remedy[.english]),
      ], caching: .unspecified)
  }

  static func openAPI(_ request: Request, _ context: RequestContext) throws -> Response {
    try request.refuseQuery()
    return Response(
      status: 200, headers: [("Content-Type", "application/yaml")], body: description)
  }

  private static func summary(_ project: Project) -> JSON {
    [
      "id": .string(project.id.description), "name": .string(project.name),
      "key_delivery": .string(project.keyDelivery.rawValue),
      "replay_policy": .string(project.replayPolicy.rawValue), "ttl": .integer(Int64(project.ttl)),
    ]
  }

  private static func limit(of project: Project, _ context: RequestContext) -> JSON {
    let reading = context.service.rateLimiter.take(0, of: project, at: context.now)
    return [
      "limit_per_second": .integer(Int64(project.rateLimit)),
      "burst": .integer(Int64(reading.capacity)), "remaining": .integer(Int64(reading.remaining)),
    ]
  }
}
