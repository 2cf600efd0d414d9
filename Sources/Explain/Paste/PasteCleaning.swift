internal import Domain

/// Undoes what chat, mail and web programs do to a text.
struct PasteCleaning {
  /// A kind of repair.
  enum Repair: Sendable, CaseIterable {
    /// `“ ”` and `‘ ’` in place of plain quotation marks.
    case quotationMarks
    /// `&amp;` and the like in place of the characters.
    case htmlEscapes
    /// U+3000, the wide space of Korean and Japanese input.
    case wideSpaces
    /// `\"` in place of quotation marks.
    case backslashes
  }

  /// The text in plain characters, its lines separated by line feeds.
  private(set) var text: String
  /// The repairs that were made.
  private(set) var repairs: Set<Repair> = []

  init(_ pasted: String) {
    text = ""
    text.reserveCapacity(pasted.utf8.count)
    var scalars = (pasted.utf8.contains(0x1B) ? Self.withoutColors(pasted) : pasted)
      .unicodeScalars.makeIterator()
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

  /// The text without terminal control sequences such as colours (ECMA-48, CSI … m).
  private static func withoutColors(_ text: String) -> String {
    var plain = String.UnicodeScalarView()
    var scalars = text.unicodeScalars[...]
    while let scalar = scalars.popFirst() {
      guard scalar == "\u{1B}", scalars.first == "[" else {
        plain.append(scalar)
        continue
      }
      scalars = scalars.dropFirst().drop { ("\u{20}"..."\u{3F}").contains($0) }.dropFirst()
    }
    return String(plain)
  }

  private static let entities: [(name: String, byte: UInt8)] = [
    ("&quot;", UInt8(ascii: "\"")), ("&#34;", UInt8(ascii: "\"")), ("&#x22;", UInt8(ascii: "\"")),
    ("&apos;", UInt8(ascii: "'")), ("&#39;", UInt8(ascii: "'")), ("&#x27;", UInt8(ascii: "'")),
    ("&lt;", UInt8(ascii: "<")), ("&gt;", UInt8(ascii: ">")), ("&nbsp;", UInt8(ascii: " ")),
    ("&amp;", UInt8(ascii: "&")), ("&#38;", UInt8(ascii: "&")), ("&#x3d;", UInt8(ascii: "=")),
  ]

  /// Tags and the like that end a line in HTML.
  private static let lineEnds = ["</div>", "</p>", "</li>", "</tr>", "<br>", "<br/>", "<br />"]

  private mutating func decodeHTML() {
    if text.utf8.contains("</".utf8) || text.utf8.contains("<br".utf8) {
      for end in Self.lineEnds { text.replace(end, with: end + "\n") }
    }
    let bytes = Array(text.utf8)
    guard bytes.contains(UInt8(ascii: "&")) else { return }
    var output: [UInt8] = []
    output.reserveCapacity(bytes.count)
    var index = 0
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "&"),
        let entity = Self.entities.first(where: { bytes.hasPrefix($0.name, at: index) })
      {
        output.append(entity.byte)
        index += entity.name.utf8.count
        repairs.insert(.htmlEscapes)
      } else {
        output.append(bytes[index])
        index += 1
      }
    }
    text = String(decoding: output, as: UTF8.self)
  }

  /// The text without one level of the backslashes that JSON and most languages put into quoted
  /// text; nil where there are none.
  static func unescaped(_ text: String) -> String? {
    let bytes = Array(text.utf8)
    guard bytes.contains(UInt8(ascii: "\\")) else { return nil }
    var output: [UInt8] = []
    output.reserveCapacity(bytes.count)
    var index = 0
    while index < bytes.count {
      defer { index += 1 }
      guard bytes[index] == UInt8(ascii: "\\"), index + 1 < bytes.count else {
        output.append(bytes[index])
        continue
      }
      switch bytes[index + 1] {
      case UInt8(ascii: "n"): output.append(UInt8(ascii: "\n"))
      case UInt8(ascii: "r"): break
      case UInt8(ascii: "t"): output.append(UInt8(ascii: "\t"))
      case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "\\"), UInt8(ascii: "/"):
        output.append(bytes[index + 1])
      case UInt8(ascii: "u"):
        let digits = String(decoding: bytes[(index + 2)...].prefix(4), as: UTF8.self)
        guard digits.utf8.count == 4, let value = UInt8(digits, radix: 16), value < 0x7F else {
          fallthrough
        }
        output.append(value)
        index += 4
      default:
        output.append(bytes[index])
        continue
      }
      index += 1
    }
    return String(decoding: output, as: UTF8.self)
  }
}

extension [UInt8] {
  /// Whether the ASCII text `prefix`, given in lower case, occurs at `index` in any case.
  func hasPrefix(_ prefix: String, at index: Int) -> Bool {
    guard index >= 0, index + prefix.utf8.count <= count else { return false }
    for (offset, byte) in prefix.utf8.enumerated() {
      let own = self[index + offset]
      let lowered = own >= UInt8(ascii: "A") && own <= UInt8(ascii: "Z") ? own | 0x20 : own
      if lowered != byte { return false }
    }
    return true
  }

  /// The first index from `start` on where `pattern` occurs exactly; nil where it does not.
  func firstIndex(of pattern: String, from start: Int = 0) -> Int? {
    let pattern = Array(pattern.utf8)
    guard let first = pattern.first, count >= pattern.count else { return nil }
    var index = start
    while index <= count - pattern.count {
      if self[index] == first, self[index...].starts(with: pattern) { return index }
      index += 1
    }
    return nil
  }
}
