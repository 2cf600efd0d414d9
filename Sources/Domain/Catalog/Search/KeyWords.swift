/// The keys of several words, all of which a business has to have.
struct KeyWords {
  /// One of the words.
  struct Word {
    /// Where its keys are.
    let range: Range<Int>
    let signature: KeySignature
    let triples: KeyTriples
  }

  /// The keys of all words.
  private(set) var keys = KeySequence()
  /// The longest comes first.
  private(set) var words: [Word] = []

  /// Takes words in any order; a word that another contains is left out.
  init(_ words: [KeySequence]) {
    for word in words.sorted(by: { $0.count > $1.count }) where !holds(word) {
      let start = keys.count
      keys.append(word)
      self.words.append(
        Word(
          range: start..<keys.count, signature: KeySignature(word.keys, kind: .id),
          triples: KeyTriples(word.keys)))
    }
  }

  private func holds(_ word: KeySequence) -> Bool {
    var isHeld = false
    keys.withView { keys in
      word.withView { word in
        for other in words {
          keys.part(other.range).forEachOccurrence(of: word) { occurrence in
            isHeld = isHeld || (occurrence.isAsTyped && occurrence.isFinished)
          }
        }
      }
    }
    return isHeld
  }
}
