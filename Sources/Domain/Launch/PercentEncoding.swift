internal import UnicodeText

/// Percent-encoding of RFC 3986 section 2.1, upper-case hexadecimal.
public enum PercentEncoding {
  /// `ALPHA / DIGIT / "-" / "." / "_" / "~"` (RFC 3986 section 2.3).
  @inlinable
  public static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: "_"), UInt8(ascii: "~"):
      true
    default: false
    }
  }

  /// Writes `text` as UTF-8 with everything but unreserved characters encoded.
  ///
  /// - Parameters:
  ///   - text: the text.
  ///   - output: has room for three times the text.
  /// - Returns: how many bytes were written.
  static func write(_ text: String, to output: UnsafeMutableBufferPointer<UInt8>) -> Int {
    text.utf8Span.span.withUnsafeBytes { text in
      precondition(output.count >= 3 * text.count, "there is too little room")
      var position = 0
      for byte in text {
        if isUnreserved(byte) {
          output[position] = byte
          position &+= 1
        } else {
          output[position] = UInt8(ascii: "%")
          output[position &+ 1] = upperHexDigit(byte >> 4)
          output[position &+ 2] = upperHexDigit(byte & 15)
          position &+= 3
        }
      }
      return position
    }
  }

  /// A parameter's value for the inner query: only characters that would change the query's meaning
  /// are encoded.
  public static func innerValue(_ value: String) -> String {
    guard !isPlain(value), value.unicodeScalars.contains(where: changesQuery) else { return value }
    var output: [UInt8] = []
    for scalar in value.unicodeScalars {
      for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter {
        if changesQuery(scalar) { append(escaped: byte, to: &output) } else { output.append(byte) }
      }
    }
    return String(decoding: output, as: UTF8.self)
  }

  /// The text that a browser's `URLSearchParams` reads: `+` is a space, and escapes are UTF-8.
  ///
  /// As in the URL standard (section 5.1), a `%` without two digits stays as it is and bytes that
  /// are not UTF-8 become U+FFFD; so do combining characters beyond `CombiningRun.longest` in a
  /// row.
  public static func formDecoded(_ text: Substring.UTF8View) -> String {
    var output: [UInt8] = []
    output.reserveCapacity(text.count)
    var index = text.startIndex
    while index < text.endIndex {
      let byte = text[index]
      if byte == UInt8(ascii: "%"), let escaped = escapedByte(in: text, at: index) {
        output.append(escaped)
        index = text.index(index, offsetBy: 3)
      } else {
        output.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
        index = text.index(after: index)
      }
    }
    return String(decoding: output, as: UTF8.self).streamSafe
  }

  /// The decoded text, stream-safe; nil where the bytes are not UTF-8.
  public static func decodedText(_ text: String) -> String? {
    String(validating: decoded(text), as: UTF8.self)?.streamSafe
  }

  /// The decoded bytes; `+` and a `%` without two digits stay as they are.
  public static func decoded(_ text: String) -> [UInt8] {
    let text = text[...].utf8
    var output: [UInt8] = []
    output.reserveCapacity(text.count)
    var index = text.startIndex
    while index < text.endIndex {
      if text[index] == UInt8(ascii: "%"), let escaped = escapedByte(in: text, at: index) {
        output.append(escaped)
        index = text.index(index, offsetBy: 3)
      } else {
        output.append(text[index])
        index = text.index(after: index)
      }
    }
    return output
  }

  /// The text as UTF-8 with everything but unreserved characters encoded.
  public static func encoded(_ text: String) -> String {
    String(unsafeUninitializedCapacity: 3 * text.utf8.count) { write(text, to: $0) }
  }

  /// Whether the text has only unreserved characters, as the ids of businesses do.
  private static func isPlain(_ text: String) -> Bool {
    text.utf8Span.span.withUnsafeBytes { $0.allSatisfy(isUnreserved) }
  }

  private static func changesQuery(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "%", "&", "#", "+", "=", " ": true
    default: scalar.isControl
    }
  }

  private static func append(escaped byte: UInt8, to output: inout [UInt8]) {
    output.append(UInt8(ascii: "%"))
    output.append(upperHexDigit(byte >> 4))
    output.append(upperHexDigit(byte & 15))
  }

  private static func upperHexDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
  }

  private static func escapedByte(in text: Substring.UTF8View, at index: Substring.Index) -> UInt8?
  {
    let digits = text[index...].dropFirst().prefix(2)
    guard digits.count == 2 else { return nil }
    var value: UInt8 = 0
    for digit in digits {
      guard let number = Character(Unicode.Scalar(digit)).hexDigitValue else { return nil }
      value = value << 4 | UInt8(number)
    }
    return value
  }
}

extension String {
  /// The text as UTF-8 with everything but unreserved characters encoded (RFC 3986 section 2.3).
  public var percentEncoded: String {
    PercentEncoding.encoded(self)
  }
}
