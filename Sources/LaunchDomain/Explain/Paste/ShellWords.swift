/// Cuts a command line into words as a shell would, without expanding anything.
///
/// What a person pasted may have lost a backslash at a line's end or a closing quotation mark, so
/// a line feed only separates words and an open quotation reaches to the end.
struct ShellWords {
  private let bytes: [UInt8]
  private var position = 0
  private var word: [UInt8] = []
  private var isInWord = false
  private var words: [String] = []

  /// The words of a POSIX shell's command (POSIX.1-2017, Shell Command Language, section 2.2), with
  /// `$'…'` of POSIX.1-2024.
  static func posix(_ text: String) -> [String] {
    var cutter = ShellWords(Array(text.utf8))
    while let byte = cutter.take() { cutter.read(byte) }
    cutter.endWord()
    return cutter.words
  }

  /// The words of a command for the Windows command processor: carets first, then the C runtime's
  /// quotation marks.
  static func windows(_ text: String) -> [String] {
    var cutter = ShellWords(withoutCarets(Array(text.utf8)))
    while let byte = cutter.take() {
      switch byte {
      case UInt8(ascii: "\""): cutter.readWindowsQuotation()
      case UInt8(ascii: "\\") where cutter.next == UInt8(ascii: "\""): cutter.appendNext()
      default: cutter.readBare(byte)
      }
    }
    cutter.endWord()
    return cutter.words
  }

  /// Whether the text carries the carets of a command for Windows.
  static func isForWindows(_ text: String) -> Bool {
    text.utf8.contains("^\"".utf8) || text.utf8.contains("^\n".utf8)
  }

  private init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func take() -> UInt8? {
    guard let byte = next else { return nil }
    position += 1
    return byte
  }

  private mutating func append(_ byte: UInt8) {
    word.append(byte)
    isInWord = true
  }

  private mutating func appendNext() {
    if let byte = take() { append(byte) }
  }

  private mutating func endWord() {
    guard isInWord else { return }
    words.append(String(decoding: word, as: UTF8.self))
    word = []
    isInWord = false
  }

  // MARK: POSIX

  private mutating func read(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "'"):
      isInWord = true
      while let quoted = take(), quoted != UInt8(ascii: "'") { append(quoted) }
    case UInt8(ascii: "\""):
      readDoubleQuotation()
    case UInt8(ascii: "$") where next == UInt8(ascii: "'"):
      position += 1
      readEscapes()
    case UInt8(ascii: "$") where next == UInt8(ascii: "\""):
      break
    case UInt8(ascii: "\\"):
      if next == UInt8(ascii: "\n") { position += 1 } else { appendNext() }
    default:
      readBare(byte)
    }
  }

  private mutating func readBare(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: ";"),
      UInt8(ascii: "|"):
      endWord()
    case UInt8(ascii: "&") where next == nil || next == UInt8(ascii: " ") || next == byte:
      endWord()
    default:
      append(byte)
    }
  }

  private mutating func readDoubleQuotation() {
    isInWord = true
    while let byte = take(), byte != UInt8(ascii: "\"") {
      guard byte == UInt8(ascii: "\\"), let escaped = next, "$`\"\\\n".utf8.contains(escaped) else {
        append(byte)
        continue
      }
      position += 1
      if escaped != UInt8(ascii: "\n") { append(escaped) }
    }
  }

  private mutating func readEscapes() {
    isInWord = true
    while let byte = take(), byte != UInt8(ascii: "'") {
      guard byte == UInt8(ascii: "\\"), let escaped = take() else {
        append(byte)
        continue
      }
      switch escaped {
      case UInt8(ascii: "n"): append(0x0A)
      case UInt8(ascii: "r"): append(0x0D)
      case UInt8(ascii: "t"): append(0x09)
      case UInt8(ascii: "x"): appendScalar(digits: 2, radix: 16)
      case UInt8(ascii: "u"): appendScalar(digits: 4, radix: 16)
      case UInt8(ascii: "U"): appendScalar(digits: 8, radix: 16)
      case UInt8(ascii: "0")...UInt8(ascii: "7"):
        position -= 1
        appendScalar(digits: 3, radix: 8)
      default: append(escaped)
      }
    }
  }

  private mutating func appendScalar(digits: Int, radix: UInt32) {
    var value: UInt32 = 0
    var count = 0
    while count < digits, let byte = next,
      let digit = Character(Unicode.Scalar(byte)).hexDigitValue, digit < radix
    {
      value = value &* radix &+ UInt32(digit)
      position += 1
      count += 1
    }
    if digits == 4 || digits == 8 {
      word += Array(String(Unicode.Scalar(value) ?? "\u{FFFD}").utf8)
    } else {
      word.append(UInt8(truncatingIfNeeded: value))
    }
  }

  // MARK: Windows

  /// Inside quotation marks, which a caret before them keeps from counting, carets stay.
  private static func withoutCarets(_ bytes: [UInt8]) -> [UInt8] {
    var output: [UInt8] = []
    var isQuoted = false
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      if byte == UInt8(ascii: "^"), !isQuoted {
        index += 1
        guard index < bytes.count else { break }
        if bytes[index] != UInt8(ascii: "\n") {
          output.append(bytes[index])
        } else if index + 1 < bytes.count, bytes[index + 1] == UInt8(ascii: "\n") {
          index += 1
          output.append(UInt8(ascii: "\n"))
        }
      } else {
        if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
        output.append(byte)
      }
      index += 1
    }
    return output
  }

  private mutating func readWindowsQuotation() {
    isInWord = true
    while let byte = take() {
      if byte == UInt8(ascii: "\\"), next == UInt8(ascii: "\"") || next == UInt8(ascii: "\\") {
        appendNext()
      } else if byte == UInt8(ascii: "\"") {
        guard next == UInt8(ascii: "\"") else { return }
        appendNext()
      } else {
        append(byte)
      }
    }
  }
}
