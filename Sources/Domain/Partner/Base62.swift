internal import Cryptography

/// Numbers in the digits `0-9A-Za-z`, most significant first.
enum Base62 {
  private static let digits = Array(
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)

  static func isNumber(_ text: some Collection<UInt8>, digits: Int) -> Bool {
    text.count == digits && text.allSatisfy(isDigit)
  }

  static func isNumber(_ text: UnsafeRawBufferPointer) -> Bool {
    text.allSatisfy(isDigit)
  }

  /// The number of up to 10 digits (62^10 < 2^64); nil where one is no digit.
  static func number(_ text: some Collection<UInt8>) -> UInt64? {
    guard text.count <= 10 else { return nil }
    var number: UInt64 = 0
    for digit in text {
      guard let value = value(of: digit) else { return nil }
      number = number * 62 + UInt64(value)
    }
    return number
  }

  /// The big-endian number `bytes`, padded with zeros on the left.
  static func text(of bytes: [UInt8], digits count: Int) -> String {
    var number = bytes
    var text = Array(repeating: UInt8(ascii: "0"), count: count)
    for position in text.indices.reversed() {
      var remainder = 0
      for index in number.indices {
        let value = remainder << 8 | Int(number[index])
        number[index] = UInt8(value / 62)
        remainder = value % 62
      }
      text[position] = digits[remainder]
    }
    return String(decoding: text, as: UTF8.self)
  }

  static func text(of number: UInt64, digits count: Int) -> String {
    text(of: (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }, digits: count)
  }

  /// Random digits, uniformly distributed.
  static func random(digits count: Int, using generator: inout some RandomNumberGenerator) -> String
  {
    String(
      decoding: (0..<count).map { _ in digits[Int.random(in: 0..<62, using: &generator)] },
      as: UTF8.self)
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    byte &- UInt8(ascii: "0") < 10 || (byte | 0x20) &- UInt8(ascii: "a") < 26
  }

  private static func value(of digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): digit - UInt8(ascii: "A") + 10
    case UInt8(ascii: "a")...UInt8(ascii: "z"): digit - UInt8(ascii: "a") + 36
    default: nil
    }
  }
}

/// CRC-32 as in ISO 3309 and zlib: polynomial 0xEDB88320, reflected.
enum CRC32 {
  /// The effect of each byte on the sum, then the same with one, two and three bytes after it.
  private static let table: [UInt32] = {
    var table: [UInt32] = (0..<256).map { index in
      (0..<8).reduce(UInt32(index)) { crc, _ in crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
    }
    for index in 0..<768 {
      let crc = table[index]
      table.append(table[Int(crc & 0xFF)] ^ (crc >> 8))
    }
    return table
  }()

  /// The checksum of `bytes`, four at a time: byte by byte, each step waits for the last, 0.20 µs a
  /// key.
  static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    table.withUnsafeBufferPointer { table in
      var crc: UInt32 = ~0
      var index = 0
      while index + 4 <= bytes.count {
        crc ^= UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt32.self))
        let low: UInt32 = table[768 + Int(crc & 0xFF)] ^ table[512 + Int(crc >> 8 & 0xFF)]
        let high: UInt32 = table[256 + Int(crc >> 16 & 0xFF)] ^ table[Int(crc >> 24)]
        crc = low ^ high
        index += 4
      }
      while index < bytes.count {
        crc = table[Int((crc ^ UInt32(bytes[index])) & 0xFF)] ^ (crc >> 8)
        index += 1
      }
      return ~crc
    }
  }
}
