internal import Glibc

/// The route that a request goes to.
struct RouteMatch {
  /// The route's place in the router's table.
  let index: Int
  let pattern: Pattern
  /// Where the parameters are in the path.
  let places: [Range<Int>]
}

/// Finds the route of a request; it knows patterns and methods, not what the routes do.
struct RouteTable: Sendable {
  private struct Entry: Sendable {
    let index: Int
    let pattern: Pattern
  }

  /// The routes of one method: literal ones, and those with parameters, the more specific first.
  private struct Entries: Sendable {
    var literal: [Entry] = []
    var parametric: [Entry] = []
  }

  private var entries = [Entries](repeating: Entries(), count: Method.allCases.count)

  init(
    _ routes: [(method: Method, pattern: String, answersHead: Bool)]
  ) throws(RouteError) {
    for (index, route) in routes.enumerated() {
      guard route.method != .other else { throw .unsupportedMethod(pattern: route.pattern) }
      let entry = Entry(index: index, pattern: try Pattern(route.pattern))
      try add(entry, to: route.method)
    }
    for (index, route) in routes.enumerated() where route.answersHead {
      let pattern = try Pattern(route.pattern)
      if !all(of: .head).contains(where: { $0.pattern.overlap(with: pattern) == .same }) {
        try add(Entry(index: index, pattern: pattern), to: .head)
      }
    }
    for method in entries.indices {
      entries[method].parametric.sort { $0.pattern.names.count < $1.pattern.names.count }
    }
  }

  private func all(of method: Method) -> [Entry] {
    let entries = entries[Int(method.rawValue)]
    return entries.literal + entries.parametric
  }

  private mutating func add(_ entry: Entry, to method: Method) throws(RouteError) {
    for other in all(of: method) {
      switch entry.pattern.overlap(with: other.pattern) {
      case .same:
        throw .doubled(method: method, pattern: entry.pattern.text, other: other.pattern.text)
      case .partial:
        throw .ambiguous(method: method, pattern: entry.pattern.text, other: other.pattern.text)
      case .none, .moreSpecific, .lessSpecific:
        break
      }
    }
    if entry.pattern.isLiteral {
      entries[Int(method.rawValue)].literal.append(entry)
    } else {
      entries[Int(method.rawValue)].parametric.append(entry)
    }
  }

  /// Finds the route; for a literal path this allocates nothing.
  func match(_ request: Request) -> RouteMatch? {
    request.withPath { find($0, method: request.method) }
  }

  /// The methods that the path has routes for, as a value for `Allow` (RFC 9110 section 10.2.1).
  func methods(for request: Request) -> String {
    let methods = Method.allCases.filter { method in
      request.withPath { find($0, method: method) } != nil
    }
    return methods.map { "\($0.name)" }.joined(separator: ", ")
  }

  private func find(_ path: UnsafeRawBufferPointer, method: Method) -> RouteMatch? {
    let entries = entries[Int(method.rawValue)]
    for entry in entries.literal where equal(entry.pattern.bytes, path) {
      return RouteMatch(index: entry.index, pattern: entry.pattern, places: [])
    }
    for entry in entries.parametric {
      if let places = entry.pattern.match(path) {
        return RouteMatch(index: entry.index, pattern: entry.pattern, places: places)
      }
    }
    return nil
  }
}

private func equal(_ text: [UInt8], _ path: UnsafeRawBufferPointer) -> Bool {
  guard text.count == path.count, let start = path.baseAddress else { return false }
  return text.withUnsafeBytes { bytes in
    guard let other = bytes.baseAddress else { return true }
    return memcmp(other, start, path.count) == 0
  }
}
