internal import Domain

/// Reads commands of PowerShell's `Invoke-WebRequest` and `Invoke-RestMethod`, such as Chrome's
/// developer tools copy, as the lines of headers that they hold.
enum PowerShell {
  private static let names = ["invoke-webrequest", "invoke-restmethod", "-headers @{"]

  /// Whether the text holds such a command.
  static func isCommand(_ text: String) -> Bool {
    let lowered = text.lowercased()
    return names.contains { lowered.contains($0) }
  }

  /// Whether quotation marks are escaped as there, such as in `$h.Add("signature-input", "…")`.
  static func isEscaped(_ text: String) -> Bool { text.utf8.contains("`\"@".utf8) }

  /// The text without the backtick, PowerShell's escape character (about_Special_Characters): a line's
  /// end behind it does not count, and a quotation mark gets a backslash, which every reader knows.
  static func plain(_ text: String) -> String {
    var output = ""
    var isEscaped = false
    for character in text {
      switch character {
      case "`" where !isEscaped:
        isEscaped = true
        continue
      // PowerShell 5 needs a backslash as well for a program's argument.
      case "\"" where isEscaped: output += output.utf8.last == UInt8(ascii: "\\") ? "\"" : "\\\""
      case "\n" where isEscaped: output += " "
      default: output.append(character)
      }
      isEscaped = false
    }
    return output
  }

  /// The value of the option `-Method`, in capitals as HTTP has it.
  static func method(in text: String) -> String? {
    let lowered = text.lowercased()
    guard let option = lowered.firstRange(of: "-method ") else { return nil }
    let value = lowered[option.upperBound...].drop { " \"'".contains($0) }.prefix { $0.isLetter }
    return value.isEmpty ? nil : value.uppercased()
  }
}
