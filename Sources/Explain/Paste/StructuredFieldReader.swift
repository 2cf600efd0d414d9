internal import Domain

/// Reads a structured field (RFC 8941) in a text by its grammar, over all lines that it was wrapped
/// to, and stops where it ends, whatever a language prints after the value.
struct StructuredFieldReader {
  /// The most bytes of a field.
  static let longestValue = 4096
  /// The most bytes of a byte sequence; a signature of SHA-512 has 88.
  private static let longestSequence = 200
  /// How far the rest of a field is searched for.
  private static let horizon = 64

  private(set) var cursor: ByteCursor
  /// Whether the text ends inside the field.
  private(set) var isCut = false
  /// Whether it is `signature`, which has no quotation marks, rather than `signature-input`.
  private let isSignature: Bool

  private var text: [UInt8] = []
  private var depth = 0
  private var isInString = false
  /// The start of the current byte sequence; nil outside one.
  private var sequenceStart: Int?

  init(cursor: ByteCursor, isSignature: Bool) {
    self.cursor = cursor
    self.isSignature = isSignature
  }

  private var isOpen: Bool { isInString || sequenceStart != nil || depth > 0 }

  /// The field that begins here; nil where none does, such as before a mask.
  mutating func read() -> String? {
    cursor.skip(atMost: 16) { "\"'\\ `[".utf8.contains($0) }
    guard beginsWithLabel else { return nil }
    while let byte = cursor.next, text.count < Self.longestValue {
      guard take(byte) else { return String(decoding: text, as: UTF8.self) }
      cursor.position += 1
    }
    isCut = isOpen && cursor.isAtEnd
    return String(decoding: text, as: UTF8.self)
  }

  /// Whether a label and its `=` occur here, as at the start of every dictionary.
  private var beginsWithLabel: Bool {
    var ahead = cursor
    ahead.skip(atMost: Self.horizon, Self.isKeyByte)
    return ahead.position > cursor.position
      && (ahead.next == UInt8(ascii: "=") || ahead.next == UInt8(ascii: "\n"))
  }

  private static func isKeyByte(_ byte: UInt8) -> Bool {
    PercentEncoding.isUnreserved(byte) || byte == UInt8(ascii: "*")
  }

  /// Whether the field is complete and the byte here can only follow it.
  private func ends(before byte: UInt8) -> Bool {
    guard !isOpen, let last = text.last, ":\"".utf8.contains(last) else { return false }
    let isLetter: (UInt8) -> Bool = { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
    if isSignature, byte == UInt8(ascii: ";") {
      return !(cursor.byte(at: cursor.position + 1).map(isLetter) ?? false)
    }
    // A missing semicolon between two parameters is an error of the launch.
    return !"\\\n,; ".utf8.contains(byte) && (last == UInt8(ascii: ":") || !isLetter(byte))
  }

  /// Reads the byte here; false where the field has ended before it.
  private mutating func take(_ byte: UInt8) -> Bool {
    if ends(before: byte) { return takeMark() }
    switch byte {
    case UInt8(ascii: "\\"): return skipsBackslash
    case UInt8(ascii: "\n"): return takeLineEnd()
    case UInt8(ascii: "\""):
      let isOpening = depth > 0 || (text.last.map { "= \n".utf8.contains($0) } ?? false)
      guard !isSignature, isInString || isOpening else { return false }
      isInString.toggle()
    case UInt8(ascii: "'"), UInt8(ascii: "`"):
      return false
    case _ where isInString && byte >= 0x20 && byte < 0x7F:
      break
    case UInt8(ascii: ":") where depth == 0:
      sequenceStart = sequenceStart == nil ? text.count : nil
    case UInt8(ascii: "("):
      depth += 1
    case UInt8(ascii: ")"):
      guard depth > 0 else { return false }
      depth -= 1
    case UInt8(ascii: "<"), UInt8(ascii: "["), UInt8(ascii: "{"):
      return takePlaceholder()
    case UInt8(ascii: "}"), UInt8(ascii: "]"), UInt8(ascii: "|"):
      return false
    case UInt8(ascii: ","):
      guard isMemberNext else { return false }
    case UInt8(ascii: " "):
      guard isOpen ? sequenceStart == nil || !isHeaderNext : isContinued else { return false }
    case 0...0x1F, 0x7F...0xFF:
      return takeMark()
    default:
      break
    }
    if let sequenceStart, text.count - sequenceStart > Self.longestSequence { return false }
    text.append(byte)
    return true
  }

  /// Whether the backslash here only escapes the next byte, as in a text inside another.
  private var skipsBackslash: Bool {
    var ahead = cursor
    ahead.skip(atMost: 8) { $0 == UInt8(ascii: "\\") }
    return ahead.next == UInt8(ascii: "\"") || ahead.next == UInt8(ascii: "\n")
      || ahead.next == UInt8(ascii: "/")
  }

  private mutating func takeLineEnd() -> Bool {
    guard !isHeaderNext else { return false }
    guard isOpen || isContinued || (!isSignature && isInParameter) else { return false }
    text.append(UInt8(ascii: "\n"))
    // A wrapped line may be indented.
    while let byte = cursor.byte(at: cursor.position + 1),
      byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    {
      cursor.position += 1
    }
    return true
  }

  /// Reads a mark for omitted text; nothing else outside ASCII belongs here.
  private mutating func takeMark() -> Bool {
    let length = Masking.markLength(in: cursor.bytes, at: cursor.position)
    guard length > 0 else { return false }
    text += cursor.bytes[cursor.position..<(cursor.position + length)]
    cursor.position += length - 1
    return true
  }

  /// Reads `<hidden>`, `[FILTERED]` or `${KEY}` in the place of the rest of something.
  private mutating func takePlaceholder() -> Bool {
    var ahead = cursor
    ahead.position += 1
    ahead.skip(atMost: 40) { byte in
      PercentEncoding.isUnreserved(byte) || byte == UInt8(ascii: " ")
    }
    guard isOpen, ahead.position > cursor.position + 2, let end = ahead.next,
      ">]}".utf8.contains(end)
    else { return false }
    text += cursor.bytes[cursor.position...ahead.position]
    cursor.position = ahead.position
    return true
  }

  /// The text after the line end or blanks here, as far as it is searched.
  private var rest: ArraySlice<UInt8> {
    cursor.bytes[cursor.position...].prefix(Self.horizon).drop {
      $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t")
    }
  }

  /// Whether the next line begins with another header.
  private var isHeaderNext: Bool {
    let line = rest.drop { "\"'>*-".utf8.contains($0) }
    let name = String(
      decoding: line.prefix(Self.horizon).prefix(while: Self.isKeyByte), as: UTF8.self)
    guard PastedRequest.isOfBundle(name) else { return false }
    // In the signature's own list another component follows, neither `:` nor `=`.
    let behind = line.dropFirst(name.utf8.count).drop { "\"' \t".utf8.contains($0) }.first
    return behind.map { ":=".utf8.contains($0) } ?? false
  }

  /// Whether another member of the dictionary follows the comma here, rather than another entry of
  /// a map.
  private var isMemberNext: Bool {
    let member = cursor.bytes[(cursor.position + 1)...].prefix(Self.horizon)
      .drop { $0 == UInt8(ascii: " ") }
    let value = member.drop(while: Self.isKeyByte)
    return value.startIndex > member.startIndex && value.first == UInt8(ascii: "=")
      && value.dropFirst().first == UInt8(ascii: isSignature ? ":" : "(")
  }

  /// Whether the text after the blanks here can only be the rest of a structured field.
  private var isContinued: Bool {
    // After a signature, a colon begins a pseudo-header field of HTTP/2.
    rest.first.map { (text.last == UInt8(ascii: ":") ? ";" : ";:(").utf8.contains($0) } ?? false
  }

  /// Whether the next line is the rest of a parameter that was wrapped before, in or after its
  /// name, or in its number.
  private var isInParameter: Bool {
    let last = text.last
    guard last != UInt8(ascii: "\"") else { return false }
    let word = rest.prefix {
      $0.isASCIIDigit || ($0 >= UInt8(ascii: "a") && $0 <= UInt8(ascii: "z"))
    }
    guard let next = rest.dropFirst(word.count).first else { return false }
    return next == UInt8(ascii: "=") || next == UInt8(ascii: ";")
      || (word.isEmpty && next == UInt8(ascii: "\"") && last == UInt8(ascii: "="))
  }
}
