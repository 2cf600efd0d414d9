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
    defer { drop(count) }
    return UnsafeRawBufferPointer(start: bytes.baseAddress, count: count)
  }

  // A slice of a buffer asks the runtime for its type at each use.
  private mutating func drop(_ count: Int) {
    bytes = UnsafeRawBufferPointer(
      start: bytes.baseAddress.map { $0 + count }, count: bytes.count - count)
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
    drop(count)
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
  ///
  /// Eight bytes at a time take 1 instruction a byte instead of 6.
  var isVisibleASCII: Bool {
    let ones: UInt64 = 0x0101_0101_0101_0101
    var others: UInt64 = 0
    var index = 0
    while index + 8 <= count {
      let word = loadUnaligned(fromByteOffset: index, as: UInt64.self)
      // The high bit of a byte is set where the byte is below 0x21, is 0x7F, or is not ASCII. A borrow
      // or a carry may set one more, but comes from such a byte.
      others |= ((word &- ones &* 0x21) & ~word) | (word &+ ones) | word
      index += 8
    }
    while index < count {
      if self[index] &- 0x21 > 0x5D { return false }
      index += 1
    }
    return others & ones << 7 == 0 && !isEmpty
  }

  /// Whether they equal `word`, which is of lower-case letters and hyphens, at least 8 of them, and as
  /// long; ASCII case is ignored.
  func isWord(_ word: StaticString) -> Bool {
    let word = UnsafeRawBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
    precondition(count == word.count && count >= 8, "another length")
    var difference: UInt64 = 0
    var index = 0
    while true {
      let (left, right) = (
        loadUnaligned(fromByteOffset: index, as: UInt64.self),
        word.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      )
      // Bit 6 is set in letters alone, whose case is in bit 5.
      difference |= (left | (right & 0x4040_4040_4040_4040) >> 1) ^ right
      guard index + 8 < count else { return difference == 0 }
      index = Swift.min(index + 8, count - 8)
    }
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
