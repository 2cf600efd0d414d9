/// Takes away what chat, mail and web programs do to a text on its way.
struct PasteCleaning {
  /// Something that was put right.
  enum Repair: Sendable, CaseIterable {
    /// `“ ”` and `‘ ’` in place of plain quotation marks.
    case quotationMarks
    /// `&amp;` and the like in place of the characters.
    case htmlEscapes
    /// U+3000, the wide space of Korean and Japanese keyboards.
    case wideSpaces
    /// `\"` in place of quotation marks.
    case backslashes
  }

  /// The text in plain characters, its lines ending in a line feed.
  private(set) var text: String
  /// What was put right.
  private(set) var repairs: Set<Repair> = []

  init(_ pasted: String) {
    text = ""
    text.reserveCapacity(pasted.utf8.count)
    var scalars = pasted.unicodeScalars.makeIterator()
    var wasCarriageReturn = false
    while let scalar = scalars.next() {
      defer { wasCarriageReturn = scalar == "\r" }
      switch scalar {
      case "\u{FEFF}", "\u{200B}"..."\u{200F}", "\u{2060}", "\u{00AD}", "\u{202A}"..."\u{202E}",
        "\u{2066}"..."\u{2069}", "\0":
        continue
      case "\n":
        if !wasCarriageReturn { text.append("\n") }
      case "\r", "\u{2028}", "\u{2029}", "\u{85}":
        text.append("\n")
      case "\u{00A0}", "\u{2007}", "\u{202F}":
        text.append(" ")
      case "\u{3000}":
        text.append(" ")
        repairs.insert(.wideSpaces)
      case "\u{201C}"..."\u{201F}", "\u{301D}", "\u{301E}", "\u{FF02}":
        text.append("\"")
        repairs.insert(.quotationMarks)
      case "\u{2018}"..."\u{201B}", "\u{FF07}":
        text.append("'")
        repairs.insert(.quotationMarks)
      default:
        text.unicodeScalars.append(scalar)
      }
    }
    decodeHTML()
  }

  private static let entities: [(name: String, character: String)] = [
    ("&quot;", "\""), ("&#34;", "\""), ("&#x22;", "\""), ("&apos;", "'"), ("&#39;", "'"),
    ("&#x27;", "'"), ("&lt;", "<"), ("&gt;", ">"), ("&nbsp;", " "), ("&amp;", "&"),
  ]

  private mutating func decodeHTML() {
    guard text.utf8.contains(UInt8(ascii: "&")) else { return }
    let original = text
    for (name, character) in Self.entities { text = text.replacing(name, with: character) }
    if text != original { repairs.insert(.htmlEscapes) }
  }
}
