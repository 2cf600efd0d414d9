/// Takes a text apart in which several launches stand one behind the other, as in a log.
enum PasteSections {
  /// Sections that are told apart at the most; what follows belongs to the last of them.
  private static let mostSections = 16

  /// The parts of the text that have one launch URL each; it leads its headers, or follows them where
  /// they stand before the first of all.
  static func sections(of text: String) -> [String] {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let starts = lines.indices.filter { isOfURL(lines[$0]) }
    guard let first = starts.first, starts.count > 1 else { return [text] }
    let follows = lines[..<first].contains { $0.utf8.contains("signature".utf8) }
    var sections: [ArraySlice<Substring>] = []
    var start = 0
    for line in follows ? starts.map({ $0 + 1 }) : Array(starts.dropFirst())
    where sections.count < mostSections - 1 {
      sections.append(lines[start..<line])
      start = line
    }
    sections.append(lines[start...])
    return sections.map { $0.joined(separator: "\n") }
  }

  /// Whether the line has a launch URL or the request line with one; a page's own is among its headers.
  private static func isOfURL(_ line: Substring) -> Bool {
    let line = line.utf8
    return line.contains("redirect_to=".utf8)
      && (line.contains("https://".utf8) || line.contains("http://".utf8)
        || line.contains(" /".utf8))
      && !line.contains("eferer".utf8)
  }
}
