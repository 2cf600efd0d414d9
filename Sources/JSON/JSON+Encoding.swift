extension JSON {
  /// The value as UTF-8 text (RFC 8259).
  ///
  /// - Parameter pretty: Writes each item and member on a line of its own, indented by two spaces a
  ///   level; otherwise there is no white space.
  /// - Returns: The text, without a line break at its end.
  public func encoded(pretty: Bool = false) -> [UInt8] {
    var output: [UInt8] = []
    append(to: &output, depth: pretty ? 0 : nil)
    return output
  }

  /// Appends the value's text, without white space, to `output`.
  public func append(to output: inout [UInt8]) {
    append(to: &output, depth: nil)
  }

  /// Appends `text` as a JSON string, with its quotation marks, to `output`.
  ///
  /// Only what has to be is escaped (RFC 8259 section 7): `"`, `\` and U+0000 to U+001F.
  public static func appendString(_ text: String, to output: inout [UInt8]) {
    output.append(UInt8(ascii: "\""))
    text.utf8Span.span.withUnsafeBytes { bytes in
      var start = 0
      while true {
        let end = endOfPlainText(bytes, from: start)
        output.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
        guard end < bytes.count else { break }
        output.append(contentsOf: escape(of: bytes[end]).utf8)
        start = end + 1
      }
    }
    output.append(UInt8(ascii: "\""))
  }

  /// The index of the next byte that has to be escaped.
  static func endOfPlainText(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
    endOfPlainText(bytes, from: start, notASCII: 0)
  }

  /// The index of the next byte that has to be escaped or is not ASCII.
  static func endOfPlainASCII(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
    endOfPlainText(bytes, from: start, notASCII: 0x80)
  }

  /// The index of the next byte that has to be escaped or has the bit `notASCII`; eight bytes at a time
  /// take 2 instructions a byte instead of 12.
  @inline(__always)
  private static func endOfPlainText(
    _ bytes: UnsafeRawBufferPointer, from start: Int, notASCII: UInt8
  ) -> Int {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let highs = ones << 7
    var index = start
    while index + 8 <= bytes.count {
      let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      let quote = word ^ (ones &* 0x22)
      let backslash = word ^ (ones &* 0x5C)
      // The high bit of a byte is set where the byte is below 0x20, or zero after the exclusive or.
      // A borrow may set one more, which only causes a closer look.
      let found =
        ((word &- ones &* 0x20) & ~word) | ((quote &- ones) & ~quote)
        | ((backslash &- ones) & ~backslash) | (word & (ones &* UInt64(notASCII)))
      if found & highs != 0 { break }
      index += 8
    }
    while index < bytes.count, !mustBeEscaped(bytes[index]), bytes[index] & notASCII == 0 {
      index += 1
    }
    return index
  }

  /// Appends the value; `depth` is the number of levels to indent, `nil` for no white space.
  private func append(to output: inout [UInt8], depth: Int?) {
    switch self {
    case .null: output.append(contentsOf: "null".utf8)
    case .bool(let value): output.append(contentsOf: (value ? "true" : "false").utf8)
    case .integer(let value): output.append(contentsOf: String(value).utf8)
    // JSON has no NaN and no infinity; ECMA-262's JSON.stringify also writes null for them.
    case .number(let value): output.append(contentsOf: (value.isFinite ? "\(value)" : "null").utf8)
    case .string(let value): Self.appendString(value, to: &output)
    case .array(let items):
      Self.appendList(items, "[", "]", to: &output, depth: depth) { item, output, depth in
        item.append(to: &output, depth: depth)
      }
    case .object(let members):
      Self.appendList(members, "{", "}", to: &output, depth: depth) { member, output, depth in
        Self.appendString(member.name, to: &output)
        output.append(contentsOf: (depth == nil ? ":" : ": ").utf8)
        member.value.append(to: &output, depth: depth)
      }
    }
  }

  private static func appendList<Element>(
    _ elements: [Element], _ opening: Unicode.Scalar, _ closing: Unicode.Scalar,
    to output: inout [UInt8], depth: Int?,
    appendElement: (Element, inout [UInt8], Int?) -> Void
  ) {
    output.append(UInt8(ascii: opening))
    let inner = depth.map { $0 + 1 }
    for (index, element) in elements.enumerated() {
      if index > 0 { output.append(UInt8(ascii: ",")) }
      appendLineBreak(to: &output, depth: inner)
      appendElement(element, &output, inner)
    }
    if !elements.isEmpty { appendLineBreak(to: &output, depth: depth) }
    output.append(UInt8(ascii: closing))
  }

  private static func appendLineBreak(to output: inout [UInt8], depth: Int?) {
    guard let depth else { return }
    output.append(UInt8(ascii: "\n"))
    output.append(contentsOf: repeatElement(UInt8(ascii: " "), count: depth * 2))
  }

  private static func mustBeEscaped(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }

  /// The escape of a byte.
  static func escape(of byte: UInt8) -> String {
    switch byte {
    case UInt8(ascii: "\""): return "\\\""
    case UInt8(ascii: "\\"): return "\\\\"
    case UInt8(ascii: "\n"): return "\\n"
    case UInt8(ascii: "\r"): return "\\r"
    case UInt8(ascii: "\t"): return "\\t"
    default:
      let digits = String(byte, radix: 16)
      return (digits.utf8.count == 1 ? "\\u000" : "\\u00") + digits
    }
  }
}
