/// A query that may have an error: one key, letter or syllable is wrong, missing or added, or two
/// neighbours are swapped.
struct NearQuery {
  /// The size of the error.
  enum Distance {
    /// A key or a letter.
    case letter
    /// A syllable.
    case syllable
  }

  /// Shorter texts are all similar: the least keys of the shorter and of the longer text.
  private static let (fewestKeys, fewestKeysOfLonger) = (3, 4)
  /// The same in characters, where a whole syllable is wrong.
  private static let (fewestCharacters, fewestCharactersOfLonger) = (2, 3)
  /// The least characters at which a syllable may be substituted: 쿠폰 is not nearly 쿠팡.
  private static let fewestAroundAnother = 4
  /// The most keys of a syllable, as in 괇.
  private static let longestSyllable = 5

  /// The keys of the query.
  let keys: KeySequence
  private let signature: KeySignature
  private let mostPairs: Int

  /// - Returns: nil where the query is too short or too long.
  init?(_ keys: KeySequence) {
    guard (Self.fewestKeys..<KeySignature.longest).contains(keys.count) else { return nil }
    self.keys = keys
    signature = KeySignature(keys.keys, kind: .id)
    // An added or missing syllable adds or removes its pairs of keys, and swapped neighbours change
    // fewer; a substituted syllable removes some and adds as many.
    let mayBeAnother = keys.hasHangul && keys.characterCount >= Self.fewestAroundAnother
    mostPairs = (Self.longestSyllable + 1) * (mayBeAnother ? 2 : 1) + 1
  }

  /// Whether a text of this signature may be near.
  @inline(__always)
  func mayFit(_ other: KeySignature) -> Bool {
    other.mayBeNear(signature, longest: Self.longestSyllable, pairs: mostPairs)
      && (Self.fewestKeys..<KeySignature.longest).contains(other.count)
      && max(other.count, keys.count) >= Self.fewestKeysOfLonger
  }

  /// The error between two texts; nil where they are equal or not near.
  static func distance(_ one: KeyView, _ two: KeyView) -> Distance? {
    let shorter = min(one.count, two.count)
    var start = 0
    while start < shorter, one.isSame(start, two, start) { start += 1 }
    guard start < max(one.count, two.count) else { return nil }
    var end = 0
    while end < shorter, one.isSame(one.count - 1 - end, two, two.count - 1 - end) { end += 1 }
    // Beginning and end may overlap, as in 나나 and 나나나: then nothing is left of the shorter one.
    let rest = min(end, shorter - start)
    let (a, b) = (start..<one.count - rest, start..<two.count - rest)
    guard max(a.count, b.count) <= (a.count == b.count ? 2 : 1) * longestSyllable else {
      return nil
    }
    if a.count <= 1, b.count <= 1 { return .letter }
    if a.count == 2, b.count == 2, one.isSame(start, two, start + 1),
      one.isSame(start + 1, two, start)
    {
      return .letter
    }
    if one.isLetter(a), two.isLetter(b) { return .letter }
    let isOneMore =
      one.count > two.count
      ? hasOneMore(one, than: two, start: start, end: end)
      : hasOneMore(two, than: one, start: start, end: end)
    return isOneMore || isOneOther(one, two, start: start, end: rest) ? .syllable : nil
  }

  /// Whether one text is the other with one character added, where both begin with the same `start`
  /// keys and end in the same `end` keys.
  private static func hasOneMore(
    _ one: KeyView, than other: KeyView, start: Int, end: Int
  ) -> Bool {
    let more = one.count - other.count
    guard more > 0, start + end >= other.count, other.characterCount >= fewestCharacters,
      one.characterCount >= fewestCharactersOfLonger
    else { return false }
    return (other.count - end...start).contains { index in
      one.isBoundary(index) && other.isBoundary(index) && one.isBoundary(index + more)
        && one.part(index..<index + more).characterCount == 1
    }
  }

  /// Whether one character is substituted, or two neighbours are swapped.
  private static func isOneOther(_ one: KeyView, _ two: KeyView, start: Int, end: Int) -> Bool {
    var (start, end) = (start, end)
    while start > 0, !one.isBoundary(start) || !two.isBoundary(start) { start -= 1 }
    while end > 0, !one.isBoundary(one.count - end) || !two.isBoundary(two.count - end) { end -= 1 }
    let (a, b) = (one.part(start..<one.count - end), two.part(start..<two.count - end))
    switch (a.characterCount, b.characterCount) {
    case (1, 1):
      return max(one.characterCount, two.characterCount) >= fewestAroundAnother
    case (2, 2):
      guard a.count == b.count,
        max(one.characterCount, two.characterCount) >= fewestCharactersOfLonger,
        let middle = (1..<a.count).first(where: a.isBoundary)
      else { return false }
      let rest = a.count - middle
      return a.part(0..<middle).isSame(as: b.part(rest..<b.count))
        && a.part(middle..<a.count).isSame(as: b.part(0..<rest))
    default:
      return false
    }
  }
}
