internal import Domain

/// Splits a command line into words as a shell would, without expansions.
///
/// Pasted text may have lost a backslash at a line end or a closing quotation mark. So a line feed
/// only separates words, and an open quotation extends to the end.
struct ShellWords {
  private let bytes: [UInt8]
  private var position = 0
  private var word: [UInt8] = []
  private var isInWord = false
  /// The words so far.
  private(set) var words: [String] = []
  /// Whether the text ends inside quotation marks or right after a line continuation.
  private(set) var isUnfinished = false
  /// Whether a closing quotation mark ends a word, for prose that continues right after a command.
  private var areWordsClosed = false

  /// Splits a command of a POSIX shell (POSIX.1-2017, Shell Command Language, section 2.2), with
  /// `$'…'` of POSIX.1-2024.
  static func posix(_ text: ArraySlice<UInt8>, areWordsClosed: Bool) -> ShellWords {
    var cutter = ShellWords(Array(text))
    cutter.areWordsClosed = areWordsClosed
    while let byte = cutter.take() { cutter.read(byte) }
    cutter.finish()
    return cutter
  }

  /// Splits a command for the Windows command processor: carets first, then the quotation marks of
  /// the C runtime.
  ///
  /// The processor keeps carets inside quotation marks. Until 2023 Chrome wrote them there all the
  /// same; `areCaretsKept: false` removes them.
  static func windows(
    _ text: ArraySlice<UInt8>, areCaretsKept: Bool, areWordsClosed: Bool
  ) -> ShellWords {
    var cutter = ShellWords(withoutCarets(Array(text), areKeptInQuotes: areCaretsKept))
    cutter.areWordsClosed = areWordsClosed
    cutter.isUnfinished = text.last == UInt8(ascii: "^")
    while let byte = cutter.take() {
      switch byte {
      case UInt8(ascii: "\""): cutter.readWindowsQuotation()
      case UInt8(ascii: "\\") where cutter.next == UInt8(ascii: "\""): cutter.appendNext()
      default: cutter.readBare(byte)
      }
    }
    cutter.finish()
    return cutter
  }

  /// Whether the text is a `curl` command quoted as for Windows programs.
  static func isCommand(_ text: String) -> Bool {
    ["curl \"", "curl.exe \"", "curl.exe '"].contains { text.utf8.contains($0.utf8) }
  }

  /// Whether the text has the carets of a Windows command.
  static func isForWindows(_ bytes: [UInt8]) -> Bool {
    ["^\"", "^\n", "^%", "%^"].contains { bytes.firstIndex(of: $0) != nil }
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

  /// Ends the last word.
  ///
  /// Brackets alone after an unclosed quotation mark begin nothing: a log has quoted the whole
  /// command.
  private mutating func finish() {
    if !word.isEmpty, word.allSatisfy({ "}]);,. \n".utf8.contains($0) }) { isUnfinished = false }
    endWord()
  }

  private mutating func closeQuotation() {
    if areWordsClosed { endWord() }
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
      while let quoted = take() {
        if quoted == UInt8(ascii: "'") { return closeQuotation() }
        append(quoted)
      }
      isUnfinished = true
    case UInt8(ascii: "\""):
      readDoubleQuotation()
    case UInt8(ascii: "$") where next == UInt8(ascii: "'"):
      position += 1
      readEscapes()
    case UInt8(ascii: "$") where next == UInt8(ascii: "\""):
      break
    case UInt8(ascii: "\\"):
      if next == nil { isUnfinished = true }
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
    while let byte = take() {
      if byte == UInt8(ascii: "\"") { return closeQuotation() }
      guard byte == UInt8(ascii: "\\"), let escaped = next, "$`\"\\\n".utf8.contains(escaped) else {
        append(byte)
        continue
      }
      position += 1
      if escaped != UInt8(ascii: "\n") { append(escaped) }
    }
    isUnfinished = true
  }

  private mutating func readEscapes() {
    isInWord = true
    while let byte = take() {
      if byte == UInt8(ascii: "'") { return closeQuotation() }
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
    isUnfinished = true
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

  /// Removes carets, those inside quotation marks only where `areKeptInQuotes` is false; a
  /// quotation mark after a caret opens and closes nothing.
  private static func withoutCarets(_ bytes: [UInt8], areKeptInQuotes: Bool) -> [UInt8] {
    var output: [UInt8] = []
    var isQuoted = false
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      if byte == UInt8(ascii: "^"), !isQuoted || !areKeptInQuotes {
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
        guard next == UInt8(ascii: "\"") else { return closeQuotation() }
        appendNext()
      } else {
        append(byte)
      }
    }
    isUnfinished = true
  }
}
