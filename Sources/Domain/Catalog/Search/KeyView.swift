/// A view of some keys of a sequence, valid within `KeySequence.withView`: scans compare many texts
/// and cannot afford to retain each.
struct KeyView {
  fileprivate let keys: UnsafeBufferPointer<UInt8>
  fileprivate let traits: UnsafeBufferPointer<KeyTraits>

  /// How many keys there are.
  var count: Int { keys.count }
  /// How many characters begin.
  var characterCount: Int { traits.count { $0.contains(.startsCharacter) } }

  /// A part of the keys.
  func part(_ range: Range<Int>) -> KeyView {
    KeyView(
      keys: UnsafeBufferPointer(rebasing: keys[range]),
      traits: UnsafeBufferPointer(rebasing: traits[range]))
  }

  /// Whether a character begins at this position, or the keys end.
  func isBoundary(_ index: Int) -> Bool {
    index == count || traits[index].contains(.startsCharacter)
  }

  /// Whether two keys type the same letter.
  func isSame(_ index: Int, _ other: KeyView, _ otherIndex: Int) -> Bool {
    keys[index] == other.keys[otherIndex] && traits[index].isSame(as: other.traits[otherIndex])
  }

  /// Whether all keys type the same letters.
  func isSame(as other: KeyView) -> Bool {
    count == other.count && (0..<count).allSatisfy { isSame($0, other, $0) }
  }

  /// Whether these keys form one letter of Hangul, as the two of ㅢ do.
  func isLetter(_ range: Range<Int>) -> Bool {
    guard let first = range.first, traits[first].contains(.hangul),
      !traits[first].contains(.endsLetter)
    else { return false }
    return range.dropFirst().allSatisfy { traits[$0].contains(.endsLetter) }
      && (range.upperBound == count || !traits[range.upperBound].contains(.endsLetter))
  }

  /// Calls `body` with each occurrence of a query that begins at a character, or at a key with the
  /// given trait.
  func forEachOccurrence(
    of query: KeyView, from beginning: KeyTraits = .startsCharacter, _ body: (KeyOccurrence) -> Void
  ) {
    guard query.count > 0, query.count <= count else { return }
    let first = query.keys[0]
    for start in 0...(count - query.count)
    where keys[start] == first && traits[start].contains(beginning) {
      if let occurrence = occurrence(of: query, at: start) { body(occurrence) }
    }
  }

  /// The occurrence of a query at the beginning; nil where there is none.
  func beginning(of query: KeyView) -> KeyOccurrence? {
    query.count <= count ? occurrence(of: query, at: 0) : nil
  }

  private func occurrence(of query: KeyView, at start: Int) -> KeyOccurrence? {
    guard let isAsTyped = isMeant(by: query, at: start) else { return nil }
    let end = start + query.count
    return KeyOccurrence(
      place: start > 0 ? .inside : end == count ? .whole : .start, isAsTyped: isAsTyped,
      isFinished: isBoundary(end))
  }

  /// Whether a query is typed in the layout that is on; nil where it cannot stand for the keys from
  /// `start` on.
  private func isMeant(by query: KeyView, at start: Int) -> Bool? {
    var isAsTyped = true
    for index in 0..<query.count {
      guard keys[start + index] == query.keys[index] else { return nil }
      let (typed, meant) = (query.traits[index], traits[start + index])
      if typed.isSame(as: meant) { continue }
      guard typed.isMeant(for: meant) else { return nil }
      isAsTyped = false
    }
    return isAsTyped
  }
}

/// An occurrence of a query in a text.
struct KeyOccurrence {
  /// Its position in the text.
  enum Place { case whole, start, inside }

  let place: Place
  /// Whether every key is of the layout that is on.
  let isAsTyped: Bool
  /// Whether a character ends where the query does, so that nothing of it remains to be typed.
  let isFinished: Bool
}

extension KeySequence {
  /// Calls `body` with a view of all the keys.
  func withView<Result>(_ body: (KeyView) -> Result) -> Result {
    keys.withUnsafeBufferPointer { keys in
      traits.withUnsafeBufferPointer { traits in body(KeyView(keys: keys, traits: traits)) }
    }
  }
}
