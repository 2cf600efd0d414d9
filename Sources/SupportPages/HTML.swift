/// A piece of a page: literals are markup, interpolated values are text and escaped.
///
/// Attribute values have to stand in double quotes.
struct HTML: ExpressibleByStringInterpolation {
  private(set) var text: String

  init(stringLiteral text: String) {
    self.text = text
  }

  init(stringInterpolation: StringInterpolation) {
    text = stringInterpolation.text
  }

  static let empty: HTML = ""

  static func += (left: inout HTML, right: HTML) {
    left.text += right.text
  }

  struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var text = ""

    init(literalCapacity: Int, interpolationCount: Int) {
      text.reserveCapacity(literalCapacity + 32 * interpolationCount)
    }

    mutating func appendLiteral(_ markup: String) {
      text += markup
    }

    /// Any text, escaped.
    mutating func appendInterpolation(_ value: some StringProtocol) {
      for scalar in value.unicodeScalars {
        switch scalar {
        case "&": text += "&amp;"
        case "<": text += "&lt;"
        case ">": text += "&gt;"
        case "\"": text += "&quot;"
        case "'": text += "&#39;"
        default: text.unicodeScalars.append(scalar)
        }
      }
    }

    mutating func appendInterpolation(_ number: Int) {
      text += String(number)
    }

    /// Markup, which is not escaped again.
    mutating func appendInterpolation(_ markup: HTML) {
      text += markup.text
    }

    mutating func appendInterpolation(_ markup: [HTML]) {
      for part in markup { text += part.text }
    }

    /// Optional markup; nil adds nothing.
    mutating func appendInterpolation(_ markup: HTML?) {
      if let markup { text += markup.text }
    }
  }
}
