import Configuration
import Domain
import Store

/// A value that can be typed on a command line.
protocol ExpressibleByArgument {
  /// Reads a value; nil for a text that is none.
  init?(argument: String)

  /// All values, when there is a fixed list of them.
  static var allValueStrings: [String] { get }

  /// What a shell offers for such a value.
  static var completion: CompletionKind { get }

  /// The expected form, such as `24 lower-case hexadecimal digits`.
  static var expectation: String { get }

  /// Reads a value, or throws what is wrong with it.
  static func reading(_ text: String) throws(InvalidValue) -> Self
}

extension ExpressibleByArgument {
  static var allValueStrings: [String] { [] }

  static var completion: CompletionKind {
    allValueStrings.isEmpty ? .nothing : .values(allValueStrings)
  }

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

/// Why a text is not a value.
struct InvalidValue: Error {
  let message: String

  init(_ message: String) {
    self.message = message
  }

  init(_ text: String, expected: String, allowed: [String] = []) {
    // An API key pasted in place of its id must not be repeated.
    if text.hasPrefix("llk_") {
      message =
        "that is an API key itself; name it by its id, key_ and the 12 characters after llk_"
    } else {
      message = "\(quoted(text)) is not \(expected)\(didYouMean(text, allowed))"
    }
  }
}

extension StringProtocol {
  /// The text with JSON's escapes in place of what steers a terminal; tabs and line ends stay.
  ///
  /// JSON itself need not escape DEL, the control codes from U+0080 on and the marks that turn the direction of
  /// writing.
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
  /// Whether a terminal obeys it instead of showing it; all of these are below U+10000.
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
  static var completion: CompletionKind { .identifiers(.apiKey) }
  static var expectation: String { "the id of an API key: key_ and 12 letters and digits" }
}

extension SigningKeyID: ExpressibleByArgument {
  init?(argument: String) { self.init(argument) }
  static var completion: CompletionKind { .identifiers(.signingKey) }
  static var expectation: String { "the id of a signing key: sk_ and 12 letters and digits" }
}

extension KeyDelivery: ExpressibleByArgument {}
extension ReplayPolicy: ExpressibleByArgument {}
extension Scope: ExpressibleByArgument {}
extension Platform: ExpressibleByArgument {}

extension Seconds: ExpressibleByArgument {
  init?(argument: String) {
    guard let value = try? Seconds(parsing: argument) else { return nil }
    self = value
  }

  static func reading(_ text: String) throws(InvalidValue) -> Seconds {
    do throws(Objection) {
      return try Seconds(parsing: text)
    } catch {
      switch error {
      case .notALength: throw InvalidValue(text, expected: expectation)
      case .tooLong(let longest):
        throw InvalidValue("\(quoted(text)) is too long: \(longest) at most")
      }
    }
  }

  static var expectation: String {
    "a length of time: a number with s, m, h or d, such as 30m or 90d"
  }
}
