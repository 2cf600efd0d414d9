public import JSON

/// A moment on the UTC time line, in whole milliseconds.
public struct Timestamp: Sendable, Hashable, Comparable {
  /// Milliseconds since 1970-01-01T00:00:00Z.
  public let milliseconds: Int64

  /// Makes the moment that lies `milliseconds` after 1970-01-01T00:00:00Z.
  public init(milliseconds: Int64) {
    self.milliseconds = milliseconds
  }

  /// Makes the moment that lies `seconds` after 1970-01-01T00:00:00Z.
  public init(seconds: Int64) {
    self.milliseconds = seconds * 1000
  }

  /// Whole seconds since 1970-01-01T00:00:00Z, rounded down.
  public var seconds: Int64 {
    milliseconds.floorDivided(by: 1000)
  }

  /// The moment `seconds` later.
  public func adding(seconds: Int) -> Timestamp {
    Timestamp(milliseconds: milliseconds + Int64(seconds) * 1000)
  }

  /// Orders moments by time.
  public static func < (left: Timestamp, right: Timestamp) -> Bool {
    left.milliseconds < right.milliseconds
  }
}

/// Tells the time; injected, so that tests can set it.
public typealias Clock = @Sendable () -> Timestamp

// MARK: - RFC 3339

extension Timestamp: CustomStringConvertible {
  /// RFC 3339 in UTC with whole seconds, such as `2026-11-29T12:00:00Z`.
  public var description: String {
    String(unsafeUninitializedCapacity: Self.length) { write(to: $0) }
  }

  /// Appends the text of `description`.
  public func append(to output: inout ByteWriter) {
    output.append(upTo: Self.length) { write(to: $0) }
  }

  private static let length = 20

  private func write(to output: UnsafeMutableBufferPointer<UInt8>) -> Int {
    let total = seconds
    let days = total.floorDivided(by: 86_400)
    let rest = Int(total - days * 86_400)
    let date = CivilDate(daysSince1970: days)
    var position = 0
    func write(_ number: Int, _ divisors: Int, then separator: Unicode.Scalar) {
      var divisor = divisors
      while divisor > 0 {
        output[position] = UInt8(ascii: "0") + UInt8(number / divisor % 10)
        position += 1
        divisor /= 10
      }
      output[position] = UInt8(ascii: separator)
      position += 1
    }
    write(date.year, 1000, then: "-")
    write(date.month, 10, then: "-")
    write(date.day, 10, then: "T")
    write(rest / 3600, 10, then: ":")
    write(rest / 60 % 60, 10, then: ":")
    write(rest % 60, 10, then: "Z")
    return position
  }

  /// Reads an RFC 3339 date-time in the years 1970 to 9999; a fraction is cut to milliseconds.
  ///
  /// It is nil where the text is no such time; a leap second (`:60`) is refused.
  ///
  /// - Parameter text: such as `2026-11-29T12:00:00Z` or `2026-11-29T21:00:00.5+09:00`.
  public init?(rfc3339 text: String) {
    var scanner = DigitScanner(text)
    guard let year = scanner.number(digits: 4), scanner.skip("-"),
      let month = scanner.number(digits: 2), scanner.skip("-"),
      let day = scanner.number(digits: 2), scanner.skip("T"),
      let hour = scanner.number(digits: 2), scanner.skip(":"),
      let minute = scanner.number(digits: 2), scanner.skip(":"),
      let second = scanner.number(digits: 2),
      let fraction = scanner.fraction(), let offset = scanner.offset(), scanner.isAtEnd,
      let date = CivilDate(year: year, month: month, day: day),
      hour < 24, minute < 60, second < 60
    else { return nil }
    let ofDay = Int64(hour * 3600 + minute * 60 + second) - Int64(offset) * 60
    let moment = (date.daysSince1970 * 86_400 + ofDay) * 1000 + Int64(fraction)
    guard (0..<253_402_300_800_000).contains(moment) else { return nil }
    milliseconds = moment
  }
}

/// A day of the proleptic Gregorian calendar.
private struct CivilDate {
  let year: Int
  let month: Int
  let day: Int

  init?(year: Int, month: Int, day: Int) {
    let isLeap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0
    let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    guard year >= 1970, (1...12).contains(month), (1...lengths[month - 1]).contains(day) else {
      return nil
    }
    (self.year, self.month, self.day) = (year, month, day)
  }

  /// A year begins in March here, so that the leap day ends it; 400 years have 146,097 days.
  init(daysSince1970 days: Int64) {
    let shifted = Int(days) + 719_468
    let era = shifted.floorDivided(by: 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  var daysSince1970: Int64 {
    let fromMarch = month <= 2 ? year - 1 : year
    let era = fromMarch.floorDivided(by: 400)
    let yearOfEra = fromMarch - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return Int64(era * 146_097 + dayOfEra - 719_468)
  }
}

/// Reads the parts of a date-time from the left.
private struct DigitScanner {
  private var rest: Substring.UTF8View

  init(_ text: String) {
    rest = text[...].utf8
  }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func number(digits: Int) -> Int? {
    let head = rest.prefix(digits)
    guard head.count == digits, head.allSatisfy(\.isASCIIDigit) else { return nil }
    rest = rest.dropFirst(digits)
    return head.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
  }

  mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard let first = rest.first, first == UInt8(ascii: character) else { return false }
    rest = rest.dropFirst()
    return true
  }

  /// Milliseconds of an optional `.digits`; nil for a point without digits.
  mutating func fraction() -> Int? {
    guard skip(".") else { return 0 }
    let digits = rest.prefix(while: \.isASCIIDigit)
    guard !digits.isEmpty else { return nil }
    rest = rest.dropFirst(digits.count)
    let padded = Array(digits.prefix(3)) + Array(repeating: UInt8(ascii: "0"), count: 3)
    return padded.prefix(3).reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
  }

  /// Minutes east of UTC of `Z` or `±hh:mm`.
  mutating func offset() -> Int? {
    if skip("Z") { return 0 }
    let sign = skip("+") ? 1 : skip("-") ? -1 : 0
    guard sign != 0, let hours = number(digits: 2), skip(":"), let minutes = number(digits: 2),
      hours < 24, minutes < 60
    else { return nil }
    return sign * (hours * 60 + minutes)
  }
}

extension BinaryInteger {
  /// Division that rounds down, also below zero.
  func floorDivided(by divisor: Self) -> Self {
    let quotient = self / divisor
    return self % divisor < 0 ? quotient - 1 : quotient
  }
}
