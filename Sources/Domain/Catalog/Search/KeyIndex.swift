/// The keys of all texts that businesses are found by, in memory and immutable once it is built.
///
/// A scan reads a signature of eight bytes for each text, sometimes a second one, and compares the
/// keys of the few texts that pass.
struct KeyIndex {
  /// What a text is to its business.
  enum Kind: UInt8 {
    case id
    case name
    case alias
    case programName
    /// The host of the shop's URL.
    case host

    /// Where an occurrence may begin: in a host, at a label that is not of its public suffix.
    var beginning: KeyTraits { self == .host ? .startsLabel : .startsCharacter }
  }

  /// The keys of all texts.
  private var all = KeySequence()
  /// Where each text begins, and where the last one ends.
  private var starts: [UInt32] = [0]
  private var signatures: [KeySignature] = []
  private var triples: [KeyTriples] = []
  /// The first text of each business, and the end of the last one's.
  private var firsts: [UInt32] = [0]

  /// Adds a folded text of the business that the next `endBusiness` completes.
  mutating func append(folded text: ArraySlice<UInt8>, kind: Kind) {
    let start = all.count
    all.append(folded: text)
    endText(from: start, kind)
  }

  /// Adds the host of the shop of the business that the next `endBusiness` completes.
  mutating func append(host: [UInt8]) {
    let start = all.count
    all.append(host: host)
    endText(from: start, .host)
  }

  private mutating func endText(from start: Int, _ kind: Kind) {
    // The ID comes first, even where it is all punctuation.
    guard all.count > start || kind == .id else { return }
    starts.append(UInt32(all.count))
    signatures.append(KeySignature(all.keys[start...], kind: kind))
    triples.append(KeyTriples(all.keys[start...]))
  }

  mutating func endBusiness() {
    firsts.append(UInt32(signatures.count))
  }

  /// Calls `body` with each text whose keys equal the query's, typed with the same layout.
  func forEachWhole(_ query: KeySequence, _ body: (_ business: Int, _ kind: Kind) -> Void) {
    guard !query.isEmpty else { return }
    let wanted = KeySignature(query.keys, kind: .id)
    all.withView { all in
      query.withView { query in
        scan({ $0.mayEqual(wanted) }) { business, text in
          if all.part(range(of: text)).isSame(as: query) { body(business, signatures[text].kind) }
        }
      }
    }
  }

  /// Calls `body` with each text that contains the query from the start of a character.
  func forEachOccurrence(
    of query: KeySequence, _ body: (_ business: Int, _ kind: Kind, KeyOccurrence) -> Void
  ) {
    let wanted = KeySignature(query.keys, kind: .id)
    let wantedTriples = KeyTriples(query.keys)
    all.withView { all in
      query.withView { query in
        scan({ $0.mayHold(wanted) }) { business, text in
          guard triples[text].mayHold(wantedTriples) else { return }
          let kind = signatures[text].kind
          all.part(range(of: text)).forEachOccurrence(of: query, from: kind.beginning) {
            body(business, kind, $0)
          }
        }
      }
    }
  }

  /// Calls `body` with each text that the query nearly equals.
  func forEachNear(_ query: NearQuery, _ body: (_ business: Int, NearQuery.Distance) -> Void) {
    all.withView { all in
      query.keys.withView { keys in
        scan({ query.mayFit($0) }) { business, text in
          let distance = NearQuery.distance(keys, all.part(range(of: text)))
          if let distance { body(business, distance) }
        }
      }
    }
  }

  /// Calls `body` with each business that has every word, and with the rank of its worst match
  /// among the words.
  ///
  /// Signatures select the businesses that may have all the words. A word of one key counts only at
  /// the start of a text, since nearly every business contains it somewhere.
  ///
  /// - Parameters:
  ///   - words: the words that each business has to have.
  ///   - rank: the rank of an occurrence; nil where it does not count.
  ///   - body: called in the order of names.
  /// - Returns: how many texts were compared key by key.
  func forEachBusiness(
    having words: KeyWords, rank: (KeyOccurrence) -> MatchRank?,
    _ body: (_ business: Int, MatchRank) -> Void
  ) -> Int {
    guard !words.words.isEmpty else { return 0 }
    var compared = 0
    all.withView { all in
      words.keys.withView { keys in
        for business in 0..<(firsts.count - 1) {
          let texts = Int(firsts[business])..<Int(firsts[business + 1])
          guard words.words.allSatisfy({ word in texts.contains { mayHave(word, $0) } }) else {
            continue
          }
          var worst: MatchRank?
          // Short words first, which are the quickest to compare.
          let hasAll = words.words.reversed().allSatisfy { word in
            var best: MatchRank?
            let note = { (occurrence: KeyOccurrence) in
              if let rank = rank(occurrence) { best = best.map { min($0, rank) } ?? rank }
            }
            for text in texts where mayHave(word, text) {
              compared += 1
              let (view, query) = (all.part(range(of: text)), keys.part(word.range))
              if word.range.count == 1 {
                view.beginning(of: query).map(note)
              } else {
                view.forEachOccurrence(of: query, from: signatures[text].kind.beginning, note)
              }
            }
            guard let best else { return false }
            worst = worst.map { max($0, best) } ?? best
            return true
          }
          if hasAll, let worst { body(business, worst) }
        }
      }
    }
    return compared
  }

  /// Whether a text may have a word.
  @inline(__always)
  private func mayHave(_ word: KeyWords.Word, _ text: Int) -> Bool {
    word.range.count == 1
      ? signatures[text].mayBegin(as: word.signature)
      : signatures[text].mayHold(word.signature) && triples[text].mayHold(word.triples)
  }

  /// The keys of a business's id.
  func id(of business: Int) -> ArraySlice<UInt8> {
    all.keys[range(of: Int(firsts[business]))]
  }

  private func range(of text: Int) -> Range<Int> {
    Int(starts[text])..<Int(starts[text + 1])
  }

  /// Calls `body` with each text whose signature passes; inlined, since a search spends most of its
  /// time here.
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
}
