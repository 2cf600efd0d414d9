/// A parsed pattern of a route.
final class Pattern: Sendable {
  enum Segment: Sendable, Hashable {
    case literal([UInt8])
    case parameter(String)
  }

  let text: String
  let bytes: [UInt8]
  let segments: [Segment]
  let names: [String]

  /// Parses a pattern; one that is not a path of literal segments and `{name}` ends the program.
  init(_ text: String) {
    precondition(text.utf8.first == UInt8(ascii: "/"), "the pattern \(text) begins with no slash")
    var segments: [Segment] = []
    var names: [String] = []
    for part in text.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
      if part.first == "{", part.last == "}", part.count > 2 {
        let name = String(part.dropFirst().dropLast())
        precondition(
          !names.contains(name) && !name.contains(where: { "{}".contains($0) }),
          "the pattern \(text) has a malformed parameter")
        names.append(name)
        segments.append(.parameter(name))
      } else {
        precondition(
          part.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"{}?#".utf8.contains($0) },
          "the pattern \(text) has a segment that no path has")
        segments.append(.literal(Array(part.utf8)))
      }
    }
    self.text = text
    self.bytes = Array(text.utf8)
    self.segments = segments
    self.names = names
  }

  var isLiteral: Bool { names.isEmpty }

  /// Matches a path and finds its parameters.
  ///
  /// - Returns: The ranges of the parameters in the path, or nil if the path does not match.
  func match(_ path: UnsafeRawBufferPointer) -> [Range<Int>]? {
    var places: [Range<Int>] = []
    var start = 1
    for (index, segment) in segments.enumerated() {
      guard start <= path.count else { return nil }
      let end = path[start...].firstIndex(of: UInt8(ascii: "/")) ?? path.count
      guard (index == segments.count - 1) == (end == path.count) else { return nil }
      switch segment {
      case .literal(let text):
        guard path[start..<end].elementsEqual(text) else { return nil }
      case .parameter:
        guard start < end, decodePercentEscapes(path[start..<end]) != nil else { return nil }
        places.append(start..<end)
      }
      start = end + 1
    }
    return places
  }
}
