/// The launch request that could be read out of a pasted text.
struct PastedRequest {
  /// The method, where the text names it.
  var method: String?
  /// The URL, or a deep link; nothing in it is repaired but line breaks.
  var url: String?
  /// Header fields in the order in which they were found.
  var headers: [(name: String, value: String)] = []
  /// Whether the headers are all that the request has, so that one that is not there is missing.
  var hasAllHeaders = false
  /// Whether other launches were there besides.
  var hasOthers = false
  /// The URL as it stands in a command that puts more into its query.
  private var typedURL: String?
  /// What was put right in the text.
  var repairs: Set<PasteCleaning.Repair> = []

  /// The headers of a bundle, in the order in which they are given out.
  static let bundleHeaders = [
    "x-moment-project-id", "x-moment-web-api-key", "x-moment-user-id", "x-moment-platform",
    "signature-input", "signature",
  ]

  /// Whether a header, its name in any case, belongs to a bundle or was meant to.
  static func isOfBundle(_ name: String) -> Bool {
    let name = name.lowercased()
    return name.hasPrefix("x-moment-") || name.hasPrefix("signature")
  }

  /// Whether there is anything of a bundle.
  var hasBundle: Bool { headers.contains { Self.isOfBundle($0.name) } }

  /// Every value of the field `name`, given in lower case, without blanks around.
  func values(of name: String) -> [String] {
    headers.filter { $0.name.lowercased() == name }.map(\.value)
  }

  /// Reads a text; nil where there is neither a URL nor a header of a bundle.
  ///
  /// JSON is tried first, since a terminal's contents show a command and then its answer; then
  /// curl commands, then headers by their names wherever they stand.
  init?(reading text: String, site: Site) {
    self.init()
    let isPowerShell = PowerShell.isCommand(text)
    let text = isPowerShell ? PowerShell.plain(text) : text
    let found = PastedJSON.requests(in: text)
    let commands =
      isPowerShell
      ? []
      : CurlCommand.commands(in: text).filter { command in
        !command.urls.isEmpty || command.headers.contains { Self.isOfBundle($0.name) }
      }
    if let first = found.first {
      self = first
      hasOthers = found.contains { !$0.isSame(as: first) }
    } else if !commands.isEmpty {
      take(commands, site: site)
    } else {
      headers = HeaderScanner.headers(in: text)
      if Self.hasBackslashes(inHeadersOf: text) { repairs.insert(.backslashes) }
      hasAllHeaders = isPowerShell && hasBundle
      method = isPowerShell ? PowerShell.method(in: text) : nil
    }
    // The carets of a command for Windows would cut its URL off.
    let plain = ShellWords.isForWindows(text) ? text.replacing("^", with: "") : text
    let urls = URLScanner.urls(in: plain, site: site)
    if url == nil { readRequestLine(in: text) }
    if url == nil { url = urls.first }
    headers.removeAll { $0.name.hasPrefix(":") }
    repairHeaders()
    url = url.map(URLScanner.unwrapped)
    hasOthers =
      hasOthers
      || Set(urls.map(URLScanner.unwrapped)).subtracting([url, typedURL].compactMap(\.self))
        .contains {
          URLScanner.isLaunch($0, site: site)
        }
    guard url != nil || hasBundle else { return nil }
  }

  init() {}

  /// Takes the first launch of a text, since the call that it came from may stand before it.
  private mutating func take(_ commands: [CurlCommand], site: Site) {
    let launches = commands.filter { $0.isLaunch(site) }
    guard let command = launches.first ?? commands.first else { return }
    method = command.method
    url = command.url
    headers = command.headers
    hasAllHeaders = !command.urls.isEmpty || hasBundle
    hasOthers = launches.count > 1
    typedURL = command.urls.first
  }

  /// Whether it is the same launch once more.
  private func isSame(as other: PastedRequest) -> Bool {
    url == other.url && headers.elementsEqual(other.headers) { $0 == $1 }
  }

  /// Whether a header line has quotation marks escaped that are not inside a quoted text.
  private static func hasBackslashes(inHeadersOf text: String) -> Bool {
    text.split(separator: "\n").contains { line in
      let line = line.drop { " \t>*-".contains($0) }
      guard isOfBundle(String(line.prefix(15))), line.contains("\\\""),
        let separator = line.firstIndex(where: { ":=".contains($0) })
      else { return false }
      let value = line[separator...].drop { ":=> \t".contains($0) }
      return value.first != "\"" && value.first != "'"
    }
  }

  /// `GET /main?… HTTP/1.1` with `Host`, or the pseudo-header fields of HTTP/2 (RFC 9113 8.3.1).
  private mutating func readRequestLine(in text: String) {
    let host = values(of: ":authority").first ?? values(of: "host").first
    guard let host = host?.trimmingWhiteSpace, !host.isEmpty else { return }
    if let path = values(of: ":path").first {
      method = values(of: ":method").first ?? method
      url = "\(values(of: ":scheme").first ?? "https")://\(host)\(path)"
      return
    }
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ").map { $0.trimmingPrefix("\"") }
      guard let version = words.firstIndex(where: { $0.hasPrefix("HTTP/") }), version >= 2,
        words[version - 1].hasPrefix("/"), words[version - 2].allSatisfy({ $0.isUppercase })
      else { continue }
      method = String(words[version - 2])
      url = "https://\(host)\(words[version - 1])"
      return
    }
  }

  /// Joins values that were wrapped over lines.
  private mutating func repairHeaders() {
    for index in headers.indices {
      let name = headers[index].name.trimmingWhiteSpace
      var value = headers[index].value.trimmingWhiteSpace
      if value.contains("\n") {
        value = value.filter { !$0.isWhitespace }
        // The only blanks of a bundle's headers stand between the quoted names of components.
        if name.lowercased() == "signature-input" { value.replace("\"\"", with: "\" \"") }
      }
      headers[index] = (name, value)
    }
  }
}

extension String {
  /// Without white space around.
  var trimmingWhiteSpace: String {
    guard let start = unicodeScalars.firstIndex(where: { !$0.properties.isWhitespace }),
      let end = unicodeScalars.lastIndex(where: { !$0.properties.isWhitespace })
    else { return "" }
    return String(self[start...end])
  }
}
