internal import Domain

/// Finds the headers of a bundle by their names: in lines, lists and prose, and in maps as many
/// languages print them.
struct HeaderScanner {
  /// How much around a value counts as the notation of a map.
  enum Trimming {
    /// Brackets, commas and semicolons at the end of a value.
    case delimiters
    /// Everything that a value of its header cannot contain.
    case foreign
    /// Nothing: all of it belongs to the value.
    case nothing
  }

  /// The headers found in a text.
  struct Result {
    var headers: [(name: String, value: String)] = []
    /// Whether a value reaches the end of the text.
    var isCut = false
    /// The header whose value reaches the end of the text without a closing quotation mark.
    var last: String?
    /// Whether there are more headers than are read.
    var hasMore = false
    /// The headers whose value may have been sent with more text than was read.
    var unsure: [String] = []
  }

  /// The most headers that are read.
  static let mostHeaders = 64
  private static let prefixes = [
    "x-moment-", "signature", "http_x_moment_", "http_signature", "x_moment_", "xmoment",
  ]
  private static let wholeNames = [":authority", ":path", ":method", ":scheme", "host"]
  /// What some languages print around a value besides quotation marks.
  private static let wrappers = [
    "[]string{", "optional(", "some(", "anyhashable(", "string(", "just(", "chr ",
  ]

  private let trimming: Trimming
  private var cursor: ByteCursor
  private var result = Result()
  /// Whether the last value ends with its closing quotation mark.
  private var isClosed = false
  /// For each header, whether its value is in square brackets, as Go prints `http.Header`.
  private var areLists: [Bool] = []
  /// For each header of a launch except its signature, whether its value is in quotation marks or
  /// the like.
  private var enclosed: [(name: String, isEnclosed: Bool)] = []

  /// The headers in the order of the text.
  static func headers(in text: String, trimming: Trimming = .delimiters) -> Result {
    var scanner = HeaderScanner(cursor: ByteCursor(Array(text.utf8)), trimming: trimming)
    return scanner.scan()
  }

  private init(cursor: ByteCursor, trimming: Trimming) {
    self.cursor = cursor
    self.trimming = trimming
  }

  private mutating func scan() -> Result {
    while cursor.next != nil {
      guard let header = header() else {
        cursor.position += 1
        continue
      }
      guard result.headers.count < Self.mostHeaders else {
        result.hasMore = true
        break
      }
      result.headers.append(header)
      if cursor.isAtEnd, !isClosed { result.last = header.name.lowercased() }
    }
    takeListsApart()
    // Quotation marks that only some values have were sent, not added by printing.
    if enclosed.contains(where: { !$0.isEnclosed }) {
      result.unsure += enclosed.filter(\.isEnclosed).map(\.name)
    }
    return result
  }

  /// Removes the square brackets if every value has them.
  private mutating func takeListsApart() {
    guard trimming != .nothing, !areLists.isEmpty, areLists.allSatisfy(\.self) else { return }
    for index in result.headers.indices {
      var value = result.headers[index].value[...]
      if value.hasPrefix("[") { value = value.dropFirst() }
      if value.hasSuffix("]") { value = value.dropLast() }
      result.headers[index].value = String(value)
    }
  }

  // MARK: Names

  /// The header that begins here; where none does, the position does not change.
  private mutating func header() -> (name: String, value: String)? {
    let start = cursor.position
    guard let first = cursor.next, Self.canBegin(first), canBegin else { return nil }
    let isWhole =
      Self.wholeNames.contains { cursor.isAt($0) } && cursor.isAtLineStart
    guard isWhole || Self.prefixes.contains(where: { cursor.isAt($0) }) else { return nil }
    let opening = cursor.previous.flatMap { "\"'`<".utf8.contains($0) ? $0 : nil }
    if cursor.next == UInt8(ascii: ":") { cursor.position += 1 }
    cursor.skip(Self.isToken)
    let name = Self.fieldName(cursor.text(from: start))
    // Such as `signature_mismatch`.
    guard PastedAnswer.Code.all[name] == nil else {
      cursor.position = start
      return nil
    }
    let isQuoted = cursor.skipClosing(opening)
    cursor.skip(atMost: 4) { ")]*`".utf8.contains($0) }
    guard skipSeparator(from: start, opening: opening, isQuoted: isQuoted, isWhole: isWhole) else {
      cursor.position = start
      return nil
    }
    skipBlanksAndBlockMarks()
    let plainName = Self.plainName(name)
    let valueStart = cursor.position
    var value = value(of: plainName, enclosing: isQuoted ? nil : opening)
    if trimming == .foreign {
      if areLists.last == true, value.hasPrefix("[") { value.removeFirst() }
      value = HeaderGrammar.beginning(of: value, as: plainName)
    }
    // `signature: 서명이 틀립니다` is prose, and a list of names has names as values.
    let isProse = value.isEmpty && cursor.next.map { $0 >= 0x80 } == true
    if isProse || (!isWhole && PastedRequest.isOfBundle(value) && !value.contains("=")) {
      cursor.position = start
      return nil
    }
    noteDoubt(of: value, from: valueStart, plainName, headerStart: start)
    return (name, value)
  }

  /// Notes a header whose value may have been sent with more text than was read.
  private mutating func noteDoubt(
    of value: String, from start: Int, _ name: String, headerStart: Int
  ) {
    let isBare = cursor.bytes[start...].starts(with: value.utf8)
    let end = isBare ? start + value.utf8.count : cursor.position
    // In HTTP a header has its own line; elsewhere a blank ends the value.
    let isLine = cursor.isAtLineStart(headerStart, over: " \t<>*-")
    if isLine, name.hasPrefix("x-moment-") { enclosed.append((name, !isBare)) }
    let rest = cursor.bytes[end...].prefix { $0 != UInt8(ascii: "\n") }
    var ahead = cursor
    ahead.position = end
    guard !isHeader(behind: ahead) else { return }
    let behind = isLine ? rest : rest.prefix(max(0, cursor.position - end))
    if HeaderGrammar.mayBelong(behind) { result.unsure.append(name) }
  }

  /// Whether a name begins with that byte.
  private static func canBegin(_ byte: UInt8) -> Bool {
    switch byte | 0x20 {
    case UInt8(ascii: "x"), UInt8(ascii: "s"), UInt8(ascii: "h"), UInt8(ascii: ":"): true
    default: false
    }
  }

  /// Whether a name may begin after the text before this position.
  private var canBegin: Bool {
    guard let previous = cursor.previous else { return true }
    guard previous == UInt8(ascii: ":") else { return !Self.isToken(previous) }
    // A Ruby symbol, `{:signature=>…}`.
    let before = cursor.byte(at: cursor.position - 2)
    return before.map { " \n\t{,([".utf8.contains($0) } ?? true
  }

  private static func isToken(_ byte: UInt8) -> Bool {
    byte != UInt8(ascii: ".") && byte != UInt8(ascii: "~") && PercentEncoding.isUnreserved(byte)
  }

  /// The field name of a CGI variable and its descendants (RFC 3875 section 4.1.18).
  private static func fieldName(_ name: String) -> String {
    guard name.lowercased().hasPrefix("http_") else { return name }
    return name.dropFirst(5).lowercased().replacing("_", with: "-")
  }

  /// The name as in HTTP: in lower case and with hyphens.
  private static func plainName(_ name: String) -> String {
    let name = name.lowercased().replacing("_", with: "-")
    return name == "signatureinput" ? "signature-input" : name
  }

  // MARK: Between name and value

  private mutating func skipSeparator(
    from start: Int, opening: UInt8?, isQuoted: Bool, isWhole: Bool
  ) -> Bool {
    let end = cursor.position
    cursor.skipBlanks()
    let hasTab = cursor.bytes[end..<cursor.position].contains(UInt8(ascii: "\t"))
    if skipValueName() { return true }
    let before = cursor.byte(at: start - 1)
    switch cursor.next {
    case UInt8(ascii: ":"), UInt8(ascii: "="):
      cursor.position += 1
      if cursor.next == UInt8(ascii: ">") || cursor.next == UInt8(ascii: "=") {
        cursor.position += 1
      }
      return true
    case UInt8(ascii: "-") where cursor.isAt("->"):
      cursor.position += 2
      return true
    case UInt8(ascii: "t") where isQuoted && cursor.isAt("to "):
      cursor.position += 3
      return true
    case UInt8(ascii: ",") where isQuoted || before.map { "[(".utf8.contains($0) } == true:
      cursor.position += 1
      cursor.skip { " \t\n".utf8.contains($0) }
      return true
    case UInt8(ascii: ">") where opening == UInt8(ascii: "<"),
      UInt8(ascii: "|") where cursor.isAtLineStart(start, over: "| `*"):
      cursor.position += 1
      return true
    case UInt8(ascii: "\n") where isWhole || before == nil || before == UInt8(ascii: "\n"):
      cursor.position += 1
      if isHeaderNext { cursor.position -= 1 }
      return true
    default:
      return hasTab && cursor.isAtLineStart(start, over: " ")
    }
  }

  /// Skips the text between a name and a value that are labelled, as in `name: "…", value: "…"`.
  private mutating func skipValueName() -> Bool {
    let start = cursor.position
    cursor.skip(atMost: 32) { " \t\n,;-\"'&".utf8.contains($0) }
    let isApart = cursor.position > start || cursor.previous == UInt8(ascii: " ")
    let isThere = isApart && cursor.isAt("value")
    if isThere {
      cursor.position += 5
      cursor.skip(atMost: 4) { " \"'".utf8.contains($0) }
      if let next = cursor.next, ":=".utf8.contains(next) {
        cursor.position += 1
        if cursor.next == UInt8(ascii: ">") { cursor.position += 1 }
        return true
      }
    }
    cursor.position = start
    return false
  }

  /// Skips blanks, the mark of a YAML block, and a line end that no header follows.
  private mutating func skipBlanksAndBlockMarks() {
    cursor.skipBlanks()
    let start = cursor.position
    if let mark = cursor.next, ">|".utf8.contains(mark) {
      cursor.position += 1
      cursor.skip(atMost: 2) { "+-0123456789".utf8.contains($0) }
      cursor.skipBlanks()
      if cursor.next != UInt8(ascii: "\n") { cursor.position = start }
    }
    guard cursor.next == UInt8(ascii: "\n") else { return }
    cursor.position += 1
    if isHeaderNext {
      cursor.position -= 1
    } else {
      cursor.skipBlanks()
    }
  }

  /// Whether a header's name begins here, after indentation and quotation marks.
  private var isHeaderNext: Bool {
    var ahead = cursor
    ahead.skip(atMost: 32) { " \t>*-\"'".utf8.contains($0) }
    return Self.prefixes.contains { ahead.isAt($0) }
  }

  // MARK: Values

  private mutating func value(of name: String, enclosing: UInt8?) -> String {
    var isList = false
    isClosed = false
    while skipWrapper(isList: &isList) {}
    areLists.append(isList)
    if name == "signature" || name == "signature-input" {
      var field = StructuredFieldReader(cursor: cursor, isSignature: name == "signature")
      if let text = field.read() {
        result.isCut = result.isCut || field.isCut
        cursor = field.cursor
        return text
      }
    }
    if cursor.next == UInt8(ascii: "\\") { cursor.position += 1 }
    if let quote = cursor.next, "\"'`".utf8.contains(quote) {
      cursor.position += 1
      return quoted(by: quote)
    }
    if let enclosing, enclosing != UInt8(ascii: "<") { return line(before: enclosing) }
    return word(before: enclosing)
  }

  /// Skips one piece of a language's notation before a value.
  private mutating func skipWrapper(isList: inout Bool) -> Bool {
    if let wrapper = Self.wrappers.first(where: { cursor.isAt($0) }) {
      let start = cursor.position
      cursor.position += wrapper.utf8.count
      // PHP's var_dump prints the length of a text.
      let digits = cursor.position
      cursor.skip(atMost: 6, \.isASCIIDigit)
      if cursor.position > digits, cursor.isAt(") ") { cursor.position += 2 }
      guard cursor.next.map({ "\"'\\".utf8.contains($0) }) == true else {
        cursor.position = start
        return false
      }
      return true
    }
    if let first = cursor.next, "bu@$".utf8.contains(first),
      let quote = cursor.byte(at: cursor.position + 1), "\"'".utf8.contains(quote)
    {
      cursor.position += 1
      return true
    }
    let opensList = !isList && cursor.next == UInt8(ascii: "[")
    guard opensList || cursor.next == UInt8(ascii: "(") else { return false }
    isList = isList || opensList
    // A bracket before a quoted text is certainly not part of it.
    var ahead = cursor
    ahead.position += 1
    let start = ahead.position
    ahead.skip(atMost: 64) { " \t\n".utf8.contains($0) }
    let isQuoted = ahead.next.map { "\"'".utf8.contains($0) } ?? false
    guard isQuoted || (ahead.position == start && ahead.next == UInt8(ascii: "b")) else {
      return false
    }
    cursor = ahead
    return true
  }

  /// The rest of a quoted text, with backslash escapes decoded as in most languages.
  private mutating func quoted(by quote: UInt8) -> String {
    var text: [UInt8] = []
    while let byte = cursor.next, byte != UInt8(ascii: "\n") {
      if byte == UInt8(ascii: "\\"), let escaped = cursor.byte(at: cursor.position + 1),
        "\\\"'/`".utf8.contains(escaped)
      {
        // The quotation mark is escaped too where the whole text is inside another one.
        if escaped == quote, cursor.byte(at: cursor.position + 2).map(isBehindValue) ?? true {
          cursor.position += 2
          isClosed = true
          return String(decoding: text, as: UTF8.self)
        }
        text.append(escaped)
        cursor.position += 2
        continue
      }
      if byte == quote {
        cursor.position += 1
        isClosed = true
        return String(decoding: text, as: UTF8.self)
      }
      text.append(byte)
      cursor.position += 1
    }
    if cursor.isAtEnd { result.isCut = true }
    return String(decoding: text, as: UTF8.self)
  }

  private func isBehindValue(_ byte: UInt8) -> Bool { " ,;}])\n".utf8.contains(byte) }

  private mutating func line(before enclosing: UInt8) -> String {
    let start = cursor.position
    cursor.skip { $0 != enclosing && $0 != UInt8(ascii: "\n") }
    if cursor.isAtEnd { result.isCut = true }
    return cursor.text(from: start)
  }

  /// The visible characters up to a blank, without separators and closing marks of a map.
  private mutating func word(before enclosing: UInt8?) -> String {
    let start = cursor.position
    let maskLength = Masking.wordLength(in: cursor.bytes, at: start)
    if maskLength > 0 {
      cursor.position += maskLength
      return cursor.text(from: start)
    }
    if cursor.next == UInt8(ascii: "<"), enclosing == nil {
      // `<hidden by us>` is one value.
      cursor.skip(atMost: 40) { $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "\n") }
    }
    while let byte = cursor.next {
      if enclosing != nil, byte == UInt8(ascii: "<") { break }
      if byte > 0x20, byte < 0x7F {
        if ",;&|".utf8.contains(byte), isHeader(after: cursor.position + 1) { break }
        cursor.position += 1
      } else {
        let length = Masking.markLength(in: cursor.bytes, at: cursor.position)
        guard length > 0 else { break }
        cursor.position += length
      }
    }
    return trimmed(cursor.text(from: start))
  }

  private func isHeader(behind cursor: ByteCursor) -> Bool {
    var ahead = cursor
    ahead.skip(atMost: 32) { " \t\n,;".utf8.contains($0) }
    return isHeader(after: ahead.position)
  }

  private func isHeader(after position: Int) -> Bool {
    Self.prefixes.contains { cursor.bytes.hasPrefix($0, at: position) }
      || cursor.bytes.hasPrefix("\"x-moment-", at: position)
  }

  private func trimmed(_ word: String) -> String {
    var word = word[...]
    if word.hasSuffix("\\") { word = word.dropLast() }
    guard trimming != .nothing else { return String(word) }
    if word.hasSuffix(",") || word.hasSuffix(";") { word = word.dropLast() }
    // A map is closed only after its last entry.
    guard !isHeader(behind: cursor) else { return String(word) }
    for (open, close) in [("{", "}"), ("[", "]"), ("(", ")")] as [(Character, Character)] {
      guard word.last == close || word.dropLast().last == close else { continue }
      // What the value opens, it closes.
      var excess =
        word.utf8.count { $0 == close.asciiValue } - word.utf8.count { $0 == open.asciiValue }
      while excess > 0, let last = word.last, ",;".contains(last) || "}])".contains(last) {
        if last == close { excess -= 1 }
        word = word.dropLast()
      }
    }
    return String(word)
  }
}
