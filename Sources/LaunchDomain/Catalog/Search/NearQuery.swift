/// A query taken as nearly right: one key, letter or syllable of it may be wrong, missing or too much,
/// or two neighbours swapped.
struct NearQuery {
  /// How much is wrong.
  enum Distance {
    /// A key or a letter.
    case letter
    /// A syllable.
    case syllable
  }

  /// Shorter texts are all alike: the one has so many keys, and the longer one so many.
  private static let (fewestKeys, fewestKeysOfLonger) = (3, 4)
  /// The same of characters where a whole syllable is wrong.
  fileprivate static let (fewestCharacters, fewestCharactersOfLonger) = (2, 3)
  /// From so many characters on one may be another altogether: 쿠폰 is not nearly 쿠팡.
  private static let fewestAroundAnother = 4
  /// Keys of a syllable at most, as of 괇.
  private static let longestSyllable = 5

  private let query: KeySequence
  private let signature: KeySignature
  private let mostPairs: Int

  /// - Returns: nil where the query is too short or too long.
  init?(_ query: KeySequence) {
    guard (Self.fewestKeys..<KeySignature.longest).contains(query.count) else { return nil }
    self.query = query
    signature = KeySignature(query.keys, kind: .id)
    // A syllable in the place of another takes its pairs of keys and brings as many; one more or less
    // brings or takes them, and neighbours that are swapped change fewer.
    mostPairs = (Self.longestSyllable + 1) * (query.hasHangul ? 2 : 1) + 1
  }

  /// Whether a text of this signature may be near.
  @inline(__always)
  func mayFit(_ other: KeySignature) -> Bool {
    other.mayBeNear(signature, longest: Self.longestSyllable, pairs: mostPairs)
      && (Self.fewestKeys..<KeySignature.longest).contains(other.count)
      && max(other.count, query.count) >= Self.fewestKeysOfLonger
  }

  /// How far some keys are from the query's; nil where they are the same, or not near.
  func distance(to keys: ArraySlice<UInt8>, _ traits: ArraySlice<KeyTraits>) -> Distance? {
    let one = Side(keys: query.keys[...], traits: query.traits[...])
    let two = Side(keys: keys, traits: traits)
    let shorter = min(one.count, two.count)
    var start = 0
    while start < shorter, one.isSame(start, two, start) { start += 1 }
    guard start < max(one.count, two.count) else { return nil }
    var end = 0
    while end < shorter, one.isSame(one.count - 1 - end, two, two.count - 1 - end) { end += 1 }
    // The two may overlap, as in 나나 and 나나나: then what is left is nothing of the shorter one.
    let rest = min(end, shorter - start)
    let (a, b) = (start..<one.count - rest, start..<two.count - rest)
    if a.count <= 1, b.count <= 1 { return .letter }
    if a.count == 2, b.count == 2, one.isSame(start, two, start + 1),
      one.isSame(start + 1, two, start)
    {
      return .letter
    }
    if one.isLetter(a), two.isLetter(b) { return .letter }
    let isOneMore =
      one.count > two.count
      ? one.hasOneMore(than: two, start: start, end: end)
      : two.hasOneMore(than: one, start: start, end: end)
    return isOneMore || isOneOther(one, two, start: start, end: rest) ? .syllable : nil
  }

  /// Whether one character is another, or two neighbours are swapped.
  private func isOneOther(_ one: Side, _ two: Side, start: Int, end: Int) -> Bool {
    var (start, end) = (start, end)
    while start > 0, !one.isBoundary(start) || !two.isBoundary(start) { start -= 1 }
    while end > 0, !one.isBoundary(one.count - end) || !two.isBoundary(two.count - end) { end -= 1 }
    let (a, b) = (one.part(start..<one.count - end), two.part(start..<two.count - end))
    let length = max(one.characterCount, two.characterCount)
    switch (a.characterCount, b.characterCount) {
    case (1, 1):
      return length >= Self.fewestAroundAnother
    case (2, 2):
      guard length >= Self.fewestCharactersOfLonger, a.count == b.count else { return false }
      let middle = (1..<a.count).first(where: a.isBoundary) ?? 0
      let count = a.count - middle
      return a.part(0..<middle).isSame(as: b.part(count..<b.count))
        && a.part(middle..<a.count).isSame(as: b.part(0..<count))
    default:
      return false
    }
  }
}

/// The keys of one of two texts that are compared.
private struct Side {
  let keys: ArraySlice<UInt8>
  let traits: ArraySlice<KeyTraits>

  var count: Int { keys.count }
  var characterCount: Int { traits.count { $0.contains(.startsCharacter) } }

  private func trait(_ index: Int) -> KeyTraits { traits[traits.startIndex + index] }

  func part(_ range: Range<Int>) -> Side {
    Side(
      keys: keys.dropFirst(range.lowerBound).prefix(range.count),
      traits: traits.dropFirst(range.lowerBound).prefix(range.count))
  }

  /// Whether a character begins here, or all ends.
  func isBoundary(_ index: Int) -> Bool {
    index == count || trait(index).contains(.startsCharacter)
  }

  func isSame(_ index: Int, _ other: Side, _ otherIndex: Int) -> Bool {
    keys[keys.startIndex + index] == other.keys[other.keys.startIndex + otherIndex]
      && trait(index).isSame(as: other.trait(otherIndex))
  }

  func isSame(as other: Side) -> Bool {
    count == other.count && (0..<count).allSatisfy { isSame($0, other, $0) }
  }

  /// Whether these keys are one letter of Hangul, as the two of ㅢ are.
  func isLetter(_ range: Range<Int>) -> Bool {
    guard let first = range.first, trait(first).contains(.hangul),
      !trait(first).contains(.endsLetter)
    else { return false }
    return range.dropFirst().allSatisfy { trait($0).contains(.endsLetter) }
      && (range.upperBound == count || !trait(range.upperBound).contains(.endsLetter))
  }

  /// Whether it is the other text with one character more, where both begin with the same `start` keys
  /// and end in the same `end` keys.
  func hasOneMore(than other: Side, start: Int, end: Int) -> Bool {
    let more = count - other.count
    guard more > 0, start + end >= other.count,
      other.characterCount >= NearQuery.fewestCharacters,
      characterCount >= NearQuery.fewestCharactersOfLonger
    else { return false }
    return (other.count - end...start).contains { index in
      isBoundary(index) && other.isBoundary(index) && isBoundary(index + more)
        && part(index..<index + more).characterCount == 1
    }
  }
}
