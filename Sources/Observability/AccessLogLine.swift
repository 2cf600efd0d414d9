internal import Domain
internal import HTTPServer
internal import JSON

/// A line of the access log under construction: a JSON object (RFC 8259).
///
/// It is reused for every request, so that a line allocates nothing.
struct AccessLogLine {
  /// The line's text, after `end` with its line feed.
  private(set) var bytes: [UInt8] = []
  private var second: Int64 = .min
  /// The text of `second`, without its Z.
  private var secondText: [UInt8] = []

  /// Begins a line with the time of the answer, to the millisecond.
  mutating func begin(at time: Timestamp) {
    bytes.removeAll(keepingCapacity: true)
    if time.seconds != second {
      second = time.seconds
      secondText = Array(time.description.utf8.dropLast())
    }
    write("{\"time\":\"")
    bytes.append(contentsOf: secondText)
    write(".")
    let fraction = Int(time.milliseconds - second * 1000)
    writeDigits(UInt64(fraction), 3)
    write("Z\"")
  }

  /// Adds a text that needs no escapes, such as a name or an id.
  mutating func add(_ name: StaticString, plain text: String) {
    open(name)
    bytes.append(contentsOf: text.utf8)
    write("\"")
  }

  /// Adds a text that needs no escapes.
  mutating func add(_ name: StaticString, plain text: StaticString) {
    open(name)
    write(text)
    write("\"")
  }

  /// Adds digits that need no escapes.
  mutating func add(_ name: StaticString, plain text: [UInt8]) {
    open(name)
    bytes.append(contentsOf: text)
    write("\"")
  }

  /// Adds a caller's visible ASCII characters, escaped.
  mutating func add(_ name: StaticString, visible text: UnsafeRawBufferPointer) {
    open(name)
    for byte in text {
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
        bytes.append(UInt8(ascii: "\\"))
      }
      bytes.append(byte)
    }
    write("\"")
  }

  /// Adds an address.
  mutating func add(_ name: StaticString, _ address: IPAddress) {
    open(name)
    address.append(to: &bytes)
    write("\"")
  }

  /// Adds 64 bits as 16 hexadecimal digits.
  mutating func add(_ name: StaticString, hex number: UInt64) {
    open(name)
    for shift in stride(from: 60, through: 0, by: -4) {
      let digit = UInt8(truncatingIfNeeded: number >> UInt64(shift)) & 15
      bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") - 10 + digit)
    }
    write("\"")
  }

  /// Adds a number that is not negative.
  mutating func add(_ name: StaticString, _ number: Int) {
    write(",\"")
    write(name)
    write("\":")
    writeNumber(UInt64(max(0, number)))
  }

  /// Adds nanoseconds as seconds, to the microsecond.
  mutating func add(_ name: StaticString, seconds nanoseconds: UInt64) {
    write(",\"")
    write(name)
    write("\":")
    writeNumber(nanoseconds / 1_000_000_000)
    write(".")
    writeDigits(nanoseconds % 1_000_000_000 / 1000, 6)
  }

  /// Ends the line.
  mutating func end() { write("}\n") }

  private mutating func open(_ name: StaticString) {
    write(",\"")
    write(name)
    write("\":\"")
  }

  private mutating func write(_ text: StaticString) {
    text.withUTF8Buffer { bytes.append(contentsOf: $0) }
  }

  private mutating func writeNumber(_ number: UInt64) {
    var digits = 1
    var rest = number / 10
    while rest > 0 {
      digits += 1
      rest /= 10
    }
    writeDigits(number, digits)
  }

  private mutating func writeDigits(_ number: UInt64, _ count: Int) {
    var divisor: UInt64 = 1
    for _ in 1..<count { divisor *= 10 }
    while divisor > 0 {
      bytes.append(UInt8(ascii: "0") + UInt8(number / divisor % 10))
      divisor /= 10
    }
  }
}
