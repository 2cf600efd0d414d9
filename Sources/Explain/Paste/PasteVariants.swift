internal import Domain

/// Variants of a text without the marks that some forms add.
///
/// Only the signature tells whether a form added them: a variant is right where the signature fits
/// it.
enum PasteVariants {
  /// The least column at which a console or mail program wraps.
  private static let narrowest = 40

  /// The variants that differ from the text.
  static func variants(of text: String) -> [String] {
    let plain = withoutMarks(text)
    let joined = unfolded(plain)
    return (plain == text ? [] : [plain]) + (joined == plain ? [] : [joined]) + windowsQuotes(text)
  }

  private static let marks: [(mark: String, plain: String)] = [
    ("[\\r][\\n]\"", ""), ("[\\r][\\n]", "\n"), ("\\_", "_"), ("\\-", "-"), ("\\=", "="),
    ("\\(", "("), ("\\)", ")"),
    ("\\[", "["), ("\\]", "]"), ("\\*", "*"), ("\\.", "."), ("=\n", ""), ("=3D", "="),
    ("\u{2010}", "-"), ("\u{2011}", "-"), ("\u{2013}", "-"), ("\u{00AB}", "\""), ("\u{00BB}", "\""),
    ("\u{300C}", "\""), ("\u{300D}", "\""), ("\u{2033}", "\""), ("Slice([\"", "\""),
    ("\"])", "\""), ("</b>", ""), ("<b>", ""), ("<br/>", "\n"),
    ("<br>", "\n"), ("</strong>", ""), ("<strong>", ""), ("<wbr>", ""),
  ]

  /// The text without the marks of wire logs, Markdown, quoted-printable (RFC 2045 section 6.7), HTML
  /// and typography.
  private static func withoutMarks(_ text: String) -> String {
    let isPrintable = text.utf8.contains("=3D".utf8)
    var plain = text
    for (mark, replacement) in marks where plain.utf8.contains(mark.utf8) {
      if mark == "=3D" || mark == "=\n", !isPrintable { continue }
      plain = plain.replacing(mark, with: replacement)
    }
    return plain.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      // Lines that a wire log marks as sent.
      if let sent = line.firstRange(of: ">> \"") { return String(line[sent.upperBound...]) }
      // A table row without blanks, `|name|value|`.
      let cells = line.split(separator: "|")
      return line.hasPrefix("|") && cells.count == 2 && line.hasSuffix("|")
        ? "\(cells[0].trimmingPrefix(" ")): \(String(cells[1]).trimmingWhiteSpace)" : String(line)
    }.joined(separator: "\n")
  }

  /// The text with lines joined that were wrapped at one width within words, and without the
  /// quotation marks of mail before them.
  private static func unfolded(_ text: String) -> String {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    if lines.allSatisfy({ $0.isEmpty || $0.hasPrefix(">") }) {
      lines = lines.map { $0.hasPrefix("> ") ? $0.dropFirst(2) : $0.dropFirst() }
    }
    guard let width = foldWidth(of: lines) else { return lines.joined(separator: "\n") }
    var joined = ""
    for line in lines {
      joined += line
      if line.utf8.count != width { joined += "\n" }
    }
    return joined
  }

  /// Whether several lines have the same width, the largest of all.
  static func isFolded(_ text: String) -> Bool {
    foldWidth(of: text.split(separator: "\n", omittingEmptySubsequences: false)) != nil
  }

  private static func foldWidth(of lines: [Substring]) -> Int? {
    let width = lines.map(\.utf8.count).max() ?? 0
    return width >= narrowest && lines.count { $0.utf8.count == width } > 1 ? width : nil
  }

  /// The text with the quotation marks and percent signs of the Windows command processor, its
  /// scripts and PowerShell's `curl.exe` turned into those of a POSIX shell.
  private static func windowsQuotes(_ text: String) -> [String] {
    if text.utf8.contains("curl.exe '".utf8) {
      return [text.replacing("\\\"", with: "\""), text.replacing("\"\"", with: "\"")]
    }
    guard ShellWords.isCommand(text) else { return [] }
    let percent = text.replacing("%%", with: "%").replacing("\"%\"", with: "%")
    return [percent, percent.replacing("\"\"", with: "\\\"")].filter { $0 != text }
  }
}
