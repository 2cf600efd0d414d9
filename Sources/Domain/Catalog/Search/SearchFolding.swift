/// Folds what a search treats as equal: upper and lower case, full and half width, composed and
/// decomposed letters; spaces of every kind are dropped.
///
/// Width is folded here, since NFKC would turn ㅋ into another character.
enum SearchFolding {
  /// Whether a text is empty once it is folded, so that the whole list is meant.
  static func isBlank(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy(\.properties.isWhitespace)
  }

  /// The folded text; `keepsCase` keeps upper case, for text that is read as keys of a keyboard.
  static func fold(_ text: String, keepsCase: Bool = false) -> [Unicode.Scalar] {
    var kept = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      let scalar = usualWidth(of: scalar)
      guard !isSkipped(scalar) else { continue }
      if keepsCase {
        kept.append(scalar)
      } else {
        // Via upper case, so that ß becomes ss and a final sigma a plain one.
        for upper in scalar.properties.uppercaseMapping.unicodeScalars {
          kept.append(contentsOf: upper.properties.lowercaseMapping.unicodeScalars)
        }
      }
    }
    var folded: [Unicode.Scalar] = []
    for scalar in String(kept).normalizedNFC.unicodeScalars {
      let letter = Hangul.typed(scalar) ?? scalar
      // Typing ㄱ and ㅅ gives ㄳ. Vowels join only within syllables, which this does not touch.
      if Hangul.isConsonant(letter), let (first, second) = Hangul.parts(of: letter) {
        folded += [first, second]
      } else {
        folded.append(letter)
      }
    }
    return folded
  }

  /// Appends the folded text as UTF-8.
  static func append(_ text: String, to bytes: inout [UInt8]) {
    guard text.unicodeScalars.allSatisfy({ $0.isASCII || Hangul.isSyllable($0) }) else {
      for scalar in fold(text) { append(scalar, to: &bytes) }
      return
    }
    // The fast path of nearly every name.
    for byte in text.utf8 {
      switch byte {
      case 0x09...0x0D, 0x20: continue
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): bytes.append(byte | 0x20)
      default: bytes.append(byte)
      }
    }
  }

  static func append(_ scalar: Unicode.Scalar, to bytes: inout [UInt8]) {
    bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
  }

  private static func isSkipped(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isWhitespace || scalar.properties.isDefaultIgnorableCodePoint
  }

  private static let narrowKatakana = Array(
    "。「」、・ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン\u{3099}\u{309A}"
      .unicodeScalars)
  private static let wideSymbols = Array("¢£¬¯¦¥₩".unicodeScalars)

  /// A text with each character in its usual width.
  static func inUsualWidth(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: { usualWidth(of: $0) != $0 }) else { return text }
    var usual = String.UnicodeScalarView()
    usual.append(contentsOf: text.unicodeScalars.map(usualWidth))
    return String(usual)
  }

  /// A character of the block Halfwidth and Fullwidth Forms (U+FF00) in its usual width.
  private static func usualWidth(of scalar: Unicode.Scalar) -> Unicode.Scalar {
    let value = scalar.value
    guard (0xFF01...0xFFE6).contains(value) else { return scalar }
    let usual: Unicode.Scalar? =
      switch value {
      case 0xFF01...0xFF5E: Unicode.Scalar(value - 0xFF01 + 0x21)
      case 0xFF61...0xFF9F: narrowKatakana[Int(value - 0xFF61)]
      case 0xFFA1...0xFFBE: Unicode.Scalar(value - 0xFFA1 + 0x3131)
      case 0xFFC2...0xFFC7: Unicode.Scalar(value - 0xFFC2 + 0x314F)
      case 0xFFCA...0xFFCF: Unicode.Scalar(value - 0xFFCA + 0x3155)
      case 0xFFD2...0xFFD7: Unicode.Scalar(value - 0xFFD2 + 0x315B)
      case 0xFFDA...0xFFDC: Unicode.Scalar(value - 0xFFDA + 0x3161)
      case 0xFFE0...0xFFE6: wideSymbols[Int(value - 0xFFE0)]
      default: nil
      }
    return usual ?? scalar
  }
}
