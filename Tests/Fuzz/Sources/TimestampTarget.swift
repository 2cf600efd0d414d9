import Domain
import Glibc

/// A time: what is accepted is what the C library makes of its parts, and reads back.
struct TimestampTarget: FuzzTarget {
  func run(_ input: [UInt8]) throws {
    let text = input.text
    guard let time = Timestamp(rfc3339: text) else { return }
    require(
      Timestamp(rfc3339: time.description) == Timestamp(seconds: time.seconds), "\(text): \(time)")
    let numbers = text.utf8.split { !(0x30...0x39).contains($0) }.map {
      need(Int32(String(decoding: $0.prefix(9), as: UTF8.self)), text)
    }
    var parts = tm()
    (parts.tm_year, parts.tm_mon, parts.tm_mday) = (numbers[0] - 1900, numbers[1] - 1, numbers[2])
    (parts.tm_hour, parts.tm_min, parts.tm_sec) = (numbers[3], numbers[4], numbers[5])
    let rest = Array(text.utf8.dropFirst(19))
    var east = 0
    if rest.last != UInt8(ascii: "Z") {
      let zone = Int(numbers[numbers.count - 2]) * 60 + Int(numbers[numbers.count - 1])
      east = rest.contains(UInt8(ascii: "-")) ? -zone : zone
    }
    require(Int(time.seconds) == timegm(&parts) - east * 60, "\(text): \(time)")
  }
}
