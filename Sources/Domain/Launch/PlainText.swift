internal import Glibc

/// Reads constant text and numbers from the left.
struct PlainText {
  /// What is not read yet.
  private(set) var bytes: UnsafeRawBufferPointer

  init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
  }

  /// Reads `text` where it comes next.
  mutating func take(_ text: UnsafeRawBufferPointer) -> Bool {
    guard let taken = take(text.count) else { return false }
    return taken.hasSameBytes(as: text)
  }

  /// Reads `text` where it comes next.
  mutating func take(_ text: [UInt8]) -> Bool {
    text.withUnsafeBytes { take($0) }
  }

  /// Reads `text` where it comes next.
  mutating func take(_ text: StaticString) -> Bool {
    take(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Reads `count` bytes; nil where there are fewer.
  mutating func take(_ count: Int) -> UnsafeRawBufferPointer? {
    guard count <= bytes.count else { return nil }
    defer { bytes = UnsafeRawBufferPointer(rebasing: bytes[count...]) }
    return UnsafeRawBufferPointer(rebasing: bytes[..<count])
  }

  /// Reads a time in seconds as a signer writes it: digits, the first of several no zero.
  mutating func seconds() -> Int64? {
    var number: Int64 = 0
    var count = 0
    while count < bytes.count, bytes[count].isASCIIDigit {
      number = number * 10 + Int64(bytes[count] &- UInt8(ascii: "0"))
      count += 1
      guard BundleVerifier.isSeconds(number) else { return nil }
    }
    guard count > 0, count == 1 || bytes[0] != UInt8(ascii: "0") else { return nil }
    bytes = UnsafeRawBufferPointer(rebasing: bytes[count...])
    return number
  }
}

extension UnsafeRawBufferPointer {
  /// Whether both have the same bytes.
  func hasSameBytes(as other: UnsafeRawBufferPointer) -> Bool {
    guard count == other.count else { return false }
    guard let first = baseAddress, let second = other.baseAddress else { return true }
    return memcmp(first, second, count) == 0
  }

  /// Whether the bytes are those of `text`.
  func isText(_ text: StaticString) -> Bool {
    hasSameBytes(
      as: UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Whether they are at least one byte, and each is a visible ASCII character (0x21–0x7E).
  var isVisibleASCII: Bool {
    var others: UInt8 = 0
    for byte in self { others |= byte &- 0x21 > 0x5D ? 1 : 0 }
    return others == 0 && !isEmpty
  }

  /// Whether they equal `word`, which is in lower case and as long; ASCII case is ignored.
  func isWord(_ word: StaticString) -> Bool {
    for index in indices {
      let byte = self[index]
      let isUpper = byte &- UInt8(ascii: "A") < 26
      guard (isUpper ? byte | 0x20 : byte) == word.utf8Start[index] else { return false }
    }
    return true
  }

  /// Whether they are host and port as they are signed: in lower case, without the port of `https`.
  var isPlainAuthority: Bool {
    for byte in self {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: ":"):
        continue
      default: return false
      }
    }
    guard count >= 4 else { return !isEmpty }
    return !UnsafeRawBufferPointer(rebasing: self[(count - 4)...]).isText(":443")
  }
}
