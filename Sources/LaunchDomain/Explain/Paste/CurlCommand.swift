/// What a pasted `curl` command would send.
struct CurlCommand {
  private(set) var method = "GET"
  private(set) var urls: [String] = []
  private(set) var headers: [(name: String, value: String)] = []

  private static let shortWithValue = Set("AbcCdDeEFhHKmoPQrtTuUwxXyYz")
  private static let longWithValue: Set<String> = [
    "--cacert", "--cert", "--connect-timeout", "--connect-to", "--cookie", "--cookie-jar", "--data",
    "--data-ascii", "--data-binary", "--data-raw", "--data-urlencode", "--form", "--form-string",
    "--header", "--interface", "--json", "--key", "--max-redirs", "--max-time", "--output",
    "--proxy", "--proxy-user", "--range", "--referer", "--request", "--resolve", "--retry",
    "--retry-delay", "--unix-socket", "--upload-file", "--url", "--user", "--user-agent",
    "--write-out",
  ]

  private var hasBody = false
  private var givenMethod: String?

  /// Finds the first `curl` command, or `-H` options without one, in `text`; nil where there is none.
  init?(in text: String) {
    guard let start = Self.start(in: text) else { return nil }
    let command = String(text[start...])
    let words =
      ShellWords.isForWindows(command) ? ShellWords.windows(command) : ShellWords.posix(command)
    read(words.prefix { $0 != "curl" && $0 != "curl.exe" })
    if let givenMethod { method = givenMethod } else if hasBody { method = "POST" }
    guard !urls.isEmpty || !headers.isEmpty else { return nil }
  }

  /// Where the options begin.
  private static func start(in text: String) -> String.Index? {
    let isEdge: (Character?) -> Bool = {
      $0.map { $0.isWhitespace || "`$>\"'(:".contains($0) } ?? true
    }
    for (name, isKept) in [("curl", false), ("-H", true), ("--header", true)] {
      for range in text.ranges(of: name) {
        let before =
          range.lowerBound == text.startIndex ? nil : text[text.index(before: range.lowerBound)]
        var end = range.upperBound
        if text[end...].hasPrefix(".exe") { end = text.index(end, offsetBy: 4) }
        guard isEdge(before),
          isKept || (end < text.endIndex && (text[end].isWhitespace || text[end] == "\\"))
        else { continue }
        return isKept ? range.lowerBound : end
      }
    }
    return nil
  }

  private mutating func read(_ words: some Sequence<String>) {
    var iterator = words.makeIterator()
    while let typed = iterator.next() {
      let word = Self.withPlainDashes(typed)
      if word.hasPrefix("--") {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0])
        if name == "--head" { givenMethod = givenMethod ?? "HEAD" }
        guard Self.longWithValue.contains(name) else { continue }
        if let value = parts.count == 2 ? String(parts[1]) : iterator.next() {
          take(value, of: Self.shortName[name] ?? name)
        }
      } else if word.hasPrefix("-"), word.count > 1 {
        var letters = word.dropFirst()
        while let letter = letters.popFirst() {
          if letter == "I" { givenMethod = givenMethod ?? "HEAD" }
          guard Self.shortWithValue.contains(letter) else { continue }
          if let value = letters.isEmpty ? iterator.next() : String(letters) {
            take(value, of: "-\(letter)")
          }
          break
        }
      } else {
        take(word, of: "--url")
      }
    }
  }

  private static let shortName = [
    "--header": "-H", "--request": "-X", "--data": "-d", "--data-ascii": "-d",
    "--data-binary": "-d", "--data-raw": "-d", "--data-urlencode": "-d", "--json": "-d",
    "--form": "-d", "--form-string": "-d",
  ]

  /// Word processors write `–H` for `-H` and `–header` for `--header`.
  private static func withPlainDashes(_ word: String) -> String {
    guard let first = word.first, first == "\u{2013}" || first == "\u{2014}" else { return word }
    let rest = word.dropFirst()
    return (rest.count == 1 ? "-" : "--") + rest
  }

  private mutating func take(_ value: String, of option: String) {
    switch option {
    case "-H":
      guard let colon = value.firstIndex(of: ":") else { return }
      headers.append((String(value[..<colon]), String(value[value.index(after: colon)...])))
    case "-X": givenMethod = value
    case "-d", "-F": hasBody = true
    case "--url":
      if URLScanner.isURL(value) { urls.append(value) }
    default: break
    }
  }
}
