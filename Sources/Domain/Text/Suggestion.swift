/// The values nearest to what was typed, nearest first.
///
/// Near means at most a third of its letters wrong, a swap of neighbours counted as one
/// (optimal string alignment distance), or one beginning with the other.
///
/// - Parameters:
///   - typed: the text that matched nothing.
///   - known: the values that exist.
///   - limit: how many are given at most.
/// - Returns: up to `limit` of the known values.
public func nearest(
  to typed: String, in known: some Sequence<String>, limit: Int = 3
) -> [String] {
  let letters = Array(typed.lowercased().utf8)
  guard (1...AlignmentPattern.longest).contains(letters.count) else { return [] }
  let pattern = AlignmentPattern(letters)
  let allowed = max(1, letters.count / 3)
  var found: [(distance: Int, value: String)] = []
  for value in known {
    let isOfSameLength = abs(value.utf8.count - letters.count) <= allowed
    guard isOfSameLength || mayBeginAlike(value.utf8, letters) else { continue }
    let other = Array(value.lowercased().utf8)
    guard other.count <= AlignmentPattern.longest else { continue }
    if letters.count >= 2, other.starts(with: letters) || letters.starts(with: other) {
      found.append((abs(other.count - letters.count), value))
    } else if abs(other.count - letters.count) <= allowed {
      let distance = pattern.distance(to: other)
      if distance <= allowed { found.append((distance, value)) }
    }
  }
  found.sort { ($0.distance, $0.value) < ($1.distance, $1.value) }
  return found.prefix(limit).map(\.value)
}

/// Whether two texts may begin with the same letter in lower case; false only for ASCII letters
/// that differ.
private func mayBeginAlike(_ one: String.UTF8View, _ other: [UInt8]) -> Bool {
  guard let first = one.first, let second = other.first else { return false }
  return first | 0x20 == second | 0x20 || first >= 0x80 || second >= 0x80
}
