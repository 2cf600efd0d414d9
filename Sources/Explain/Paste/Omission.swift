internal import Domain

/// Finds marks for omitted lines or entries: `...`, `(중략)`, `<생략>`, `[truncated]`.
enum Omission {
  private static let words = [
    "중략", "생략", "하략", "이하", "omitted", "truncated", "snip", "skipped", "cut",
  ]
  private static let mostBytes = 40

  /// Whether such a mark stands in the place of a line or a map's entry.
  static func isThere(in bytes: [UInt8]) -> Bool {
    bytes.indices.contains { index in
      guard let end = end(in: bytes, at: index) else { return false }
      let isBlank: (UInt8) -> Bool = { " \t\"'".utf8.contains($0) }
      let before = bytes[..<index].suffix(16).reversed().drop {
        isBlank($0) || ">*-#/".utf8.contains($0)
      }.first
      let behind = bytes[end...].prefix(16).drop(while: isBlank).first
      return (before.map { ",;{[(\n".utf8.contains($0) } ?? true)
        && (behind.map { ",;}])\n".utf8.contains($0) } ?? true)
    }
  }

  /// The end of the mark that begins at `index`; nil where none does.
  private static func end(in bytes: [UInt8], at index: Int) -> Int? {
    switch bytes[index] {
    case UInt8(ascii: "."):
      let end = bytes[index...].prefix(mostBytes).prefix { $0 == UInt8(ascii: ".") }.endIndex
      return end - index >= 3 ? end : nil
    case 0x80...:
      let length = Masking.markLength(in: bytes, at: index)
      guard length > 0 else { return nil }
      let text = bytes[index..<(index + length)]
      return text.elementsEqual("\u{2026}".utf8) || text.elementsEqual("\u{22EF}".utf8)
        ? index + length : nil
    case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "<"):
      let inside = bytes[(index + 1)...].prefix(mostBytes).prefix { !")]>\n".utf8.contains($0) }
      guard let close = bytes[inside.endIndex...].first, ")]>".utf8.contains(close) else {
        return nil
      }
      let text = String(decoding: inside, as: UTF8.self).lowercased()
      return words.contains { text.contains($0) } ? inside.endIndex + 1 : nil
    default:
      return nil
    }
  }
}
