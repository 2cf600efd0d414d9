internal import UnicodeText

extension JSON {
  /// Refuses text with more combining characters in a row than can be compared quickly.
  ///
  /// Escapes count as the characters that they stand for. jansson has already found the text to be
  /// JSON.
  static func refuseOverlongRuns(_ bytes: [UInt8]) throws(JSONError) {
    // A combining character needs a byte of 0xCC or more, or a `\u` escape.
    var previous: UInt8 = 0
    let mayCombine = bytes.contains { byte in
      defer { previous = byte }
      return byte >= 0xCC || (byte == UInt8(ascii: "u") && previous == UInt8(ascii: "\\"))
    }
    guard mayCombine else { return }
    var scalars = CountedScalars(String(decoding: bytes, as: UTF8.self))
    var run = CombiningRun()
    while let scalar = scalars.next() {
      let meant = scalar == "\\" ? scalars.nextEscaped() : scalar
      if run.isOverlong(with: meant) {
        throw JSONError(
          line: scalars.line, column: scalars.column,
          message: "more than \(CombiningRun.longest) combining characters in a row")
      }
    }
  }
}

/// Iterates over the characters of a text, with the position of the last one.
private struct CountedScalars {
  private var iterator: String.UnicodeScalarView.Iterator
  private(set) var line = 1
  private(set) var column = 0

  init(_ text: String) {
    iterator = text.unicodeScalars.makeIterator()
  }

  mutating func next() -> Unicode.Scalar? {
    guard let scalar = iterator.next() else { return nil }
    if scalar == "\n" { (line, column) = (line + 1, 0) } else { column += 1 }
    return scalar
  }

  /// The character of an escape whose backslash was read (RFC 8259 section 7).
  mutating func nextEscaped() -> Unicode.Scalar {
    guard next() == "u" else { return " " }
    let high = fourDigits()
    if let scalar = Unicode.Scalar(high) { return scalar }
    guard next() == "\\", next() == "u" else { return " " }
    let low = fourDigits()
    return Unicode.Scalar(0x10000 + (high & 0x3FF) << 10 + (low & 0x3FF)) ?? " "
  }

  private mutating func fourDigits() -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let digit = next(), let number = UInt32(String(digit), radix: 16) else { return value }
      value = value << 4 | number
    }
    return value
  }
}
