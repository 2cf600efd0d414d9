/// One field of a CSV file.
struct CSVField {
  /// Without its quotation marks.
  var text: String
  /// Where it starts, the first line and column being 1, columns in code points.
  let line: Int
  let column: Int
}

/// Cuts a CSV text (RFC 4180) into records, whatever is wrong with it.
struct CSVReader {
  private let bytes: ArraySlice<UInt8>
  private var index: Int
  private var line = 1
  private var column = 1
  private(set) var faults = CatalogFaults()

  /// Starts at the first record, after a byte order mark.
  init(_ bytes: [UInt8]) {
    let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    self.bytes = bytes[start...]
    index = start
  }

  /// The next record that holds more than separators; nil at the end.
  mutating func next() -> [CSVField]? {
    while index < bytes.endIndex {
      let record = readRecord()
      if record.contains(where: { !$0.text.isEmpty }) { return record }
    }
    return nil
  }

  private mutating func readRecord() -> [CSVField] {
    var record: [CSVField] = []
    while true {
      record.append(readField())
      guard index < bytes.endIndex else { return record }
      guard bytes[index] == UInt8(ascii: ",") else {
        skipLineBreak()
        return record
      }
      advance()
    }
  }

  /// Reads up to the separator or line break that ends the field.
  private mutating func readField() -> CSVField {
    let (line, column) = (line, column)
    var content: [UInt8] = []
    if index < bytes.endIndex, bytes[index] == UInt8(ascii: "\"") {
      readQuoted(into: &content)
    }
    while index < bytes.endIndex, bytes[index] != UInt8(ascii: ","), !isAtLineBreak {
      if bytes[index] == UInt8(ascii: "\"") || bytes[index] == UInt8(ascii: "\r") {
        report(
          bytes[index] == UInt8(ascii: "\r")
            ? "A carriage return without a line feed."
            : "A quotation mark inside a field: put the whole field in quotation marks and double those "
              + "inside it.")
      }
      content.append(bytes[index])
      advance()
    }
    guard let text = String(validating: content, as: UTF8.self) else {
      faults.add(
        CatalogFault(
          place: .text(line: line, column: column), field: "",
          message: "This is not UTF-8. Save the file as CSV UTF-8."))
      return CSVField(text: "\u{FFFD}", line: line, column: column)
    }
    return CSVField(text: text, line: line, column: column)
  }

  private mutating func readQuoted(into content: inout [UInt8]) {
    let start = CatalogFault.Place.text(line: line, column: column)
    advance()
    while index < bytes.endIndex {
      if bytes[index] != UInt8(ascii: "\"") {
        content.append(bytes[index])
        advance()
      } else if index + 1 < bytes.endIndex, bytes[index + 1] == UInt8(ascii: "\"") {
        content.append(UInt8(ascii: "\""))
        advance()
        advance()
      } else {
        advance()
        if index < bytes.endIndex, bytes[index] != UInt8(ascii: ","), !isAtLineBreak {
          report("Something stands between the closing quotation mark and the comma.")
        }
        return
      }
    }
    faults.add(
      CatalogFault(place: start, field: "", message: "The closing quotation mark is missing."))
  }

  private var isAtLineBreak: Bool {
    bytes[index] == UInt8(ascii: "\n")
      || (bytes[index] == UInt8(ascii: "\r") && index + 1 < bytes.endIndex
        && bytes[index + 1] == UInt8(ascii: "\n"))
  }

  private mutating func skipLineBreak() {
    if bytes[index] == UInt8(ascii: "\r") { advance() }
    advance()
  }

  private mutating func advance() {
    let byte = bytes[index]
    index += 1
    if byte == UInt8(ascii: "\n") {
      (line, column) = (line + 1, 1)
    } else if byte & 0xC0 != 0x80 {
      column += 1
    }
  }

  private mutating func report(_ message: String) {
    faults.add(
      CatalogFault(place: .text(line: line, column: column), field: "", message: message))
  }
}
