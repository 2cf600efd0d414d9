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

  init(_ text: String) throws(RouteError) {
    guard text.utf8.first == UInt8(ascii: "/") else { throw .malformedPattern(text) }
    var segments: [Segment] = []
    var names: [String] = []
    for part in text.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
      if part.first == "{", part.last == "}", part.count > 2 {
        let name = String(part.dropFirst().dropLast())
        guard !names.contains(name), !name.contains(where: { "{}".contains($0) }) else {
          throw .malformedPattern(text)
        }
        names.append(name)
        segments.append(.parameter(name))
      } else if part.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !"{}?#".utf8.contains($0) }) {
        segments.append(.literal(Array(part.utf8)))
      } else {
        throw .malformedPattern(text)
      }
    }
    self.text = text
    self.bytes = Array(text.utf8)
    self.segments = segments
    self.names = names
  }

  var isLiteral: Bool { names.isEmpty }

  /// How two patterns relate.
  enum Overlap {
    case none, same, moreSpecific, lessSpecific, partial
  }

  /// How the paths of this pattern relate to those of another.
  func overlap(with other: Pattern) -> Overlap {
    guard segments.count == other.segments.count else { return .none }
    var narrower = false
    var wider = false
    for (mine, theirs) in zip(segments, other.segments) {
      switch (mine, theirs) {
      case (.literal(let left), .literal(let right)):
        if left != right { return .none }
      case (.literal(let text), .parameter):
        if text.isEmpty { return .none }
        narrower = true
      case (.parameter, .literal(let text)):
        if text.isEmpty { return .none }
        wider = true
      case (.parameter, .parameter):
        break
      }
    }
    switch (narrower, wider) {
    case (false, false): return .same
    case (true, false): return .moreSpecific
    case (false, true): return .lessSpecific
    case (true, true): return .partial
    }
  }

  /// Matches a path and says where its parameters are.
  ///
  /// - Returns: The places of the parameters in the path, or nil where the path does not match.
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
