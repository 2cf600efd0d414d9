/// Makes request ids: 16 hexadecimal digits that are random per worker thread and start, a hyphen
/// and a count.
struct RequestIdentifiers {
  private let prefix: UInt64 = .random(in: 0 ... .max)
  private var count: UInt64 = 0

  /// Writes the next id.
  mutating func write(into bytes: inout [UInt8]) {
    count += 1
    bytes.removeAll(keepingCapacity: true)
    append(prefix, to: &bytes, digits: 16)
    bytes.append(UInt8(ascii: "-"))
    append(count, to: &bytes, digits: max(1, (67 - count.leadingZeroBitCount) / 4))
  }

  private func append(_ number: UInt64, to bytes: inout [UInt8], digits: Int) {
    for position in stride(from: (digits - 1) * 4, through: 0, by: -4) {
      let digit = UInt8(truncatingIfNeeded: number >> UInt64(position)) & 0xF
      bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
    }
  }
}
