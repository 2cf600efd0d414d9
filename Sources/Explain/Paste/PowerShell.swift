internal import Domain

/// Reads PowerShell's `Invoke-WebRequest` and `Invoke-RestMethod` commands, such as Chrome's
/// developer tools copy, as lines of headers.
enum PowerShell {
  private static let names = ["invoke-webrequest", "invoke-restmethod", "-headers @{"]

  /// Whether the text contains such a command.
  static func isCommand(_ text: String) -> Bool {
    let lowered = text.lowercased()
    return names.contains { lowered.contains($0) }
  }

  /// Whether quotation marks are escaped as in PowerShell, as in `$h.Add("signature-input", "…")`.
  static func isEscaped(_ text: String) -> Bool { text.utf8.contains("`\"@".utf8) }

  /// The text without the backtick, PowerShell's escape character (about_Special_Characters): an
  /// escaped line end is dropped, and an escaped quotation mark gets a backslash, which every
  /// reader knows.
  static func plain(_ text: String) -> String {
    var output = ""
    var isEscaped = false
    for character in text {
      switch character {
      case "`" where !isEscaped:
        isEscaped = true
        continue
      // PowerShell 5 also needs a backslash in arguments of programs.
      case "\"" where isEscaped: output += output.utf8.last == UInt8(ascii: "\\") ? "\"" : "\\\""
      case "\n" where isEscaped: output += " "
      default: output.append(character)
      }
      isEscaped = false
    }
    return output
  }

  /// The value of `-Method`, in upper case as in HTTP.
  static func method(in text: String) -> String? {
    let lowered = text.lowercased()
    guard let option = lowered.firstRange(of: "-method ") else { return nil }
    let value = lowered[option.upperBound...].drop { " \"'".contains($0) }.prefix { $0.isLetter }
    return value.isEmpty ? nil : value.uppercased()
  }
}
