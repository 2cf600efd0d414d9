/// A piece of a page: what is written in the source is markup, what is put in is text and escaped.
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

    /// Text, whatever it holds.
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

    /// Markup, which was escaped where it was made.
    mutating func appendInterpolation(_ markup: HTML) {
      text += markup.text
    }

    mutating func appendInterpolation(_ markup: [HTML]) {
      for part in markup { text += part.text }
    }

    /// Markup where there is some.
    mutating func appendInterpolation(_ markup: HTML?) {
      if let markup { text += markup.text }
    }
  }
}
