/// What a syllable at the end of a query may become: an input method shows 쿠팡 as 쿠, 쿺, 쿠파 and 쿠팡
/// while it is being typed.
struct UnfinishedSyllable {
  /// What has to stand before the syllable, to the letter.
  let before: [Unicode.Scalar]
  /// The initial consonant of the syllable that is to come.
  let initial: Unicode.Scalar
  /// The vowels that it may have; nil for any.
  private var vowels: [Unicode.Scalar]?
  /// The finals that it may have; nil for any.
  private var finals: [Unicode.Scalar]?

  /// Whether it may become this syllable, its initial being right; nil is a letter by itself.
  func fits(_ syllable: Unicode.Scalar?) -> Bool {
    guard let letters = syllable.flatMap(Hangul.letters) else {
      return vowels == nil && finals == nil
    }
    return vowels?.contains(letters[1]) != false
      && (finals.map { letters.count == 3 && $0.contains(letters[2]) } ?? true)
  }

  /// What a folded text may be about to become; nothing where no syllable stands at its end.
  static func endings(of text: [Unicode.Scalar]) -> [UnfinishedSyllable] {
    guard let last = text.last, let letters = Hangul.letters(of: last) else { return [] }
    let (before, initial, vowel) = (Array(text.dropLast()), letters[0], letters[1])
    guard letters.count == 3 else {
      // 고 may become 곡, and 과.
      return [
        UnfinishedSyllable(
          before: before, initial: initial, vowels: [vowel] + Hangul.compounds(from: vowel))
      ]
    }
    // The final, or its second half, may be the next syllable's initial: 밗 is 박 and ㅅ.
    let (stays, moves) = Hangul.parts(of: letters[2]).map { ($0.0, $0.1) } ?? (nil, letters[2])
    let open = Hangul.syllable(initial, vowel, stays).map { [$0] } ?? []
    let doubled = Hangul.compounds(from: letters[2])
    return [UnfinishedSyllable(before: before + open, initial: moves)]
      + (doubled.isEmpty
        ? []
        : [
          UnfinishedSyllable(
            before: before, initial: initial, vowels: [vowel], finals: doubled)
        ])
  }

  private init(
    before: [Unicode.Scalar], initial: Unicode.Scalar, vowels: [Unicode.Scalar]? = nil,
    finals: [Unicode.Scalar]? = nil
  ) {
    self.before = before
    self.initial = initial
    self.vowels = vowels
    self.finals = finals
  }
}
