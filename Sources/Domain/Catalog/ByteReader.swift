/// Reads the bytes of a text one by one with line and column, holding one piece of its source at a
/// time.
struct ByteReader {
  static let notUTF8 =
    "This is not UTF-8; it may be EUC-KR (CP949). Export the file as UTF-8: in Excel as CSV UTF-8, "
    + "in LibreOffice with the character set Unicode (UTF-8)."
  private static let utf16 =
    "The file is UTF-16. Export it as UTF-8: in Excel as CSV UTF-8 rather than Unicode text, in "
    + "LibreOffice with the character set Unicode (UTF-8)."
  private static let twoMarks =
    "The file begins with two byte order marks (U+FEFF), which programs put there that do not know the "
    + "other's. Save it anew as CSV UTF-8, or take one away."
  private static let workbook =
    "The file is a workbook of a spreadsheet, or another archive. Export it as CSV UTF-8."
  /// The first bytes of ZIP files, as .xlsx and .ods are, and of old .xls files.
  private static let workbookStarts: [[UInt8]] = [
    Array("PK\u{03}\u{04}".utf8), [0xD0, 0xCF, 0x11, 0xE0],
  ]
  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  private let source: () throws -> [UInt8]
  private var bytes: [UInt8] = []
  private var index = 0
  private var isAtEnd = false
  /// The position of the next byte: line and column from 1, columns in code points.
  private(set) var line = 1
  private(set) var column = 1

  /// Starts after a byte order mark.
  init(_ source: @escaping () throws -> [UInt8]) throws {
    self.source = source
    _ = try peek(2 * Self.byteOrderMark.count)
    if bytes.starts(with: Self.byteOrderMark) { index = Self.byteOrderMark.count }
  }

  /// Why the text cannot be UTF-8 with at most one byte order mark; asked before the first byte
  /// only.
  var objectionToEncoding: String? {
    if bytes[index...].starts(with: Self.byteOrderMark) { return Self.twoMarks }
    if Self.workbookStarts.contains(where: bytes.starts) { return Self.workbook }
    let isMarked = bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF])
    return isMarked || bytes.prefix(4).contains(0) ? Self.utf16 : nil
  }

  /// The byte `offset` after the next one; nil past the end of the text.
  mutating func peek(_ offset: Int = 0) throws -> UInt8? {
    while index + offset >= bytes.count {
      guard !isAtEnd else { return nil }
      let more = try source()
      isAtEnd = more.isEmpty
      bytes.removeFirst(index)
      index = 0
      bytes += more
    }
    return bytes[index + offset]
  }

  /// Moves on by one byte, which was looked at.
  mutating func advance() {
    let byte = bytes[index]
    index += 1
    if byte == UInt8(ascii: "\n") {
      (line, column) = (line + 1, 1)
    } else if byte & 0xC0 != 0x80 {
      column += 1
    }
  }
}
