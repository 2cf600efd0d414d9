internal import Domain

/// A position in a text of bytes.
struct ByteCursor {
  let bytes: [UInt8]
  var position = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  var next: UInt8? { byte(at: position) }

  var previous: UInt8? { byte(at: position - 1) }

  var isAtEnd: Bool { position >= bytes.count }

  /// Whether only blanks and marks of quotations or lists, 16 at most, precede this position on its
  /// line.
  var isAtLineStart: Bool { isAtLineStart(position, over: " \t>*\"'") }

  func byte(at index: Int) -> UInt8? { bytes.indices.contains(index) ? bytes[index] : nil }

  /// Whether the ASCII text, given in lower case, occurs here in any case.
  func isAt(_ text: String) -> Bool { bytes.hasPrefix(text, at: position) }

  /// The bytes from `start` to here.
  func text(from start: Int) -> String { String(decoding: bytes[start..<position], as: UTF8.self) }

  mutating func skip(_ isSkipped: (UInt8) -> Bool) {
    while let byte = next, isSkipped(byte) { position += 1 }
  }

  mutating func skip(atMost count: Int, _ isSkipped: (UInt8) -> Bool) {
    let end = min(bytes.count, position + count)
    while position < end, isSkipped(bytes[position]) { position += 1 }
  }

  mutating func skipBlanks() {
    skip { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
  }

  /// Skips the quotation mark that closes `opening`, with a backslash before it.
  mutating func skipClosing(_ opening: UInt8?) -> Bool {
    guard let opening, opening != UInt8(ascii: "<") else { return false }
    let length = next == UInt8(ascii: "\\") ? 2 : 1
    guard byte(at: position + length - 1) == opening else { return false }
    position += length
    return true
  }

  /// Whether only `skipped` bytes, 16 at most, stand between the start of the line and `index`.
  func isAtLineStart(_ index: Int, over skipped: String) -> Bool {
    var start = index
    while start > 0, index - start < 16, skipped.utf8.contains(bytes[start - 1]) { start -= 1 }
    return start == 0 || bytes[start - 1] == UInt8(ascii: "\n")
  }
}
