/// An apostrophe before what a spreadsheet would run as a formula, put there and taken away again.
///
/// A field is guarded where it begins, after any apostrophes of its own, with a character that makes
/// a formula. One apostrophe is added to those and taken from them, so that each text comes back as
/// it was, and none is written that begins a formula.
enum SpreadsheetGuard {
  /// What begins a formula; the full-width forms do where East Asian text is entered.
  private static let starts: Set<Unicode.Scalar> = ["=", "+", "-", "@", "＝", "＋", "－", "＠"]
  private static let apostrophe: Unicode.Scalar = "'"

  /// The text as it is written into a file.
  static func guarded(_ text: String) -> String {
    isFormula(text.unicodeScalars[...]) ? "'" + text : text
  }

  /// The text that was meant by what stands in a file.
  static func unguarded(_ text: String) -> String {
    guard text.unicodeScalars.first == apostrophe else { return text }
    let rest = text.unicodeScalars.dropFirst()
    return isFormula(rest) ? String(rest) : text
  }

  private static func isFormula(_ text: Substring.UnicodeScalarView) -> Bool {
    text.first { $0 != apostrophe }.map(starts.contains) ?? false
  }
}
