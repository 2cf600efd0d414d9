internal import HTTPServer

extension Request {
  /// The request id as logs may show it: one that a caller put an API key into is withheld.
  var loggedID: String { holdsKeyInID ? "withheld" : id }

  /// Whether the request id has what every API key begins with.
  var holdsKeyInID: Bool {
    withID { bytes in
      bytes.indices.contains { bytes[$0...].starts(with: "llk_".utf8) }
    }
  }
}
