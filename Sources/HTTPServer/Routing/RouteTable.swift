internal import Glibc

/// The route that a request goes to.
struct RouteMatch {
  /// The route's index in the router's table.
  let index: Int
  let pattern: Pattern
  /// The ranges of the parameters in the path.
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

  init(_ routes: [(method: Method, pattern: String, answersHead: Bool)]) {
    for (index, route) in routes.enumerated() {
      precondition(route.method != .other, "no request is known by the method other")
      add(Entry(index: index, pattern: Pattern(route.pattern)), to: route.method)
    }
    // Routes for HEAD itself come first.
    for (index, route) in routes.enumerated() where route.answersHead {
      add(Entry(index: index, pattern: Pattern(route.pattern)), to: .head)
    }
    for method in entries.indices {
      entries[method].parametric.sort { $0.pattern.names.count < $1.pattern.names.count }
    }
  }

  private mutating func add(_ entry: Entry, to method: Method) {
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
