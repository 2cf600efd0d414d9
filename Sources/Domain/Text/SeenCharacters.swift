extension Unicode.Scalar {
  /// Why a character cannot stand in a name.
  enum NameFault: Equatable {
    /// It ends a line or controls a terminal.
    case control(Unicode.Scalar)
    /// It changes the direction of writing (Unicode Standard Annex 9, section 2).
    case bidiControl
    /// It is invisible where it stands.
    case unseen
    /// It is a blank that looks like, or nearly like, a plain space.
    case oddBlank
    /// It replaces bytes that were not text.
    case replacement
    /// It is for private use or unassigned, so that its look is undefined.
    case meaningless
  }

  /// Whether it takes up space and is invisible.
  var isBlank: Bool {
    // Braille, hieroglyphs and musical notation have blanks of their own.
    properties.isWhitespace || [0x2800, 0x1_3441, 0x1_3442, 0x1_D159].contains(value)
  }

  /// Whether it is invisible among letters and digits.
  var isHidden: Bool { isBlank || ownNameFault == .unseen }

  /// Its description with its code point, for people who cannot see it.
  var inWords: String {
    let name =
      switch self {
      case " ": "a blank"
      case "\u{A0}", "\u{202F}": "a no-break space"
      case "\u{3000}": "a full-width blank"
      case "\u{FEFF}": "a byte order mark"
      case "\u{200B}"..."\u{200D}", "\u{2060}": "a character that shows nothing"
      case "\u{2018}"..."\u{201F}", "'", "\"": "a quotation mark that quotes nothing"
      case "\t": "a tab"
      case "\n", "\r": "a line break"
      default:
        if isBlank {
          "a blank"
        } else if isHidden {
          "a character that shows nothing"
        } else {
          "a character that does not belong there"
        }
      }
    return "\(name) (\(codePoint))"
  }

  /// Whether it is drawn on the character before it.
  var isMark: Bool {
    switch properties.generalCategory {
    case .nonspacingMark, .spacingMark, .enclosingMark: true
    default: false
    }
  }

  /// Such as `U+200B`.
  var codePoint: String {
    let digits = String(value, radix: 16, uppercase: true)
    return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }

  /// Whether it is visible in every context; this decides most characters.
  fileprivate var isPlainlySeen: Bool {
    switch value {
    case 0x20...0x7E, 0xC0...0x24F, 0xAC00...0xD7A3, 0x4E00...0x9FFF: true
    default: false
    }
  }

  /// Whether it is an emoji; digits and signs, which are emoji only with a keycap, do not count.
  fileprivate var isEmoji: Bool { value > 0x7F && properties.isEmoji }

  /// Whether it is a virama, which removes the vowel of the consonant before it and joins that to
  /// the next.
  fileprivate var isVirama: Bool { properties.canonicalCombiningClass == .virama }

  /// A letter or mark of a script whose letters join: Arabic to N'Ko, Indic, Tibetan, Myanmar, Khmer
  /// and Mongolian.
  fileprivate var isJoining: Bool {
    guard
      (0x0600...0x0DFF).contains(value) || (0x0F00...0x109F).contains(value)
        || (0x1780...0x18AF).contains(value) || (0xFB50...0xFDFF).contains(value)
        || (0xFE70...0xFEFC).contains(value)
    else { return false }
    return properties.isAlphabetic || isMark
  }

  /// Format characters that are signs around the digits that follow (Prepended_Concatenation_Mark).
  fileprivate var isPrependedMark: Bool {
    switch value {
    case 0x600...0x605, 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x1_10BD, 0x1_10CD: true
    default: false
    }
  }

  /// Its fault regardless of its neighbours; a joiner or a variation selector is `unseen`.
  fileprivate var ownNameFault: NameFault? {
    if isPlainlySeen { return nil }
    if isControl { return .control(self) }
    if properties.isBidiControl { return .bidiControl }
    if value == 0xFFFD { return .replacement }
    if properties.isDefaultIgnorableCodePoint { return .unseen }
    switch properties.generalCategory {
    case .unassigned, .privateUse, .surrogate: return .meaningless
    case .format: return isPrependedMark ? nil : .unseen
    default:
      // The filler of the Khitan script, and the stand-in for an object that is not in the text.
      if value == 0x1_6FE4 || value == 0xFFFC { return .unseen }
      return isBlank ? .oddBlank : nil
    }
  }
}

extension [Unicode.Scalar] {
  /// Why the character at a place cannot stand in a name; nil where it can.
  func nameFault(at index: Int) -> Unicode.Scalar.NameFault? {
    guard let fault = self[index].ownNameFault else { return nil }
    return fault == .unseen && changesWhatIsSeen(at: index) ? nil : fault
  }

  /// Whether it holds no blank and no character that names must not have.
  var isSeenWithoutBlanks: Bool {
    indices.allSatisfy { !self[$0].isBlank && nameFault(at: $0) == nil }
  }

  /// Whether an invisible character changes how its neighbours look.
  private func changesWhatIsSeen(at index: Int) -> Bool {
    guard index > 0 else { return false }
    let before = self[index - 1]
    let after = index + 1 < count ? self[index + 1] : nil
    switch self[index].value {
    // Joiners as in domain names (RFC 5892 appendices A.1 and A.2), and the joiner between emoji.
    case 0x200C:
      return before.isVirama || (before.isJoining && after?.isJoining == true)
    case 0x200D:
      let isGlue = before.isEmoji || before.value == 0xFE0F
      return before.isVirama || (isGlue && after?.isEmoji == true)
    case 0xFE0E, 0xFE0F:
      let isKeycap = "0123456789#*".unicodeScalars.contains(before) && after?.value == 0x20E3
      return before.isEmoji || isKeycap
    case 0xFE00...0xFE0D, 0xE_0100...0xE_01EF:
      // Variants of a Chinese character, as in names of people and places.
      return before.properties.isIdeographic
    default: return false
    }
  }
}

extension StringProtocol {
  /// The text on one line for messages and tables: what controls a terminal, is invisible or has no
  /// meaning is escaped, such as `\u{202e}`.
  public var withUnseenEscaped: String {
    if utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return String(self) }
    let scalars = Array(unicodeScalars)
    var result = ""
    for index in scalars.indices {
      switch scalars.nameFault(at: index) {
      case nil, .replacement: result.unicodeScalars.append(scalars[index])
      case .control("\n"): result += #"\n"#
      case .control("\r"): result += #"\r"#
      case .control("\t"): result += #"\t"#
      case .some: result += #"\u{"# + String(scalars[index].value, radix: 16) + "}"
      }
    }
    return result
  }
}
