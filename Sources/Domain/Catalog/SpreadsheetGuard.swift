/// Puts an apostrophe before text that a spreadsheet would run as a formula or read as a number, a
/// date or a truth value, and takes it away again.
///
/// What counts is the text after any apostrophes of its own. Writing adds one apostrophe and
/// reading removes one, so each text comes back unchanged and a spreadsheet changes none.
enum SpreadsheetGuard {
  /// Characters that begin a formula; full-width forms do so in East Asian input.
  private static let formulaStarts: Set<Unicode.Scalar> = ["=", "+", "-", "@"]
  private static let apostrophe: Unicode.Scalar = "'"
  /// Characters beside digits in numbers, dates, times and amounts of money.
  private static let signs: Set<Unicode.Scalar> = [
    " ", ".", ",", ":", "/", "-", "+", "%", "(", ")", "$", "€", "£", "¥", "₩", "\\", "\u{A0}",
  ]
  /// Words in dates and times, in any position.
  private static let words: Set<String> = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec",
    "january", "february", "march", "april", "june", "july", "august", "september", "october",
    "november", "december", "am", "pm", "오전", "오후",
  ]
  /// Words that belong to a number, date or time only after a digit.
  private static let wordsBehindDigits: Set<String> = [
    "e", "t", "z", "a", "p", "년", "월", "일", "시", "분", "초",
  ]
  private static let longestWord = 9

  /// The text to write into a file.
  static func guarded(_ text: String) -> String {
    isAtRisk(text.unicodeScalars[...]) ? "'" + text : text
  }

  /// The text that a field of a file stands for.
  static func unguarded(_ text: String) -> String {
    guard text.unicodeScalars.first == apostrophe else { return text }
    let rest = text.unicodeScalars.dropFirst()
    return isAtRisk(rest) ? String(rest) : text
  }

  private static func isAtRisk(_ text: Substring.UnicodeScalarView) -> Bool {
    let content = text.drop { $0 == apostrophe }
    guard let first = content.first.map(narrow) else { return false }
    return formulaStarts.contains(first)
      || (canBegin(first) && (isNumber(content) || isTruth(content)))
  }

  /// Whether a number, a date or a truth value can begin like this; most texts do not.
  private static func canBegin(_ first: Unicode.Scalar) -> Bool {
    (first >= "0" && first <= "9") || first == "오" || signs.contains(first)
      || "jfmasondtpJFMASONDTP".unicodeScalars.contains(first)
  }

  private static func isTruth(_ text: Substring.UnicodeScalarView) -> Bool {
    guard (4...5).contains(text.prefix(6).count) else { return false }
    let word = String(String.UnicodeScalarView(text.map(narrow))).lowercased()
    return word == "true" || word == "false"
  }

  /// Whether the text has digits and otherwise only what stands in numbers, dates and times; wider
  /// than any one spreadsheet, since each has rules of its own for each language.
  private static func isNumber(_ text: Substring.UnicodeScalarView) -> Bool {
    var hasDigit = false
    var word = String.UnicodeScalarView()
    var isBehindDigit = false
    /// Whether the word that ends here is one of these words.
    func endsWell() -> Bool {
      let ended = String(word)
      word.removeAll()
      return ended.isEmpty || words.contains(ended)
        || (isBehindDigit && wordsBehindDigits.contains(ended))
    }
    for scalar in text {
      let scalar = narrow(scalar)
      let isDigit = scalar >= "0" && scalar <= "9"
      if isDigit || signs.contains(scalar) {
        guard endsWell() else { return false }
        hasDigit = hasDigit || isDigit
      } else {
        if word.isEmpty { isBehindDigit = hasDigit }
        word.append(scalar.properties.lowercaseMapping.unicodeScalars.first ?? scalar)
        guard word.count <= longestWord else { return false }
      }
    }
    return endsWell() && hasDigit
  }

  /// The ASCII form of a full-width character; East Asian spreadsheets read both alike.
  private static func narrow(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    guard ("\u{FF01}"..."\u{FF5E}").contains(scalar) else { return scalar }
    return Unicode.Scalar(scalar.value - 0xFEE0) ?? scalar
  }
}
