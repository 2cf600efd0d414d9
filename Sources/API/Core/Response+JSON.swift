internal import Cryptography
internal import Encoding
internal import HTTPServer
internal import JSON
internal import Store

extension Response {
  /// Who may cache an answer.
  enum Caching {
    /// Nobody: it is secret or personal.
    case none
    /// The caller, who revalidates it each time (RFC 9111 section 5.2.2.4).
    case revalidated
    /// Without `Cache-Control`.
    case unspecified
  }

  static func json(_ value: JSON, caching: Caching) -> Response {
    json(value.encoded(), caching: caching)
  }

  /// An answer with the bytes of a JSON value.
  static func json(_ body: [UInt8], caching: Caching) -> Response {
    var response = Response(
      status: 200, headers: [("Content-Type", "application/json")], body: body)
    switch caching {
    case .none: response.headers.append(("Cache-Control", "no-store"))
    case .revalidated: response.headers.append(("Cache-Control", "private, no-cache"))
    case .unspecified: break
    }
    return response
  }

  /// An answer with a strong `ETag` of its bytes; 304 if the caller has it (RFC 9110 section 13.1.2).
  static func tagged(
    _ value: JSON, for request: Request, headers: [(name: String, value: String)] = []
  ) -> Response {
    tagged(Representation(value), for: request, headers: headers)
  }

  /// The same for a representation made before.
  static func tagged(
    _ representation: Representation, for request: Request,
    headers: [(name: String, value: String)] = []
  ) -> Response {
    var response = json(representation.body, caching: .revalidated)
    let tag = representation.tag
    response.headers.append(("ETag", tag))
    let isConditional = request.withHeader("if-none-match") { $0 != nil }
    if isConditional,
      request.headerValues("if-none-match").contains(where: { names(tag, in: $0) })
    {
      // The server leaves the body out and sends the length that a 200 would have.
      response.status = 304
      response.headers.removeAll { $0.name == "Content-Type" }
      return response
    }
    response.headers += headers
    return response
  }

  /// Whether `If-None-Match` lists the tag; `W/` is ignored, since the comparison is weak.
  private static func names(_ tag: String, in header: String) -> Bool {
    header == "*"
      || header.split(separator: ",").contains { part in
        let text = part.filter { $0 != " " && $0 != "\t" }
        return text == tag || text == "W/" + tag
      }
  }
}

extension Representation {
  /// A JSON value's bytes, tagged by their digest.
  init(_ value: JSON) {
    self.init(of: value.encoded())
  }

  /// Bytes, tagged by their digest.
  init(of body: [UInt8]) {
    self.init(body: body, tag: "\"\(SHA256.hash(body).hex.prefix(32))\"")
  }
}
