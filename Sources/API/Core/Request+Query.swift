internal import Domain
internal import Encoding
internal import HTTPServer

extension Request {
  /// The query's parameters; unknown and repeated names are refused, and one without a value counts as absent.
  func parameters(known: [String]) throws -> [(name: String, value: String)] {
    guard let items = queryItems() else {
      throw Problem(
        .invalidRequest,
        "The query string cannot be read: percent-encode text as UTF-8, without NUL, "
          + "without more than 30 combining characters in a row, and with 64 parameters at most.")
    }
    var seen: Set<String> = []
    for (name, _) in items {
      guard known.contains(name) else {
        let allowed = known.isEmpty ? "none" : known.joined(separator: ", ")
        throw Problem(
          .invalidRequest, "The query string has an unknown parameter. Known ones: \(allowed).")
      }
      guard seen.insert(name).inserted else {
        throw Problem(.invalidRequest, "The query parameter \(name) stands more than once.")
      }
    }
    return items.filter { !$0.value.isEmpty }
  }

  func refuseQuery() throws {
    if query != nil { _ = try parameters(known: []) }
  }
}
