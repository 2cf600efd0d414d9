internal import Domain
internal import Encoding
internal import HTTPServer
internal import JSON
internal import Store

/// `GET /web-version` and `GET /webview-settings`: what an app's web view needs from a server.
enum WebView {
  static func version(_ request: Request, _ context: RequestContext) throws -> Response {
    _ = try context.authenticate(request, scopes: [.launch])
    let sent = try request.parameters(known: ["current"]).first?.value
    let current = sent.flatMap(WebVersion.init)
    guard sent == nil || current != nil else {
      throw Problem(
        .invalidRequest,
        "The query parameter current has to be a version such as 1.4.0: one to four numbers of up to "
          + "9 digits. Leave it out where the device has none.")
    }
    let latest = try context.reader().knowledge.webVersion()
    return Response.json(
      [
        "latest": JSON(latest?.description), "current": JSON(current?.description),
        "clear_cache": .bool(latest?.clearsCache(of: current) ?? false),
        "background_threshold_seconds": .integer(Int64(WebVersion.backgroundThreshold)),
      ], caching: .none)
  }

  static func settings(_ request: Request, _ context: RequestContext) throws -> Response {
    let partner = try context.authenticate(request, scopes: [.launch])
    try request.refuseQuery()
    guard let project = partner.project else {
      throw Problem(.projectMismatch, "This API key belongs to no project.")
    }
    let upstream = try context.settings.site.upstream(of: project)
    let reader = try context.reader()
    let cookies = WebViewCookie.cookies(
      of: project.id, among: try reader.knowledge.cookies(), at: context.now)
    return Response.json(
      [
        "internal_origins": .array(upstream.internalOrigins.map(JSON.string)),
        "bridge": ["name": "fairyCashbackBridge", "methods": ["finish", "reload"]],
        "javascript": true, "dom_storage": true, "popups": true,
        "cookies": .array(cookies.map(\.json)),
        "web_version": JSON(try reader.knowledge.webVersion()?.description),
        "background_threshold_seconds": .integer(Int64(WebVersion.backgroundThreshold)),
      ], caching: .none)
  }
}
