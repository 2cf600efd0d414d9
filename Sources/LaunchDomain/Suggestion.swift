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
  guard !letters.isEmpty, letters.count <= 64 else { return [] }
  let allowed = max(1, letters.count / 3)
  var found: [(distance: Int, value: String)] = []
  for value in known {
    let other = Array(value.lowercased().utf8)
    guard other.count <= 64 else { continue }
    if letters.count >= 2, other.starts(with: letters) || letters.starts(with: other) {
      found.append((abs(other.count - letters.count), value))
    } else if abs(other.count - letters.count) <= allowed {
      let distance = alignmentDistance(letters, other)
      if distance <= allowed { found.append((distance, value)) }
    }
  }
  found.sort { ($0.distance, $0.value) < ($1.distance, $1.value) }
  return found.prefix(limit).map(\.value)
}

/// Fewest insertions, deletions, substitutions and swaps of neighbours that turn one into the other.
private func alignmentDistance(_ left: [UInt8], _ right: [UInt8]) -> Int {
  var beforeLast: [Int] = []
  var last = Array(0...right.count)
  for row in 0..<left.count {
    var current = [row + 1]
    current.reserveCapacity(right.count + 1)
    for column in 0..<right.count {
      let isSame = left[row] == right[column]
      var best = min(last[column] + (isSame ? 0 : 1), last[column + 1] + 1, current[column] + 1)
      if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
        best = min(best, beforeLast[column - 1] + 1)
      }
      current.append(best)
    }
    beforeLast = last
    last = current
  }
  return last[right.count]
}
