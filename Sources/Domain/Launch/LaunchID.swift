public import JSON
internal import Synchronization

/// A launch's identifier and its signature's nonce: a UUIDv7 (RFC 9562 section 5.7).
public struct LaunchID: Sendable, Hashable, CustomStringConvertible {
  /// How many characters it has as text.
  static let length = 36

  private let high: UInt64
  private let low: UInt64

  /// Takes `text` where it is a UUID of version 7 and the RFC's variant.
  public init?(_ text: String) {
    guard let id = text.utf8Span.span.withUnsafeBytes({ LaunchID($0) }) else { return nil }
    self = id
  }

  /// Takes the bytes of a text as ``init(_:)-(String)`` takes the text.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count == Self.length, bytes[14] == UInt8(ascii: "7") else { return nil }
    var words: (high: UInt64, low: UInt64) = (0, 0)
    for index in 0..<Self.length {
      switch index {
      case 8, 13, 18, 23:
        guard bytes[index] == UInt8(ascii: "-") else { return nil }
      default:
        guard let digit = Self.hexValue(bytes[index]) else { return nil }
        words.high = words.high << 4 | words.low >> 60
        words.low = words.low << 4 | UInt64(digit)
      }
    }
    guard words.low >> 62 == 0b10 else { return nil }
    (high, low) = words
  }

  /// Takes the bytes of a text that has no capital letters either.
  init?(lowercase bytes: UnsafeRawBufferPointer) {
    for byte in bytes where byte &- UInt8(ascii: "A") < 26 { return nil }
    self.init(bytes)
  }

  /// Makes an identifier of 48 bits of time and 74 random bits.
  init(milliseconds: Int64, random: (high: UInt64, low: UInt64)) {
    high = UInt64(truncatingIfNeeded: milliseconds) << 16 | 0x7000 | (random.high & 0x0FFF)
    low = 0x8000_0000_0000_0000 | (random.low & 0x3FFF_FFFF_FFFF_FFFF)
  }

  /// When the launch was issued, in milliseconds since 1970.
  public var milliseconds: Int64 { Int64(high >> 16) }

  /// 36 characters in lower case.
  public var description: String {
    String(unsafeUninitializedCapacity: Self.length) { write(to: $0) }
  }

  /// Writes the 36 characters.
  fileprivate func write(to output: UnsafeMutableBufferPointer<UInt8>) -> Int {
    precondition(output.count >= Self.length, "there is too little room")
    let text = UnsafeMutableRawBufferPointer(output)
    let digits = (
      Self.digits(high >> 32), Self.digits(high & 0xFFFF_FFFF), Self.digits(low >> 32),
      Self.digits(low & 0xFFFF_FFFF)
    )
    text.storeBytes(of: digits.0.bigEndian, toByteOffset: 0, as: UInt64.self)
    text.storeBytes(of: UInt32(digits.1 >> 32).bigEndian, toByteOffset: 9, as: UInt32.self)
    text.storeBytes(
      of: UInt32(truncatingIfNeeded: digits.1).bigEndian, toByteOffset: 14, as: UInt32.self)
    text.storeBytes(of: UInt32(digits.2 >> 32).bigEndian, toByteOffset: 19, as: UInt32.self)
    text.storeBytes(
      of: UInt32(truncatingIfNeeded: digits.2).bigEndian, toByteOffset: 24, as: UInt32.self)
    text.storeBytes(of: digits.3.bigEndian, toByteOffset: 28, as: UInt64.self)
    output[8] = UInt8(ascii: "-")
    output[13] = UInt8(ascii: "-")
    output[18] = UInt8(ascii: "-")
    output[23] = UInt8(ascii: "-")
    return Self.length
  }

  /// The eight hexadecimal digits of 32 bits, the first in the highest byte.
  ///
  /// All eight are computed at once: an ID stands five times in an answer and its signature base,
  /// and takes 300 instructions this way, 1,300 digit by digit.
  private static func digits(_ bits: UInt64) -> UInt64 {
    var spread = (bits << 16 | bits) & 0x0000_FFFF_0000_FFFF
    spread = (spread << 8 | spread) & 0x00FF_00FF_00FF_00FF
    spread = (spread << 4 | spread) & 0x0F0F_0F0F_0F0F_0F0F
    let letters = ((spread &+ 0x0606_0606_0606_0606) >> 4) & 0x0101_0101_0101_0101
    return spread &+ 0x3030_3030_3030_3030 &+ letters &* 39
  }

  private static func hexValue(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}

extension ByteWriter {
  /// Appends the 36 characters of a launch's identifier.
  public mutating func append(_ id: LaunchID) {
    append(upTo: LaunchID.length) { id.write(to: $0) }
  }
}

/// Generates launch IDs whose time never goes backwards, even where the clock does.
///
/// All threads may share one: its only state is an atomic number.
public final class LaunchIDSource: Sendable {
  private let last = Atomic<Int64>(0)

  /// Makes a source that has generated no ID yet.
  public init() {}

  /// A new ID with the time `now`, or with the last ID's where that is later.
  public func next(
    at now: Timestamp, using generator: inout some RandomNumberGenerator
  ) -> LaunchID {
    let time = last.max(now.milliseconds, ordering: .relaxed).newValue
    return LaunchID(milliseconds: time, random: (generator.next(), generator.next()))
  }

  /// The time of the latest ID; nil before the first.
  var latest: Timestamp? {
    let time = last.load(ordering: .relaxed)
    return time == 0 ? nil : Timestamp(milliseconds: time)
  }
}
