internal import Domain

/// Recognizes what a log or a careful person writes in the place of a value.
enum Masking {
  /// Characters for hidden or omitted text.
  static let marks: Set<Unicode.Scalar> = [
    "*", "\u{2022}", "\u{25CF}", "\u{25A0}", "\u{2026}", "\u{22EF}", "\u{FF0A}", "\u{00D7}",
    "\u{2580}", "\u{2584}", "\u{2588}", "\u{2589}", "\u{258A}", "\u{258B}", "\u{258C}",
    "\u{2591}", "\u{2592}", "\u{2593}",
    // Circles, and the Korean letter that is used for one.
    "\u{25CB}", "\u{25EF}", "\u{3007}", "\u{3147}",
  ]
  /// Letters for hidden text, where one is repeated and stands alone.
  private static let runLetters = Array("xXoO#*.".utf8)

  private static let words: [String] = [
    "redacted", "filtered", "hidden", "masked", "removed", "omitted", "sensitive", "censored",
    "stripped", "scrubbed", "elided", "truncated", "your_", "your-", "process.env", "os.environ",
    "sha256:", "md5:",
  ]

  private static let koreanWords = ["가림", "생략", "비공개", "마스킹", "숨김", "삭제", "비밀"]

  /// Words for a value, only where they stand alone.
  private static let wholeWords: Set<String> = [
    "private", "confidential", "secret", "n/a",
  ]

  /// The length in bytes of a Korean word for hidden text that stands alone at `index`, perhaps in
  /// parentheses; 0 where there is none.
  static func wordLength(in bytes: [UInt8], at index: Int) -> Int {
    let text = bytes[min(index, bytes.count)...].prefix(40).prefix {
      $0 > 0x20 && $0 != UInt8(ascii: "\"")
    }
    // A name with its middle hidden, `홍*동`.
    if text.first.map({ $0 >= 0x80 }) ?? false, text.contains(UInt8(ascii: "*")),
      text.allSatisfy({ $0 >= 0x80 || $0 == UInt8(ascii: "*") })
    {
      return text.count
    }
    let word = text.drop { "([<".utf8.contains($0) }.prefix { $0 >= 0x80 }
    let behind = bytes[word.endIndex...].prefix(16).drop { ")]>,;.".utf8.contains($0) }
    guard
      koreanWords.contains(where: {
        word.elementsEqual($0.utf8) || word.elementsEqual(($0 + "됨").utf8)
      }),
      behind.first.map({ " \n}\"'".utf8.contains($0) }) ?? true
    else { return 0 }
    let closing = bytes[word.endIndex...].prefix { ")]>".utf8.contains($0) }
    return closing.endIndex - index
  }

  /// Whether a URL contains `***`, `[FILTERED]`, `<host>`, `{{key}}` or a Korean word like them, or
  /// `REDACTED` or `xxxx` in the place of a value, encoded or not.
  static func holdsPlaceholder(inURL url: String) -> Bool {
    guard url.utf8.count <= StructuredFieldReader.longestValue else { return false }
    let text = String(decoding: PercentEncoding.decoded(url), as: UTF8.self)
    let bytes = Array(text.utf8)
    let query = text.utf8.drop { $0 != UInt8(ascii: "?") }
    let values = query.split { "?&=/".utf8.contains($0) }.map { String(Substring($0)) }
    return holdsBracketed(bytes) || bytes.firstIndex(of: "{{") != nil
      || text.utf8.contains("***".utf8)
      || values.contains { words.contains($0.lowercased()) || isRun(Array($0.utf8)[...]) }
      || koreanWords.contains {
        text.utf8.contains("(\($0))".utf8) || text.utf8.contains("<\($0)>".utf8)
      }
  }

  /// The length in bytes of the mark at `index`; 0 where there is none.
  static func markLength(in bytes: [UInt8], at index: Int) -> Int {
    // Every mark outside ASCII has two or three bytes.
    for length in 2...3 where index + length <= bytes.count {
      let text = String(decoding: bytes[index..<(index + length)], as: UTF8.self)
      if text.unicodeScalars.count == 1, let scalar = text.unicodeScalars.first,
        marks.contains(scalar)
      {
        return length
      }
    }
    return 0
  }

  /// Whether the value of the header `name`, or a part of it, is hidden.
  static func isMasked(_ value: String, as name: String) -> Bool {
    if isMasked(value) { return true }
    guard name.hasPrefix("x-moment-") else { return false }
    // Only whole words, since the letters of a signature are random.
    return value.utf8.contains(UInt8(ascii: "*"))
      || value.utf8.split { "-_.@:/ ".utf8.contains($0) }
        .contains { isRun(Array($0)[...]) }
  }

  /// Whether the value of a header, or a part of it, is hidden: no launch has such a value.
  static func isMasked(_ value: String) -> Bool {
    let scalars = value.unicodeScalars
    if scalars.contains(where: { $0.value > 0x7F && marks.contains($0) }) { return true }
    if value.utf8.contains("***".utf8) || value.utf8.contains("...".utf8) { return true }
    if scalars.allSatisfy({ $0 == "*" || $0 == "." || $0 == "-" || $0 == "#" || $0 == "?" }) {
      return !value.isEmpty
    }
    if value.utf8.contains("xxxx".utf8) || value.utf8.contains("XXXX".utf8) { return true }
    return isRun(Array(value.utf8)[...]) || holdsPlaceholder(value)
  }

  /// Whether it is or contains `<hidden>`, `[FILTERED]`, `{{key}}`, `${KEY}`, `REDACTED` or
  /// `YOUR_KEY`.
  private static func holdsPlaceholder(_ value: String) -> Bool {
    guard value.utf8.count <= StructuredFieldReader.longestValue else { return false }
    let lowered = value.lowercased()
    if words.contains(where: { lowered.utf8.contains($0.utf8) }) { return true }
    if koreanWords.contains(where: { lowered.utf8.contains($0.utf8) }) { return true }
    if wholeWords.contains(lowered) || isVariable(value) { return true }
    let bytes = Array(value.utf8)
    guard let first = bytes.first else { return false }
    if first == UInt8(ascii: "$") || bytes.firstIndex(of: "{{") != nil
      || bytes.firstIndex(of: "${") != nil
    {
      return true
    }
    return holdsBracketed(bytes)
  }

  /// Whether it is a variable of the Windows command processor, `%API_KEY%`.
  private static func isVariable(_ value: String) -> Bool {
    let name = value.utf8.dropFirst().dropLast()
    return value.utf8.count >= 3 && value.hasPrefix("%") && value.hasSuffix("%")
      && name.allSatisfy { PercentEncoding.isUnreserved($0) }
  }

  private static func holdsBracketed(_ bytes: [UInt8]) -> Bool {
    let isWord: (UInt8) -> Bool = { byte in
      byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z")
        || "_- ".utf8.contains(byte)
    }
    return "<[".utf8.contains { open in
      guard let start = bytes.firstIndex(of: open) else { return false }
      let word = bytes[(start + 1)...].prefix(while: isWord)
      return word.count >= 3 && bytes[word.endIndex...].first.map { ">]".utf8.contains($0) } ?? true
    }
  }

  /// Whether it repeats one letter, such as `xxxx`.
  static func isRun(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard bytes.count >= 3, let first = bytes.first else { return false }
    return runLetters.contains(first) && bytes.allSatisfy { $0 == first }
  }

  /// Whether it may be a key: long and varied enough, neither masked nor a placeholder.
  static func isKeyLike(_ value: String) -> Bool {
    value.utf8.count >= 8 && Set(value.utf8).count >= 6 && !isMasked(value)
      && value.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"<>{}[]()\"'`\\,;".utf8.contains($0) }
      && value.lowercased() != "undefined"
  }
}
