internal import Domain
internal import Encoding
internal import HTTPServer
internal import JSON
internal import Observability
internal import Store

/// `GET /healthz`, `/readyz` and `/metrics` of the operations listener.
enum Operations {
  static func health(_ request: Request, _ context: RequestContext) throws -> Response {
    try request.refuseQuery()
    return Response.json(["status": "ok"], caching: .none)
  }

  static func readiness(_ request: Request, _ context: RequestContext) throws -> Response {
    try request.refuseQuery()
    guard !context.service.isStopping else {
      throw Problem(.unavailable, "The server is shutting down.")
    }
    try context.reader().knowledge.checkReadiness()
    return Response.json(["status": "ready"], caching: .none)
  }

  static func metrics(_ request: Request, _ context: RequestContext) throws -> Response {
    try request.refuseQuery()
    return Response(
      status: 200,
      headers: [("Content-Type", MetricsText.contentType), ("Cache-Control", "no-store")],
      body: Metrics(context, request).text())
  }
}
