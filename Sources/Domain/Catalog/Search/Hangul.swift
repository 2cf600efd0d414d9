/// Hangul syllables and the single letters (jamo) that they are made of.
///
/// Letters are the compatibility jamo that people type, U+3131 to U+3163; the conjoining jamo from
/// U+1100 on, of which decomposed text consists, are converted to them.
enum Hangul {
  /// Syllables are numbered by initial, vowel and final (The Unicode Standard, section 3.12).
  static let syllables: ClosedRange<UInt32> = 0xAC00...0xD7A3

  static let initials = Array("ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ".unicodeScalars)
  static let vowels = Array("ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ".unicodeScalars)
  /// The final number 1; 0 means no final.
  static let finals = Array("ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ".unicodeScalars)

  /// Compound letters, which are typed as two, with their parts.
  private static let compounds = [
    "ㄳㄱㅅ", "ㄵㄴㅈ", "ㄶㄴㅎ", "ㄺㄹㄱ", "ㄻㄹㅁ", "ㄼㄹㅂ", "ㄽㄹㅅ", "ㄾㄹㅌ", "ㄿㄹㅍ", "ㅀㄹㅎ", "ㅄㅂㅅ", "ㅘㅗㅏ",
    "ㅙㅗㅐ", "ㅚㅗㅣ", "ㅝㅜㅓ", "ㅞㅜㅔ", "ㅟㅜㅣ", "ㅢㅡㅣ",
  ].map { Array($0.unicodeScalars) }

  static func isSyllable(_ scalar: Unicode.Scalar) -> Bool { syllables.contains(scalar.value) }

  static func isConsonant(_ scalar: Unicode.Scalar) -> Bool {
    (0x3131...0x314E).contains(scalar.value)
  }

  static func isVowel(_ scalar: Unicode.Scalar) -> Bool {
    (0x314F...0x3163).contains(scalar.value)
  }

  /// The initial consonant of a syllable; nil for anything else.
  static func initial(of scalar: Unicode.Scalar) -> Unicode.Scalar? {
    guard isSyllable(scalar) else { return nil }
    return initials[Int(scalar.value - syllables.lowerBound) / (21 * 28)]
  }

  /// The syllable that these letters form; nil where they form none.
  static func syllable(
    _ initial: Unicode.Scalar, _ vowel: Unicode.Scalar, _ final: Unicode.Scalar?
  ) -> Unicode.Scalar? {
    guard let first = initials.firstIndex(of: initial), let middle = vowels.firstIndex(of: vowel)
    else { return nil }
    var last = 0
    if let final {
      guard let index = finals.firstIndex(of: final) else { return nil }
      last = index + 1
    }
    return Unicode.Scalar(syllables.lowerBound + UInt32((first * 21 + middle) * 28 + last))
  }

  /// The two letters that a compound one is typed as; nil for any other.
  static func parts(of letter: Unicode.Scalar) -> (Unicode.Scalar, Unicode.Scalar)? {
    compounds.first { $0[0] == letter }.map { ($0[1], $0[2]) }
  }

  /// The compound letter of two letters; nil where there is none.
  static func compound(_ first: Unicode.Scalar, _ second: Unicode.Scalar) -> Unicode.Scalar? {
    compounds.first { $0[1] == first && $0[2] == second }?[0]
  }

  /// The letter that people type for a conjoining one; nil for anything else, archaic ones too.
  static func typed(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
    switch scalar.value {
    case 0x1100...0x1112: initials[Int(scalar.value) - 0x1100]
    case 0x1161...0x1175: vowels[Int(scalar.value) - 0x1161]
    case 0x11A8...0x11C2: finals[Int(scalar.value) - 0x11A8]
    default: nil
    }
  }
}
