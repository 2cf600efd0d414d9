internal import UnicodeText

/// One field of a CSV file.
struct CSVField {
  /// The text without its quotation marks.
  var text: String
  /// The position where it starts: line and column from 1, columns in code points.
  let line: Int
  let column: Int

  /// Whether it shows nothing.
  var isBlank: Bool { text.unicodeScalars.allSatisfy(\.properties.isWhitespace) }
}

/// Splits a CSV text (RFC 4180) into records, whatever is wrong with it.
struct CSVReader {
  /// The most bytes of a field that are kept; every allowed field is shorter.
  static let largestField = 1 << 16
  /// The most fields of a record that are kept.
  static let mostFields = 256

  /// Replaces a field that has been reported; every rule for names accepts it.
  private static let unread = "?"

  private var bytes: ByteReader
  private var isUTF8 = true
  private var isInFirstRecord = true
  private(set) var faults = CatalogFaults()
  /// Whether the last record is unusable and that has been reported: one of its fields was not
  /// read, or it contains a carriage return without a line feed and so may be several rows.
  var isSpoilt: Bool { hasUnread || hasCarriageReturn }
  private var hasUnread = false
  private var hasCarriageReturn = false
  /// Whether an unclosed quotation mark has swallowed the rest of the file.
  private(set) var isCutOff = false

  /// Starts at the first record.
  init(_ bytes: ByteReader) {
    self.bytes = bytes
  }

  /// The next record that has more than separators and blanks; nil at the end.
  ///
  /// - Throws: `CatalogFaults` where one cause makes the whole file unreadable, and what reading throws.
  mutating func next() throws -> [CSVField]? {
    while try bytes.peek() != nil {
      (hasUnread, hasCarriageReturn) = (false, false)
      let record = try readRecord()
      isInFirstRecord = false
      if isCutOff { return nil }
      if !record.allSatisfy(\.isBlank) { return record }
    }
    return nil
  }

  private mutating func readRecord() throws -> [CSVField] {
    var record: [CSVField] = []
    while true {
      let field = try readField()
      if record.count < Self.mostFields { record.append(field) }
      guard let byte = try bytes.peek() else { return record }
      guard byte == UInt8(ascii: ",") else {
        if byte == UInt8(ascii: "\r") { bytes.advance() }
        bytes.advance()
        return record
      }
      bytes.advance()
    }
  }

  /// Reads up to the separator or line break that ends the field.
  private mutating func readField() throws -> CSVField {
    let (line, column) = (bytes.line, bytes.column)
    var content: [UInt8] = []
    if try bytes.peek() == UInt8(ascii: "\"") { try readQuoted(into: &content) }
    while let byte = try bytes.peek(), try !endsField(byte) {
      if byte == UInt8(ascii: "\r") {
        try reportCarriageReturn()
        bytes.advance()
        continue
      }
      if byte == UInt8(ascii: "\"") {
        report(
          "A quotation mark inside a field: put the whole field in quotation marks and double those "
            + "inside it.")
      }
      append(byte, to: &content)
      bytes.advance()
    }
    if let text = read(content, line: line, column: column) {
      return CSVField(text: text, line: line, column: column)
    }
    hasUnread = true
    return CSVField(text: Self.unread, line: line, column: column)
  }

  /// The text of a field; nil, and reported, where it is not valid.
  private mutating func read(_ content: [UInt8], line: Int, column: Int) -> String? {
    if content.count > Self.largestField {
      report("This field has more than \(Self.largestField) bytes.", line: line, column: column)
      return nil
    }
    guard let text = String(validating: content, as: UTF8.self) else {
      // Reported once, since usually the whole file is in another encoding.
      if isUTF8 { report(ByteReader.notUTF8, line: line, column: column) }
      isUTF8 = false
      return nil
    }
    guard text.isStreamSafe else {
      report(
        "This field has more than \(CombiningRun.longest) combining characters in a row.",
        line: line, column: column)
      return nil
    }
    return text
  }

  /// In the first record, whose fields hold no line break, it means that all lines of the file end
  /// so.
  private mutating func reportCarriageReturn() throws {
    guard isInFirstRecord else {
      if !hasCarriageReturn {
        report(
          "A carriage return (CR) without a line feed. End rows with LF or CRLF, and put a field with "
            + "line breaks in quotation marks.")
      }
      hasCarriageReturn = true
      return
    }
    throw CatalogFaults(
      CatalogFault(
        line: bytes.line, column: bytes.column, field: "",
        message:
          "The lines end in a carriage return (CR) that no line feed follows, as old Macintosh "
          + "programs write them. Save the file as CSV UTF-8, or with LF or CRLF at the ends of lines."
      ))
  }

  private mutating func readQuoted(into content: inout [UInt8]) throws {
    let (line, column) = (bytes.line, bytes.column)
    bytes.advance()
    while let byte = try bytes.peek() {
      if byte != UInt8(ascii: "\"") {
        append(byte, to: &content)
        bytes.advance()
      } else if try bytes.peek(1) == UInt8(ascii: "\"") {
        append(byte, to: &content)
        bytes.advance()
        bytes.advance()
      } else {
        bytes.advance()
        if let next = try bytes.peek(), try !endsField(next) {
          report("Something stands between the closing quotation mark and the comma.")
        }
        return
      }
    }
    report("The closing quotation mark is missing.", line: line, column: column)
    isCutOff = true
    content.removeAll()
  }

  /// Keeps one byte over the limit, so that too long a field is noticed.
  private func append(_ byte: UInt8, to content: inout [UInt8]) {
    if content.count <= Self.largestField { content.append(byte) }
  }

  private mutating func endsField(_ byte: UInt8) throws -> Bool {
    switch byte {
    case UInt8(ascii: ","), UInt8(ascii: "\n"): true
    case UInt8(ascii: "\r"): try bytes.peek(1) == UInt8(ascii: "\n")
    default: false
    }
  }

  private mutating func report(_ message: String) {
    report(message, line: bytes.line, column: bytes.column)
  }

  private mutating func report(_ message: String, line: Int, column: Int) {
    faults.add(CatalogFault(line: line, column: column, field: "", message: message))
  }
}
