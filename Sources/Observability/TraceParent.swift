/// A request's place in a distributed trace (W3C Trace Context level 1, section 3.2).
struct TraceParent: Equatable {
  private static let size = 55

  /// 32 hexadecimal digits.
  let traceID: [UInt8]
  /// The caller's span, 16 hexadecimal digits.
  let parentID: [UInt8]

  /// Parses a `traceparent`; nil if it breaks the standard in any way.
  ///
  /// Of a version after 00 the known part is read (section 4.3).
  init?(_ text: UnsafeRawBufferPointer) {
    let hyphen = UInt8(ascii: "-")
    guard text.count >= Self.size, text[2] == hyphen, text[35] == hyphen, text[52] == hyphen,
      Self.isHex(text[..<2]), Self.isHex(text[3..<35]), Self.isHex(text[36..<52]),
      Self.isHex(text[53..<55]), !text[..<2].elementsEqual("ff".utf8),
      Self.isSet(text[3..<35]), Self.isSet(text[36..<52])
    else { return nil }
    if text.count > Self.size {
      guard !text[..<2].elementsEqual("00".utf8), text[55] == hyphen else { return nil }
    }
    traceID = Array(text[3..<35])
    parentID = Array(text[36..<52])
  }

  private static func isHex(_ text: Slice<UnsafeRawBufferPointer>) -> Bool {
    text.allSatisfy {
      (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
        || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
    }
  }

  /// Whether any digit differs from zero; all zeros stand for no id.
  private static func isSet(_ text: Slice<UnsafeRawBufferPointer>) -> Bool {
    text.contains { $0 != UInt8(ascii: "0") }
  }
}
