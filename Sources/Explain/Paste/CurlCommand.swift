internal import Domain

/// The request that a pasted `curl` command would send.
struct CurlCommand {
  private(set) var method = "GET"
  private(set) var urls: [String] = []
  private(set) var headers: [(name: String, value: String)] = []

  /// How a command's quotation marks and escapes are read.
  enum Shell {
    case posix
    case windows(areCaretsKept: Bool)
  }

  /// The commands of a text.
  struct Found {
    var commands: [CurlCommand] = []
    /// Whether the text ends inside a command's quotation marks.
    var isUnfinished = false
  }

  private static let shortWithValue = Set("AbcCdDeEFhHKmoPQrtTuUwxXyYz")
  private static let longWithValue: Set<String> = [
    "--cacert", "--cert", "--connect-timeout", "--connect-to", "--cookie", "--cookie-jar", "--data",
    "--data-ascii", "--data-binary", "--data-raw", "--data-urlencode", "--form", "--form-string",
    "--body-data", "--header", "--interface", "--json", "--key", "--max-redirs", "--max-time",
    "--method", "--output", "--post-data", "--post-file", "--proxy", "--proxy-user", "--range",
    "--referer", "--request", "--resolve", "--retry",
    "--retry-delay", "--unix-socket", "--upload-file", "--url", "--url-query", "--user",
    "--user-agent", "--write-out",
  ]

  /// The last part: `url` or the name of a header.
  private(set) var lastPart: String?

  private var hasBody = false
  private var givenMethod: String?
  /// The data of `-d` and the like, encoded as it would be sent.
  private var data: [String] = []
  /// What goes into the query whatever the method is.
  private var queryData: [String] = []
  private var putsDataIntoQuery = false

  /// Finds the `curl` commands of a text in their order, also `-H` options without a command.
  ///
  /// With `areWordsClosed`, text right after a closing quotation mark does not belong to the word.
  static func commands(in text: [UInt8], shell: Shell, areWordsClosed: Bool) -> Found {
    guard let start = start(in: text) else { return Found() }
    let cutter =
      switch shell {
      case .posix: ShellWords.posix(text[start...], areWordsClosed: areWordsClosed)
      case .windows(let areCaretsKept):
        ShellWords.windows(
          text[start...], areCaretsKept: areCaretsKept, areWordsClosed: areWordsClosed)
      }
    let commands = cutter.words.split { $0 == "curl" || $0 == "curl.exe" }.map { CurlCommand($0) }
    return Found(
      commands: commands.filter { !$0.urls.isEmpty || !$0.headers.isEmpty },
      isUnfinished: cutter.isUnfinished)
  }

  private init(_ words: ArraySlice<String>) {
    read(words)
    if putsDataIntoQuery {
      queryData = data + queryData
    } else if hasBody {
      method = "POST"
    }
    method = givenMethod ?? method
    url = requestedURL()
  }

  /// The first URL as it would be requested.
  private(set) var url: String?

  private func requestedURL() -> String? {
    urls.first.map { url in
      let query = queryData.joined(separator: "&")
      guard !query.isEmpty else { return url }
      return url + (!url.contains("?") ? "?" : url.hasSuffix("?") ? "" : "&") + query
    }
  }

  /// Whether it has a part of a bundle.
  var hasBundle: Bool { headers.contains { PastedRequest.isOfBundle($0.name) } }

  /// Whether it is a launch or was meant as one.
  func isLaunch(_ site: Site) -> Bool {
    hasBundle || url.map { URLScanner.isLaunch($0, site: site) } == true
  }

  /// Where the options begin.
  private static func start(in text: [UInt8]) -> Int? {
    let isBlank: (UInt8) -> Bool = { " \t\n".utf8.contains($0) }
    let isEdge: (UInt8) -> Bool = { isBlank($0) || "`$>\"'(:".utf8.contains($0) }
    for (name, isKept) in [("curl", false), ("-H", true), ("--header", true)] {
      var index = 0
      while let position = text.firstIndex(of: name, from: index) {
        index = position + name.utf8.count
        guard position == 0 || isEdge(text[position - 1]) else { continue }
        if isKept { return position }
        let end = text.hasPrefix(".exe", at: index) ? index + 4 : index
        if end < text.count, isBlank(text[end]) || text[end] == UInt8(ascii: "\\") { return end }
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
        if name == "--head" || name == "--spider" { givenMethod = givenMethod ?? "HEAD" }
        if name == "--get" { putsDataIntoQuery = true }
        guard Self.longWithValue.contains(name) else { continue }
        if let value = parts.count == 2 ? String(parts[1]) : iterator.next() {
          take(value, of: Self.shortName[name] ?? name)
        }
      } else if word.hasPrefix("-"), word.count > 1 {
        var letters = word.dropFirst()
        while let letter = letters.popFirst() {
          if letter == "I" { givenMethod = givenMethod ?? "HEAD" }
          if letter == "G" { putsDataIntoQuery = true }
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
    "--data-binary": "-d", "--data-raw": "-d", "--json": "-d", "--form": "-F",
    "--form-string": "-F", "--upload-file": "-T",
    // Options of wget.
    "--method": "-X", "--post-data": "-d", "--post-file": "-d",
  ]

  /// Word processors write `–H` for `-H` and `–header` for `--header`.
  private static func withPlainDashes(_ word: String) -> String {
    guard let first = word.first, first == "\u{2013}" || first == "\u{2014}" else { return word }
    let rest = word.dropFirst()
    return (rest.count == 1 ? "-" : "--") + rest
  }

  /// Encodes `content`, `=content` and `name=content` as curl does, a space as a plus; nil for what
  /// is read from a file.
  private static func encoded(_ piece: String) -> String? {
    let end = piece.firstIndex { $0 == "=" || $0 == "@" } ?? piece.startIndex
    let mark =
      end == piece.startIndex && piece.first != "=" && piece.first != "@" ? nil : piece[end]
    if mark == "@" { return nil }
    let content = mark == nil ? piece : String(piece[end...].dropFirst())
    let encoded = PercentEncoding.encoded(content).replacing("%20", with: "+")
    return end == piece.startIndex ? encoded : "\(piece[..<end])=\(encoded)"
  }

  private mutating func take(_ value: String, of option: String) {
    switch option {
    case "-H":
      guard let colon = value.firstIndex(of: ":") else { return }
      headers.append((String(value[..<colon]), String(value[value.index(after: colon)...])))
      lastPart = value[..<colon].lowercased()
    case "-X": givenMethod = value
    // With wget, `-T` takes a time.
    case "-T" where Double(value) == nil: givenMethod = givenMethod ?? "PUT"
    case "-F": hasBody = true
    case "-d":
      hasBody = true
      data.append(value)
    case "--data-urlencode":
      hasBody = true
      if let piece = Self.encoded(value) { data.append(piece) }
    case "--url-query":
      let piece = value.hasPrefix("+") ? String(value.dropFirst()) : Self.encoded(value)
      if let piece { queryData.append(piece) }
    case "--url":
      if URLScanner.isURL(value) {
        urls.append(value)
        lastPart = "url"
      }
    default: break
    }
  }
}
