internal import Domain

/// Splits a text that contains several launches one after another, as logs do.
enum PasteSections {
  /// The most lines with launch URLs that begin a part; later ones belong to the last part.
  private static let mostSections = 16

  /// The parts of the text, each with one launch URL, which precedes its headers or follows them
  /// where headers precede the first URL.
  ///
  /// - Parameters:
  ///   - text: the text.
  ///   - paths: the paths of launch pages.
  /// - Returns: the parts in order.
  static func sections(of text: String, paths: Set<String>) -> [String] {
    let marks = ["redirect_to="] + paths
    var starts: [String.Index] = []
    var ends: [String.Index] = []
    for line in text.split(separator: "\n")
    where isOfURL(line, marks) && starts.count < mostSections {
      starts.append(line.startIndex)
      starts += urls(in: line, marks).dropFirst().prefix(mostSections)
      ends.append(line.endIndex)
    }
    guard let first = starts.first else { return [text] }
    let follows = text[..<first].utf8.contains("signature".utf8)
    let cuts = follows ? ends[...] : starts.dropFirst()
    return zip([text.startIndex] + cuts, cuts + [text.endIndex]).map { String(text[$0..<$1]) }
  }

  /// Whether the line has a launch URL or a request line with one; a Referer does not count.
  private static func isOfURL(_ line: Substring, _ marks: [String]) -> Bool {
    let line = line.utf8
    return marks.contains { line.contains($0.utf8) }
      && (line.contains("://".utf8) || line.contains(" /".utf8)) && !line.contains("eferer".utf8)
  }

  /// The positions of the launch URLs of a line.
  private static func urls(in line: Substring, _ marks: [String]) -> [String.Index] {
    let starts = line.utf8.indices.filter { line.utf8[$0...].starts(with: "http".utf8) }
    return zip(starts, starts.dropFirst() + [line.endIndex]).compactMap { start, end in
      let url = line[start..<end].utf8
      return marks.contains { url.contains($0.utf8) } ? start : nil
    }
  }
}
