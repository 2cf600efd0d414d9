/// The Korean two-set keyboard layout (dubeolsik, KS X 5002) on top of the English one.
enum KeyboardLayout {
  private static let pairs: [(letter: Unicode.Scalar, key: Unicode.Scalar)] = [
    ("ㅂ", "q"), ("ㅈ", "w"), ("ㄷ", "e"), ("ㄱ", "r"), ("ㅅ", "t"), ("ㅛ", "y"), ("ㅕ", "u"),
    ("ㅑ", "i"), ("ㅐ", "o"), ("ㅔ", "p"), ("ㅁ", "a"), ("ㄴ", "s"), ("ㅇ", "d"), ("ㄹ", "f"),
    ("ㅎ", "g"), ("ㅗ", "h"), ("ㅓ", "j"), ("ㅏ", "k"), ("ㅣ", "l"), ("ㅋ", "z"), ("ㅌ", "x"),
    ("ㅊ", "c"), ("ㅍ", "v"), ("ㅠ", "b"), ("ㅜ", "n"), ("ㅡ", "m"), ("ㅃ", "Q"), ("ㅉ", "W"),
    ("ㄸ", "E"), ("ㄲ", "R"), ("ㅆ", "T"), ("ㅒ", "O"), ("ㅖ", "P"),
  ]
  private static let keys = Dictionary(
    uniqueKeysWithValues: pairs.map { ($0.letter, UInt8(ascii: $0.key)) })
  private static let letters = Dictionary(uniqueKeysWithValues: pairs.map { ($0.key, $0.letter) })

  /// The key of a letter that one key types; an upper-case letter where shift is held.
  static func key(of letter: Unicode.Scalar) -> UInt8 {
    guard let key = keys[letter] else { preconditionFailure("no key types this letter") }
    return key
  }

  /// The Korean readings of the keys of English letters, folded; none where there are no such
  /// letters.
  ///
  /// - Parameter text: a query as typed, in any case.
  /// - Returns: one reading, or several where upper case may mean shift or caps lock.
  static func hangulReadings(of text: String) -> [[Unicode.Scalar]] {
    let typed = SearchFolding.fold(text, keepsCase: true)
    // With caps lock on, Q is a q.
    var readings = [hangul(typed), hangul(typed.map(lowercase))]
    if hasCapsLock(typed) { readings.append(hangul(typed.map(swapCase))) }
    var others: [[Unicode.Scalar]] = []
    for case let reading? in readings where !others.contains(reading) { others.append(reading) }
    return others
  }

  /// Whether the Latin letters look as if typed with caps lock on: letters that shift does not
  /// change in Korean are in upper case, and only letters that shift doubles, as t to ㅆ, are in
  /// lower case.
  static func hasCapsLock(_ text: [Unicode.Scalar]) -> Bool {
    var hasPlain = false
    for scalar in text {
      if ("A"..."Z").contains(scalar) {
        hasPlain = hasPlain || letters[scalar] == nil
      } else if ("a"..."z").contains(scalar), letters[swapCase(scalar)] == nil {
        return false
      }
    }
    return hasPlain
  }

  private static func swapCase(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    ("A"..."Z").contains(scalar) || ("a"..."z").contains(scalar)
      ? Unicode.Scalar(UInt8(scalar.value) ^ 0x20) : scalar
  }

  private static func hangul(_ text: [Unicode.Scalar]) -> [Unicode.Scalar]? {
    var composer = SyllableComposer()
    var isEnglish = false
    for scalar in text {
      let letter = letters[scalar] ?? letters[lowercase(scalar)]
      isEnglish = isEnglish || letter != nil
      composer.type(letter ?? scalar)
    }
    return isEnglish ? SearchFolding.fold(composer.finish()) : nil
  }

  private static func lowercase(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    ("A"..."Z").contains(scalar) ? Unicode.Scalar(UInt8(scalar.value) | 0x20) : scalar
  }
}

/// Composes letters in typing order into syllables, as an input method does.
private struct SyllableComposer {
  private var done = String.UnicodeScalarView()
  private var initial: Unicode.Scalar?
  private var vowel: Unicode.Scalar?
  private var final: Unicode.Scalar?

  mutating func type(_ scalar: Unicode.Scalar) {
    if Hangul.isVowel(scalar) {
      type(vowel: scalar)
    } else if Hangul.isConsonant(scalar) {
      type(consonant: scalar)
    } else {
      commit()
      done.append(scalar)
    }
  }

  mutating func finish() -> String {
    commit()
    return String(done)
  }

  private mutating func type(consonant: Unicode.Scalar) {
    if initial != nil, vowel != nil {
      if let final {
        if let both = Hangul.compound(final, consonant) {
          self.final = both
          return
        }
      } else if Hangul.finals.contains(consonant) {
        final = consonant
        return
      }
    }
    commit()
    initial = consonant
  }

  private mutating func type(vowel next: Unicode.Scalar) {
    if let final {
      // A supposed final, or its second half, begins the next syllable: 각 and ㅏ become 가가.
      let (stays, moves) = Hangul.parts(of: final).map { ($0.0, $0.1) } ?? (nil, final)
      self.final = stays
      commit()
      initial = moves
      vowel = next
    } else if let vowel {
      if let both = Hangul.compound(vowel, next) {
        self.vowel = both
      } else {
        commit()
        self.vowel = next
      }
    } else {
      vowel = next
    }
  }

  private mutating func commit() {
    if let initial, let vowel, let syllable = Hangul.syllable(initial, vowel, final) {
      done.append(syllable)
    } else {
      done.append(contentsOf: [initial, vowel, final].compactMap(\.self))
    }
    (initial, vowel, final) = (nil, nil, nil)
  }
}
