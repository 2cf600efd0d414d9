internal import UnicodeText

/// Decodes percent escapes (RFC 3986 section 2.1).
///
/// - Parameter bytes: The text as sent.
/// - Returns: The decoded text, or nil if an escape is malformed or the result is not UTF-8, not stream-safe or
///   holds a NUL.
func decodePercentEscapes(_ bytes: Slice<UnsafeRawBufferPointer>) -> String? {
  var decoded: [UInt8] = []
  decoded.reserveCapacity(bytes.count)
  var index = bytes.startIndex
  while index < bytes.endIndex {
    if bytes[index] != UInt8(ascii: "%") {
      decoded.append(bytes[index])
      index += 1
      continue
    }
    guard index + 2 < bytes.endIndex, let high = hexadecimalDigit(bytes[index + 1]),
      let low = hexadecimalDigit(bytes[index + 2])
    else { return nil }
    decoded.append(high << 4 | low)
    index += 3
  }
  guard !decoded.contains(0), let text = String(validating: decoded, as: UTF8.self),
    text.isStreamSafe
  else { return nil }
  return text
}

private func hexadecimalDigit(_ byte: UInt8) -> UInt8? {
  switch byte {
  case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
  case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
  case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
  default: nil
  }
}
