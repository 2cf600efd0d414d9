import Domain

/// A value that can be typed on a command line.
protocol ExpressibleByArgument {
  /// Takes `argument` where it is such a value.
  init?(argument: String)

  /// All values, where they can be counted.
  static var allValueStrings: [String] { get }

  /// What is expected, such as `24 lower-case hexadecimal digits`.
  static var expectation: String { get }

  /// Reads a value or says what is wrong with it.
  static func reading(_ text: String) throws(InvalidValue) -> Self
}

extension ExpressibleByArgument {
  static var allValueStrings: [String] { [] }

  static var expectation: String { "one of \(allValueStrings.joined(separator: ", "))" }

  static func reading(_ text: String) throws(InvalidValue) -> Self {
    if let value = Self(argument: text) { return value }
    throw InvalidValue(text, expected: expectation, allowed: allValueStrings)
  }
}

extension ExpressibleByArgument where Self: RawRepresentable & CaseIterable, RawValue == String {
  init?(argument: String) { self.init(rawValue: argument) }

  static var allValueStrings: [String] { allCases.map(\.rawValue) }
}

/// A value that does not fit, and why.
struct InvalidValue: Error {
  let message: String

  init(_ message: String) {
    self.message = message
  }

  init(_ text: String, expected: String, allowed: [String] = []) {
    // Whoever pastes an API key where its id belongs must not see it repeated.
    if text.hasPrefix("llk_") {
      message =
        "that is an API key itself; name it by its id, key_ and the 12 characters after llk_"
    } else {
      message = "\(quoted(text)) is not \(expected)\(didYouMean(text, allowed))"
    }
  }
}

/// The text in quotation marks, cut to a length that a message can hold, with all that is not seen
/// written out.
func quoted(_ text: String) -> String {
  let shown = text.count > 60 ? text.prefix(60) + "…" : Substring(text)
  return "\"\(shown.withUnseenEscaped)\""
}

/// `; did you mean …?` with the nearest known value, or nothing.
func didYouMean(_ typed: String, _ known: [String], prefix: String = "") -> String {
  guard let best = nearest(to: typed, in: known, limit: 1).first else { return "" }
  return "; did you mean \(prefix)\(best)?"
}

extension StringProtocol {
  /// The text with every control character but tabs and line ends written as JSON escapes it.
  ///
  /// JSON need not escape DEL, the codes from U+0080 on, which terminals obey like those below
  /// U+0020, and what turns the direction of writing.
  var withControlsEscaped: String {
    var result = ""
    for scalar in unicodeScalars {
      guard scalar.steersTerminals, scalar != "\t", scalar != "\n" else {
        result.unicodeScalars.append(scalar)
        continue
      }
      let digits = String(scalar.value, radix: 16)
      result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
    return result
  }
}

extension Unicode.Scalar {
  /// Whether a terminal obeys it instead of showing it; none of these is above U+FFFF.
  fileprivate var steersTerminals: Bool {
    properties.generalCategory == .control || value == 0x2028 || value == 0x2029
      || properties.isBidiControl
  }
}

extension String: ExpressibleByArgument {
  init?(argument: String) { self = argument }
  static var expectation: String { "text" }
}

extension Int: ExpressibleByArgument {
  init?(argument: String) {
    guard argument.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    self.init(argument)
  }

  static var expectation: String { "a whole number" }
}

extension ProjectID: ExpressibleByArgument {
  init?(argument: String) { self.init(argument) }
  static var expectation: String {
    "a project id: 24 lower-case hexadecimal digits, such as 67b6f2a9688f4a05db0a1d45"
  }
}

extension KeyID: ExpressibleByArgument {
  init?(argument: String) { self.init(argument) }
  static var expectation: String { "the id of an API key: key_ and 12 letters and digits" }
}

extension SigningKeyID: ExpressibleByArgument {
  init?(argument: String) { self.init(argument) }
  static var expectation: String { "the id of a signing key: sk_ and 12 letters and digits" }
}

extension KeyDelivery: ExpressibleByArgument {}
extension ReplayPolicy: ExpressibleByArgument {}
extension Scope: ExpressibleByArgument {}
extension Platform: ExpressibleByArgument {}

/// A length of time as people write it: `90d`, `24h`, `30m` or `3600s`; a unit has to be there, since
/// a bare `90` is days to one and seconds to another.
struct Seconds: ExpressibleByArgument, Equatable, CustomStringConvertible {
  /// A hundred years: whatever is longer is a slip of the keyboard.
  static let limit = 36_500 * 86_400

  let count: Int

  init(_ count: Int) {
    self.count = count
  }

  init?(argument: String) {
    guard let count = Self.count(argument), count <= Self.limit else { return nil }
    self.count = count
  }

  static func reading(_ text: String) throws(InvalidValue) -> Seconds {
    if let value = Seconds(argument: text) { return value }
    guard count(text) == nil else {
      throw InvalidValue("\(quoted(text)) is too long: \(Seconds(limit)) at most")
    }
    throw InvalidValue(text, expected: expectation)
  }

  /// The seconds that are meant, however many; nil for what is no length of time.
  private static func count(_ text: String) -> Int? {
    let units: [Character: Int] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
    let digits = text.dropLast()
    guard let factor = text.last.flatMap({ units[$0] }), !digits.isEmpty,
      digits.utf8.allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    let (count, isOver) = (Int(digits) ?? .max).multipliedReportingOverflow(by: factor)
    return isOver ? .max : count
  }

  /// In the largest unit that leaves no rest.
  var description: String {
    for (unit, size) in [("d", 86_400), ("h", 3600), ("m", 60)]
    where count > 0 && count.isMultiple(of: size) {
      return "\(count / size)\(unit)"
    }
    return "\(count)s"
  }

  static var expectation: String {
    "a length of time: a number with s, m, h or d, such as 30m or 90d"
  }
}
