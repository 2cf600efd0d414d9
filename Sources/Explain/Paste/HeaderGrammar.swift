internal import Domain

/// Finds the end of a header's value in text that continues right after it, by the grammar of the
/// value.
enum HeaderGrammar {
  private static let projectIDLength = 24
  private static let standInLength = "launch-".utf8.count + 36
  /// Bytes that close a text or begin another form around it.
  private static let closing = Array("\"'`<>{}])|\\".utf8)
  /// Bytes that end a value without a grammar of its own.
  private static let delimiters = closing + Array("[(,;".utf8)
  /// Bytes that a sentence or emphasis puts right after a value.
  private static let punctuation = Array(".:!?*_~$".utf8)

  /// The longest prefix of `text` that may be a value of the header `name`.
  static func beginning(of text: String, as name: String) -> String {
    let bytes = Array(text.utf8)
    let length =
      switch name {
      case "x-moment-project-id":
        bytes.prefix(projectIDLength).allSatisfy(isLowerHexDigit) ? projectIDLength : nil
      case "x-moment-platform":
        Platform.allCases.map(\.rawValue).first { bytes.starts(with: $0.utf8) }?.utf8.count
      case "x-moment-web-api-key" where text.hasPrefix("launch-"):
        standInLength
      case "signature", "signature-input":
        bytes.count
      default:
        nil as Int?
      }
    if let length,
      length == bytes.count
        || length < bytes.count && !isOfWord(bytes[length])
    {
      return String(decoding: bytes[..<length], as: UTF8.self)
    }
    var value = bytes[...].prefix { $0 > 0x20 && $0 < 0x7F && !delimiters.contains($0) }
    while let last = value.last, punctuation.contains(last) { value.removeLast() }
    return String(decoding: value, as: UTF8.self)
  }

  /// Whether text after a value may have been sent with it: true for `,USER-2` and ` (iPhone)`,
  /// false for marks that close a text or end a sentence and for words in Hangul.
  static func mayBelong(_ rest: some Collection<UInt8>) -> Bool {
    guard let first = rest.first(where: { !".:!?*_~$,; \t".utf8.contains($0) }) else {
      return false
    }
    return first < 0x80 && !"\"'`<>{}])|\\".utf8.contains(first)
  }

  private static func isLowerHexDigit(_ byte: UInt8) -> Bool {
    byte.isASCIIDigit || byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "f")
  }

  private static func isOfWord(_ byte: UInt8) -> Bool {
    PercentEncoding.isUnreserved(byte) && byte != UInt8(ascii: ".") && byte != UInt8(ascii: "~")
  }
}
