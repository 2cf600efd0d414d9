/// The traits of a key.
struct KeyTraits: OptionSet {
  let rawValue: UInt8

  /// It is a letter of Hangul.
  static let hangul = KeyTraits(rawValue: 1)
  /// It is a letter of Hangul that is typed with shift, such as ㅃ.
  static let shifted = KeyTraits(rawValue: 2)
  /// It is the first key of a character.
  static let startsCharacter = KeyTraits(rawValue: 4)
  /// It is the second key of a letter, such as that of ㅏ in ㅘ.
  static let endsLetter = KeyTraits(rawValue: 8)
  /// It is a Latin letter that may have been typed with shift: one in upper case and, with caps
  /// lock on, one in lower case; in queries only.
  static let mayBeShifted = KeyTraits(rawValue: 16)
  /// It is the first key of a label of a host, except in the public suffix.
  static let startsLabel = KeyTraits(rawValue: 32)

  /// Whether the same key types the same letter in the same layout.
  func isSame(as other: KeyTraits) -> Bool {
    (rawValue ^ other.rawValue) & (Self.hangul.rawValue | Self.shifted.rawValue) == 0
  }

  /// Whether this key of a query may stand for a key of a name, in either layout.
  ///
  /// With caps lock on, Q may be ㅂ too, so only a small letter is never ㅃ.
  func isMeant(for other: KeyTraits) -> Bool {
    if isSame(as: other) { return true }
    if contains(.hangul) == other.contains(.hangul) { return false }
    return !other.contains(.shifted) || contains(.mayBeShifted)
  }
}

/// The keys on a Korean keyboard (KS X 5002) that type a text, in either layout.
///
/// G마켓, ㅎ마켓 and gakzpt have the same keys, and so have 쿠팡 and ㅋㅜㅍㅏㅇ; the keys of an unfinished text
/// begin those of the whole. Blanks and punctuation have none. A character of neither layout is
/// represented by the bytes of its UTF-8.
struct KeySequence {
  /// The keys as small letters and digits, other characters as bytes.
  private(set) var keys: [UInt8] = []
  /// The traits of each key.
  private(set) var traits: [KeyTraits] = []

  /// No keys.
  init() {}

  /// The keys of a query.
  init(query text: some StringProtocol) {
    let table = KeyTable.shared
    let typed = SearchFolding.fold(String(text), keepsCase: true)
    let hasCapsLock = KeyboardLayout.hasCapsLock(typed)
    for scalar in typed {
      if ("A"..."Z").contains(scalar) || (hasCapsLock && ("a"..."z").contains(scalar)) {
        append(UInt8(scalar.value) | 0x20, [.startsCharacter, .mayBeShifted])
      } else if scalar.isASCII || Hangul.isSyllable(scalar) {
        append(scalar, table)
      } else {
        for folded in SearchFolding.fold(String(scalar)) { append(folded, table) }
      }
    }
  }

  /// The keys of folded text in UTF-8.
  init(folded text: ArraySlice<UInt8>) {
    append(folded: text)
  }

  /// Appends the keys of folded text in UTF-8.
  mutating func append(folded text: ArraySlice<UInt8>) {
    let table = KeyTable.shared
    var index = text.startIndex
    while index < text.endIndex {
      if let syllable = CatalogIndex.syllable(text[index...]) {
        append(syllable, table)
        index += 3
      } else if text[index] < 0x80 {
        append(Unicode.Scalar(text[index]), table)
        index += 1
      } else {
        let end = text[(index + 1)...].firstIndex { $0 & 0xC0 != 0x80 } ?? text.endIndex
        for scalar in String(decoding: text[index..<end], as: UTF8.self).unicodeScalars {
          append(scalar, table)
        }
        index = end
      }
    }
  }

  /// Appends the keys of a host, marking where labels outside the public suffix begin.
  mutating func append(host: [UInt8]) {
    let labels = host.split(separator: UInt8(ascii: "."))
    for (index, label) in labels.enumerated() {
      let start = count
      append(folded: label)
      if start < count, index < labels.count - WebAddress.suffixLength(of: labels) {
        traits[start].insert(.startsLabel)
      }
    }
  }

  /// Appends the keys of another text.
  mutating func append(_ other: KeySequence) {
    keys += other.keys
    traits += other.traits
  }

  /// How many keys there are.
  var count: Int { keys.count }
  /// Whether there are none.
  var isEmpty: Bool { keys.isEmpty }
  /// How many characters begin.
  var characterCount: Int { traits.count { $0.contains(.startsCharacter) } }
  /// Whether any is a letter of Hangul.
  var hasHangul: Bool { traits.contains { $0.contains(.hangul) } }

  private mutating func append(_ scalar: Unicode.Scalar, _ table: KeyTable) {
    let value = scalar.value
    if value < 0x80 {
      let byte = UInt8(value)
      if byte.isASCIIDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) {
        append(byte, .startsCharacter)
      }
    } else if Hangul.isSyllable(scalar) {
      let number = Int(value - Hangul.syllables.lowerBound)
      append(table.initials[number / (21 * 28)], .startsCharacter)
      append(table.vowels[number / 28 % 21], [])
      if number % 28 > 0 { append(table.finals[number % 28 - 1], []) }
    } else if Hangul.isConsonant(scalar) || Hangul.isVowel(scalar) {
      append(table.letters[Int(value - 0x3131)], .startsCharacter)
    } else if scalar.isOfWord {
      for (index, byte) in (UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter).enumerated() {
        append(byte, index == 0 ? .startsCharacter : [])
      }
    }
  }

  private mutating func append(_ letter: KeyTable.Letter, _ position: KeyTraits) {
    append(letter.first, letter.traits.union(position))
    if let second = letter.second { append(second, [.hangul, .endsLetter]) }
  }

  private mutating func append(_ key: UInt8, _ traits: KeyTraits) {
    keys.append(key)
    self.traits.append(traits)
  }
}

/// The keys of each letter of Hangul.
struct KeyTable {
  /// One key, or the two of a compound letter.
  struct Letter {
    let first: UInt8
    let traits: KeyTraits
    let second: UInt8?
  }

  static let shared = KeyTable()

  let initials = Hangul.initials.map(letter)
  let vowels = Hangul.vowels.map(letter)
  let finals = Hangul.finals.map(letter)
  /// Those of U+3131 to U+3163.
  let letters = (0x3131...0x3163).compactMap(Unicode.Scalar.init(_:)).map(letter)

  private static func letter(_ scalar: Unicode.Scalar) -> Letter {
    let parts = Hangul.parts(of: scalar)
    let key = KeyboardLayout.key(of: parts?.0 ?? scalar)
    return Letter(
      first: key | 0x20, traits: key & 0x20 == 0 ? [.hangul, .shifted] : .hangul,
      second: parts.map { KeyboardLayout.key(of: $0.1) })
  }
}

extension Unicode.Scalar {
  /// Whether words consist of it: a letter, a digit or a mark on one; not a blank, punctuation or a
  /// symbol.
  var isOfWord: Bool {
    if isASCII {
      return ("a"..."z").contains(self) || ("A"..."Z").contains(self) || ("0"..."9").contains(self)
    }
    switch properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
      .nonspacingMark, .spacingMark, .enclosingMark, .decimalNumber, .letterNumber, .otherNumber:
      return true
    default:
      return false
    }
  }
}
