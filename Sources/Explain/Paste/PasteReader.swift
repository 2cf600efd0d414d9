internal import Domain

/// Reads launches in a text, in every way in which the text can be read.
///
/// Where a form does not show the end of a value, only the signature tells which reading is right,
/// so all readings are returned, the likeliest first.
struct PasteReader {
  /// The most levels of backslashes that are removed in search of a launch.
  private static let mostLevels = 2

  let site: Site

  /// The readings; empty where there is neither a URL nor a header of a bundle.
  func readings(of pasted: String) -> [PastedRequest] {
    let text = pasted.trimmingWhiteSpace
    var found = readingsAsItStands(text)
    let isInsideText = text.utf8.contains("\"curl ".utf8) && text.utf8.contains("\\\"".utf8)
    guard
      !(found.first?.isExact ?? false) || ShellWords.isCommand(text) || isInsideText
        || PasteVariants.isFolded(text)
    else { return found }
    // JSON is not searched for the marks of other forms: it shows exactly what was sent.
    let variants = PasteVariants.variants(of: text).flatMap {
      readingsAsItStands($0).filter(\.hasBundle)
    }
    guard !(found.first?.isExact ?? false) || isInsideText else { return found + variants }
    var last = text
    for _ in 0..<Self.mostLevels {
      guard let unescaped = PasteCleaning.unescaped(last) else { break }
      last = unescaped
      let deeper = readingsAsItStands(last)
      // A log that contains JSON inside a text.
      if !isInsideText, let first = deeper.first, first.isExact, first.hasBundle { return deeper }
      found += deeper
    }
    return found + variants
  }

  /// The readings of the text, or of its first launch where a log has several.
  private func readingsAsItStands(_ text: String) -> [PastedRequest] {
    let readings = readingsAsOne(text)
    guard let one = readings.first, !one.isExact, one.hasDoubledHeaders else { return readings }
    let paths = Set(site.upstreams.values.map(\.path))
    let launches = PasteSections.sections(of: text, paths: paths)
      .map { readingsAsOne($0).filter(\.hasBundle) }.filter { !$0.isEmpty }
    guard launches.count > 1, let first = launches.first(where: { !$0[0].lacksHeaders }) else {
      return readings
    }
    let hasOthers = launches.contains { $0[0].isApart(from: first[0]) }
    return first.map { reading in
      var reading = reading
      reading.hasOthers = reading.hasOthers || hasOthers
      return reading
    }
  }

  private func readingsAsOne(_ pasted: String) -> [PastedRequest] {
    let isPowerShell = PowerShell.isCommand(pasted)
    let text = isPowerShell || PowerShell.isEscaped(pasted) ? PowerShell.plain(pasted) : pasted
    let bytes = Array(text.utf8)
    let isForWindows = ShellWords.isForWindows(bytes)
    let plain = isForWindows ? text.filter { $0 != "^" } : text
    let scanner = URLScanner(site: site, text: plain)
    var readings: [PastedRequest] = []
    if let request = json(in: text) {
      readings = [request]
    } else if !isPowerShell {
      let shells: [CurlCommand.Shell] =
        isForWindows
        ? [.windows(areCaretsKept: true), .windows(areCaretsKept: false)] : [.posix]
      readings = [false, true].flatMap { areWordsClosed in
        shells.compactMap { commands(in: bytes, shell: $0, areWordsClosed: areWordsClosed) }
      }
    }
    if !readings.contains(where: \.hasBundle) {
      let scanned = scanned(text: plain, isPowerShell: isPowerShell)
      if readings.isEmpty || scanned.contains(where: \.hasBundle) { readings = scanned }
    }
    return readings.flatMap { complete($0, bytes: bytes, urls: scanner) }
  }

  // MARK: The forms

  private func json(in text: String) -> PastedRequest? {
    let found = PastedJSON.requests(in: text)
    guard var request = found.first(where: \.hasBundle) ?? found.first else { return nil }
    request.hasOthers = found.contains { $0.isApart(from: request) }
    return request
  }

  /// The first launch that has headers: the call that it came from, or the URL alone, may precede
  /// it.
  private func commands(
    in bytes: [UInt8], shell: CurlCommand.Shell, areWordsClosed: Bool
  ) -> PastedRequest? {
    let found = CurlCommand.commands(in: bytes, shell: shell, areWordsClosed: areWordsClosed)
    let commands = found.commands.filter { !$0.urls.isEmpty || $0.hasBundle }
    let launches = commands.filter { $0.isLaunch(site) }
    guard
      let command = launches.first(where: \.hasBundle) ?? launches.first ?? commands.first
    else { return nil }
    var request = request(of: command)
    request.isCutOff = found.isUnfinished
    request.isUnclosed = found.isUnfinished
    let isQuoted = bytes.last.map { "\"'".utf8.contains($0) } ?? true
    if found.isUnfinished || !isQuoted { request.lastPart = found.commands.last?.lastPart }
    request.hasOthers = launches.contains { self.request(of: $0).isApart(from: request) }
    return request
  }

  private func request(of command: CurlCommand) -> PastedRequest {
    var request = PastedRequest()
    request.method = command.method
    request.url = command.url
    request.take(command.headers)
    request.hasAllHeaders = !command.urls.isEmpty || request.hasBundle
    request.isExact = true
    request.typedURL = command.urls.first
    // The gateway takes the host from this header.
    if let host = request.values(of: "host").last, let url = request.url.flatMap(URLParts.init),
      !host.isEmpty, host.lowercased() != url.authority
    {
      request.url = "\(url.scheme)://\(host)\(url.path)\(url.query)"
    }
    return request
  }

  private func scanned(text: String, isPowerShell: Bool) -> [PastedRequest] {
    let isBackslashed = Self.hasBackslashes(inHeadersOf: text)
    return [HeaderScanner.Trimming.delimiters, .nothing, .foreign].map { trimming in
      let found = HeaderScanner.headers(in: text, trimming: trimming)
      var request = PastedRequest()
      request.take(found.headers)
      request.hasMoreHeaders = found.hasMore
      request.isCutOff = found.isCut || Self.isUnclosed(text)
      request.lastPart = found.last
      request.unsureParts = found.unsure
      request.hasAllHeaders = isPowerShell && request.hasBundle
      request.method = isPowerShell ? PowerShell.method(in: text) : nil
      if isBackslashed { request.repairs.insert(.backslashes) }
      return request
    }
  }

  /// The reading, completed by other parts of the text: the URL, the request line, other launches.
  private func complete(
    _ reading: PastedRequest, bytes: [UInt8], urls: URLScanner
  ) -> [PastedRequest] {
    var request = reading
    if request.url == nil {
      Self.readRequestLine(in: bytes, into: &request)
      if request.lastPart == ":path" { request.lastPart = "url" }
    }
    request.dropPseudoHeaders()
    let isNamed = request.url != nil
    if !isNamed {
      request.url = urls.urls.first
      request.method = request.method ?? urls.method
    }
    request.url = request.url.map { LinkWrapper.unwrapped(URLScanner.unwrapped($0), site: site) }
    let known = Set([request.url, request.typedURL].compactMap(\.self))
    request.hasOthers =
      request.hasOthers
      || urls.urls.contains {
        let url = LinkWrapper.unwrapped(URLScanner.unwrapped($0), site: site)
        // Where the text escapes the URL, only its beginning was found.
        return !known.contains { $0.hasPrefix(url) } && URLScanner.isLaunch(url, site: site)
      }
    if !isNamed, urls.isLast { request.lastPart = "url" }
    request.isCutOff = !request.isComplete && (request.isCutOff || Self.endsWithMark(bytes))
    request.findStump()
    if request.lacksHeaders,
      request.hasBundle && Omission.isThere(in: bytes) || request.endsInName(bytes)
    {
      request.isCutOff = true
    }
    guard request.url != nil || request.hasBundle else { return [] }
    var others: [(url: String, isGuess: Bool)] = []
    if isNamed, request.typedURL != nil, let url = request.url {
      others.append((URLScanner.beginning(of: url), true))
    } else if !isNamed {
      others = urls.alternatives.map { ($0, true) }
      if !request.isExact, let joined = urls.joined { others.append((joined, false)) }
    }
    // Clients do not send a fragment.
    if let url = request.url, request.hasBundle, let hash = url.firstIndex(of: "#") {
      others.append((String(url[..<hash]), false))
    }
    return [request]
      + others.filter { $0.url != request.url }.map { url, isGuess in
        var other = request
        other.url = url
        other.isGuess = isGuess
        // A command shows the end of its URL, except for Hangul right after an unquoted one.
        let rest = request.url?.utf8.dropFirst(url.utf8.count) ?? ""[...].utf8
        if request.isExact, isGuess, rest.allSatisfy({ $0 < 0x80 }) {
          other.unsureParts.append("url")
        }
        return other
      }
  }

  // MARK: Signs in the text

  /// Whether a header line has escaped quotation marks outside a quoted text.
  private static func hasBackslashes(inHeadersOf text: String) -> Bool {
    text.utf8.contains("\\\"".utf8)
      && text.split(separator: "\n").contains { line in
        let line = line.drop { " \t>*-".contains($0) }
        guard PastedRequest.isOfBundle(String(line.prefix(15))), line.utf8.contains("\\\"".utf8),
          let separator = line.firstIndex(where: { ":=".contains($0) })
        else { return false }
        let value = line[separator...].drop { ":=> \t".contains($0) }
        return value.first != "\"" && value.first != "'"
      }
  }

  /// Whether more braces and square brackets, or parentheses on lines of their own, are opened than
  /// closed.
  private static func isUnclosed(_ text: String) -> Bool {
    var balance = (braces: 0, brackets: 0)
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "{"): balance.braces += 1
      case UInt8(ascii: "}"): balance.braces -= 1
      case UInt8(ascii: "["): balance.brackets += 1
      case UInt8(ascii: "]"): balance.brackets -= 1
      default: break
      }
    }
    let lines = text.split(separator: "\n").lazy.map { $0.drop { $0 == " " } }
    return balance.braces > 0 || balance.brackets > 0
      || lines.count { $0 == "(" } > lines.count { $0 == ")" }
  }

  /// Whether the text ends with a mark by which programs shorten a text.
  private static func endsWithMark(_ bytes: [UInt8]) -> Bool {
    let end = String(decoding: bytes.suffix(40), as: UTF8.self).trimmingWhiteSpace.lowercased()
    return end.hasSuffix("…") || end.hasSuffix("...") || end.hasSuffix("truncated]")
      || end.hasSuffix("truncated)") || end.hasSuffix("truncated>") || end.hasSuffix("more")
  }

  /// The URL of `GET /main?… HTTP/1.1` with `Host`, or of the pseudo-header fields of HTTP/2 (RFC
  /// 9113 section 8.3.1).
  private static func readRequestLine(in bytes: [UInt8], into request: inout PastedRequest) {
    let host = request.values(of: ":authority").first ?? request.values(of: "host").first
    guard let host, !host.isEmpty else { return }
    if let path = request.values(of: ":path").first {
      request.method = request.values(of: ":method").first ?? request.method
      request.url = "\(request.values(of: ":scheme").first ?? "https")://\(host)\(path)"
      return
    }
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      let words = line.split(separator: UInt8(ascii: " "), maxSplits: 6).map {
        String(decoding: $0, as: UTF8.self).trimmingPrefix("\"")
      }
      guard let version = words.firstIndex(where: { $0.hasPrefix("HTTP/") }), version >= 2,
        words[version - 1].hasPrefix("/"), words[version - 2].allSatisfy({ $0.isUppercase })
      else { continue }
      request.method = String(words[version - 2])
      request.url = "https://\(host)\(words[version - 1])"
      return
    }
  }
}
