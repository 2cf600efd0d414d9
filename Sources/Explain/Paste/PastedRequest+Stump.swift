internal import Domain

/// The remainder of the last part in a text that ends within a launch.
extension PastedRequest {
  private static let projectIDLength = 24
  private static let uuidLength = 36
  /// The digits of a time in seconds, until the year 2286.
  private static let timeDigits = 10
  private static let parameters = ["created", "expires", "keyid", "alg", "nonce", "tag"]

  /// Marks the last part as cut off where its value can only be a prefix of one, or where the
  /// text's form shows it.
  mutating func findStump() {
    guard let name = lastPart, name != "url", let value = values(of: name).last else { return }
    guard isCutOff || Self.isStump(value, of: name, hasSignature: !values(of: "signature").isEmpty)
    else { return }
    isCutOff = true
    stump = name
  }

  /// Whether the text ends in the name of a missing header, or in the option for one.
  func endsInName(_ bytes: [UInt8]) -> Bool {
    guard hasBundle || hasAllHeaders else { return false }
    let end = bytes.suffix(32)
    let word = end.reversed().prefix { PercentEncoding.isUnreserved($0) }.reversed()
    guard !word.isEmpty, word.count < end.count else { return false }
    let before = end[end.index(end.endIndex, offsetBy: -word.count - 1)]
    guard " \n\t\"'{[(,".utf8.contains(before) else { return false }
    let text = String(decoding: word, as: UTF8.self)
    return "--header".hasPrefix(text) || text == "-H"
      || Self.bundleHeaders.contains {
        values(of: $0).isEmpty && $0.hasPrefix(text.lowercased())
      }
  }

  /// Whether a header of the bundle is missing.
  var lacksHeaders: Bool { Self.bundleHeaders.contains { values(of: $0).isEmpty } }

  /// Whether a header of the bundle occurs more than once.
  var hasDoubledHeaders: Bool { Self.bundleHeaders.contains { values(of: $0).count > 1 } }

  /// Whether a time in seconds may have lost digits at the end of the text.
  func isStump(time: Int64) -> Bool {
    stump == "signature-input" && String(time).utf8.count < Self.timeDigits
  }

  private static func isStump(_ value: String, of name: String, hasSignature: Bool) -> Bool {
    switch name {
    case "x-moment-project-id":
      return value.utf8.count < projectIDLength
        && ProjectID(value + String(repeating: "0", count: projectIDLength - value.utf8.count))
          != nil
    case "x-moment-platform":
      return Platform.allCases.contains { isBeginning(value, of: $0.rawValue) }
    case "x-moment-web-api-key":
      return isBeginning(value, of: "launch-")
        || value.hasPrefix("launch-") && value.utf8.count < "launch-".utf8.count + uuidLength
    case "signature":
      return isBeginning(value, of: "launch=:")
    case "signature-input":
      return isBeginning(value, of: "launch=(") || endsInParameter(value)
        || !hasSignature && !value.utf8.contains("tag=".utf8)
    default:
      return false
    }
  }

  private static func isBeginning(_ value: String, of whole: String) -> Bool {
    whole.hasPrefix(value) && value != whole
  }

  /// Whether the last parameter has no value, or a time that has lost digits.
  private static func endsInParameter(_ value: String) -> Bool {
    guard let start = value.lastIndex(of: ";") else { return false }
    let last = value[start...].dropFirst()
    guard let equals = last.firstIndex(of: "=") else {
      return parameters.contains { $0.hasPrefix(last) }
    }
    let content = last[equals...].dropFirst()
    let isTime = ["created", "expires"].contains(last[..<equals])
    return content.isEmpty
      || isTime && content.utf8.allSatisfy(\.isASCIIDigit) && content.utf8.count < timeDigits
  }
}
