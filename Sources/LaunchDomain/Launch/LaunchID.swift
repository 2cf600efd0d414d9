internal import Synchronization

/// A launch's identifier and its signature's nonce: a UUIDv7 (RFC 9562 section 5.7).
public struct LaunchID: Sendable, Hashable, CustomStringConvertible {
  /// 36 characters in lower case.
  public let description: String
  /// When the launch was issued, in milliseconds since 1970.
  public let milliseconds: Int64

  /// Takes `text` where it is a UUID of version 7 and the RFC's variant.
  public init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard bytes.count == 36 else { return nil }
    var time: Int64 = 0
    for (index, byte) in bytes.enumerated() {
      if [8, 13, 18, 23].contains(index) {
        guard byte == UInt8(ascii: "-") else { return nil }
        continue
      }
      guard let digit = Self.hexValue(byte) else { return nil }
      if index < 13 { time = time << 4 | Int64(digit) }
    }
    guard bytes[14] == UInt8(ascii: "7"), let variant = Self.hexValue(bytes[19]),
      variant >> 2 == 0b10
    else { return nil }
    description = text
    milliseconds = time
  }

  /// Makes an identifier of 48 bits of time and 74 random bits.
  init(milliseconds: Int64, random: (high: UInt64, low: UInt64)) {
    self.milliseconds = milliseconds
    let high = UInt64(truncatingIfNeeded: milliseconds) << 16 | 0x7000 | (random.high & 0x0FFF)
    let low = 0x8000_0000_0000_0000 | (random.low & 0x3FFF_FFFF_FFFF_FFFF)
    description = String(unsafeUninitializedCapacity: 36) { output in
      var position = 0
      for (index, word) in [high, low].enumerated() {
        for digit in 0..<16 {
          let place = index * 16 + digit
          if place == 8 || place == 12 || place == 16 || place == 20 {
            output[position] = UInt8(ascii: "-")
            position += 1
          }
          let value = UInt8(truncatingIfNeeded: word >> UInt64(60 - 4 * digit)) & 15
          output[position] = value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
          position += 1
        }
      }
      return position
    }
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

/// Gives launch ids whose time never goes backwards, also where the clock does.
///
/// One serves all threads: what they share is one atomic number.
public final class LaunchIDSource: Sendable {
  private let last = Atomic<Int64>(0)

  /// Makes a source that has given nothing yet.
  public init() {}

  /// A new id of the time `now`, or of the last id's where that was later.
  public func next(
    at now: Timestamp, using generator: inout some RandomNumberGenerator
  ) -> LaunchID {
    let time = last.max(now.milliseconds, ordering: .relaxed).newValue
    return LaunchID(milliseconds: time, random: (generator.next(), generator.next()))
  }

  /// A time that no id given until now lies behind, while every id given from now on does.
  ///
  /// - Parameter now: the clock's time, which may lie before the last id's.
  /// - Returns: `now` or the last id's time, whichever is later.
  public func cut(at now: Timestamp) -> Timestamp {
    var seen = last.load(ordering: .relaxed)
    while true {
      let time = max(seen, now.milliseconds)
      let (exchanged, original) = last.compareExchange(
        expected: seen, desired: time + 1, ordering: .relaxed)
      if exchanged { return Timestamp(milliseconds: time) }
      seen = original
    }
  }
}
