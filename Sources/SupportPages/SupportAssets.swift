internal import API
internal import CEmbedded
internal import Cryptography
internal import Domain
internal import HTTPServer

/// The style sheet, the script and the icon of the support pages.
///
/// A file's name contains its digest, so that browsers may cache it for good.
struct SupportAssets {
  static let style = SupportAssets(embedded_support_css(), "support", "css", "text/css")
  static let script = SupportAssets(embedded_support_js(), "support", "js", "text/javascript")
  static let icon = SupportAssets(embedded_support_icon(), "icon", "svg", "image/svg+xml")

  private static let folder = "/support/assets/"

  let path: String
  private let bytes: [UInt8]
  private let type: String

  private init(_ file: embedded_file, _ name: String, _ ending: String, _ type: String) {
    bytes = Array(UnsafeBufferPointer(start: file.bytes, count: file.size))
    self.type = type + "; charset=utf-8"
    path = Self.folder + "\(name).\(SHA256.hash(bytes).hex.prefix(16)).\(ending)"
  }

  static func show(_ visit: SupportVisit) throws -> Response {
    let all = [style, script, icon]
    guard let name = visit.request.parameter("name"),
      let asset = all.first(where: { $0.path == folder + name })
    else { throw SupportRefusal.page(404, SupportText.notFound) }
    let headers = SupportPages.headers.filter { $0.name != "Cache-Control" }
    return Response(
      status: 200,
      headers: [
        ("Content-Type", asset.type), ("Cache-Control", "public, max-age=31536000, immutable"),
      ] + headers, body: asset.bytes)
  }
}
