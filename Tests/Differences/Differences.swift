/// The first place in which two texts differ, for tests of texts that are too long to be printed when one fails.
///
/// - Returns: The line of the difference, counted from 1, and what stands around it in both; nil where all bytes
///   are the same.
public func firstDifference(
  _ found: some Collection<UInt8>, _ expected: some Collection<UInt8>
) -> String? {
  guard !found.elementsEqual(expected) else { return nil }
  let same = zip(found, expected).prefix { $0 == $1 }.count
  let line = found.prefix(same).count { $0 == UInt8(ascii: "\n") } + 1
  return "line \(line): \(shown(found, around: same)), expected \(shown(expected, around: same))"
}

/// The first place in which two texts differ, byte by byte.
public func firstDifference(_ found: String, _ expected: String) -> String? {
  firstDifference(found.utf8, expected.utf8)
}

/// A part of a text with what stands around it, for tests of what has to stand in a long text, or must not.
///
/// - Returns: The part's first place with its neighbours; nil where it stands nowhere.
public func excerpt(of text: String, around part: some StringProtocol) -> String? {
  guard let place = text.firstRange(of: part) else { return nil }
  let start = text[..<place.lowerBound].suffix(neighbours).startIndex
  return String(text[start..<place.upperBound] + text[place.upperBound...].prefix(neighbours))
}

/// How much is shown on each side.
private let neighbours = 60

/// The text around one of its bytes as a literal, which shows blanks and line breaks.
private func shown(_ text: some Collection<UInt8>, around place: Int) -> String {
  let part = text.dropFirst(max(0, place - neighbours)).prefix(min(place, neighbours) + neighbours)
  return String(decoding: part, as: UTF8.self).debugDescription
}
