/// The keys of everything that businesses are found by, in memory and never changed once it is built.
///
/// A scan reads a signature of eight bytes a text and looks at the keys of the few that it lets pass.
struct KeyIndex {
  /// What a text is to its business.
  enum Kind: UInt8 {
    case id
    case name
    case alias
    case programName
    /// The host of the shop's URL.
    case host
  }

  /// How a text holds what was searched for.
  struct Occurrence {
    enum Place { case whole, start, inside }

    let place: Place
    /// Whether every key is of the layout that was on.
    let isAsTyped: Bool
    /// Whether a character ends where the query does, so that nothing is still to be typed of it.
    let isFinished: Bool
  }

  /// The keys of all texts.
  private var all = KeySequence()
  /// Where each text begins, and where the last one ends.
  private var starts: [UInt32] = [0]
  private var signatures: [KeySignature] = []
  /// The first text of each business, and the end of the last one's.
  private var firsts: [UInt32] = [0]

  /// Adds a folded text of the business that `endBusiness` is to close.
  mutating func append(folded text: ArraySlice<UInt8>, kind: Kind) {
    let start = all.count
    all.append(folded: text)
    guard all.count > start else { return }
    starts.append(UInt32(all.count))
    signatures.append(KeySignature(all.keys[start...], kind: kind))
  }

  mutating func endBusiness() {
    firsts.append(UInt32(signatures.count))
  }

  /// Calls `body` with each text whose keys are those of the query, typed with the same layout.
  func forEachWhole(_ query: KeySequence, _ body: (_ business: Int, _ kind: Kind) -> Void) {
    let wanted = KeySignature(query.keys, kind: .id)
    scan({ $0.mayEqual(wanted) }) { business, text in
      let range = range(of: text)
      guard range.count == query.count,
        occurrence(of: query, at: range.lowerBound, in: range)?.isAsTyped == true
      else { return }
      body(business, signatures[text].kind)
    }
  }

  /// Calls `body` with each text that holds the query, from the beginning of a character.
  func forEachOccurrence(
    of query: KeySequence, _ body: (_ business: Int, _ kind: Kind, Occurrence) -> Void
  ) {
    let wanted = KeySignature(query.keys, kind: .id)
    scan({ $0.mayHold(wanted) }) { business, text in
      forEachOccurrence(of: query, in: text) { body(business, signatures[text].kind, $0) }
    }
  }

  /// Calls `body` with each text of a business that holds the query.
  func forEachOccurrence(
    of query: KeySequence, _ wanted: KeySignature, inBusiness business: Int,
    _ body: (Kind, Occurrence) -> Void
  ) {
    for text in Int(firsts[business])..<Int(firsts[business + 1])
    where signatures[text].mayHold(wanted) {
      forEachOccurrence(of: query, in: text) { body(signatures[text].kind, $0) }
    }
  }

  /// Calls `body` with each text that is nearly the query's.
  func forEachNear(_ query: NearQuery, _ body: (_ business: Int, NearQuery.Distance) -> Void) {
    scan(query.mayFit) { business, text in
      let range = range(of: text)
      if let distance = query.distance(to: all.keys[range], all.traits[range]) {
        body(business, distance)
      }
    }
  }

  /// The keys of a business's id.
  func id(of business: Int) -> ArraySlice<UInt8> {
    all.keys[range(of: Int(firsts[business]))]
  }

  private func range(of text: Int) -> Range<Int> {
    Int(starts[text])..<Int(starts[text + 1])
  }

  /// Calls `body` with each text whose signature passes; inlined, since it is all that a search waits for.
  @inline(__always)
  private func scan(
    _ passes: (KeySignature) -> Bool, _ body: (_ business: Int, _ text: Int) -> Void
  ) {
    signatures.withUnsafeBufferPointer { signatures in
      var business = 0
      for text in 0..<signatures.count where passes(signatures[text]) {
        while firsts[business + 1] <= text { business += 1 }
        body(business, text)
      }
    }
  }

  private func forEachOccurrence(
    of query: KeySequence, in text: Int, _ body: (Occurrence) -> Void
  ) {
    let range = range(of: text)
    guard let first = query.keys.first, range.count >= query.count else { return }
    for start in range.lowerBound...(range.upperBound - query.count)
    where all.keys[start] == first && all.traits[start].contains(.startsCharacter) {
      if let found = occurrence(of: query, at: start, in: range) { body(found) }
    }
  }

  private func occurrence(
    of query: KeySequence, at start: Int, in range: Range<Int>
  ) -> Occurrence? {
    var isAsTyped = true
    for index in 0..<query.count {
      guard all.keys[start + index] == query.keys[index] else { return nil }
      let (typed, meant) = (query.traits[index], all.traits[start + index])
      if typed.isSame(as: meant) { continue }
      guard typed.isMeant(for: meant) else { return nil }
      isAsTyped = false
    }
    let end = start + query.count
    let isAtStart = start == range.lowerBound
    return Occurrence(
      place: !isAtStart ? .inside : end == range.upperBound ? .whole : .start,
      isAsTyped: isAsTyped,
      isFinished: end == range.upperBound || all.traits[end].contains(.startsCharacter))
  }
}
