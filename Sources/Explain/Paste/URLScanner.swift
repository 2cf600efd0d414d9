internal import Domain

/// Finds launch URLs and deep links in a text.
struct URLScanner {
  /// The most URLs that are examined.
  private static let mostURLs = 16

  /// Whether the word begins like a URL.
  static func isURL(_ word: String) -> Bool {
    let start = word.prefix(8).lowercased()
    return start.hasPrefix("https://") || start.hasPrefix("http://")
  }

  /// Whether `url` leads to the cashback web or nearly does; a deep link leads to the app.
  static func isLaunch(_ url: String, site: Site) -> Bool {
    guard let parts = URLParts(url) else { return false }
    return parts.query.contains("redirect_to")
      || site.upstreams.values.contains { $0.authority == parts.authority }
  }

  /// Whether `url` has nothing of a launch: no host, path or parameter similar to one.
  static func isUnrelated(_ url: String, site: Site) -> Bool {
    guard let parts = URLParts(url), !isLaunch(url, site: site) else { return false }
    let domains = site.upstreams.values.map {
      $0.authority.split(separator: ".").suffix(2).joined(separator: ".")
    }
    return !domains.contains { parts.authority.contains($0) }
      && !site.upstreams.values.contains {
        nearest(to: parts.authority, in: [$0.authority], limit: 1) != [] || $0.path == parts.path
      }
      && !url.lowercased().contains("redirect")
      && !["launch", "batch", "revoke", "verify"].contains { parts.path.hasSuffix("/" + $0) }
  }

  /// The URLs in the text, those that look like launches first.
  private(set) var urls: [String] = []
  /// Whether the text ends in the first URL.
  private(set) var isLast = false
  /// The first URL joined with the next line, which may be its rest; nil where it cannot be.
  private(set) var joined: String?
  /// The method before the first URL, as in logs and command lines.
  private(set) var method: String?
  /// The first URL as written, including trailing text that may not belong to it.
  private var whole: String?

  private let bytes: [UInt8]
  /// Names of parameters that a line end may have split.
  private let parameters: Set<String>

  /// Finds the URLs of `text`.
  init(site: Site, text: String) {
    bytes = Array(text.utf8)
    parameters = Set(["redirect_to"] + site.pages.flatMap(\.parameters).map(\.name))
    let found = scan(site)
    let launches = found.filter { Self.isLaunch($0.url, site: site) }
    let others = found.filter { !Self.isLaunch($0.url, site: site) }
    urls = (launches + others).map(\.url)
    let first = launches.first ?? others.first
    joined = first?.joined
    isLast = first?.end == bytes.count
    whole = first?.whole
    method = first.flatMap { method(before: $0.start) }
  }

  /// Other readings of the first URL: with all the text right after it, and without anything after
  /// it that a launch URL does not contain.
  var alternatives: [String] {
    guard let whole else { return [] }
    return [whole, Self.beginning(of: whole)].filter { $0 != urls.first }
  }

  private static let methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]

  private func method(before start: Int) -> String? {
    let before = bytes[..<start].suffix(16)
    let words = before.reversed().drop { " \"'<".utf8.contains($0) }
    guard words.count < before.count else { return nil }
    let word = String(decoding: words.prefix { $0 > 0x20 }.reversed(), as: UTF8.self)
    return Self.methods.first { $0 == word }
  }

  private struct Found {
    var url: String
    var whole: String
    var joined: String?
    var start: Int
    var end: Int
  }

  private func scan(_ site: Site) -> [Found] {
    let starts = ["https://", "http://", site.deepLinkScheme.lowercased() + "://"]
    let hosts = site.upstreams.values.map { $0.authority + "/" }
    let firstBytes = Set((starts + hosts).compactMap(\.utf8.first))
    var found: [Found] = []
    var index = 0
    while index < bytes.count, found.count < Self.mostURLs {
      defer { index += 1 }
      let isLetter = bytes[index] >= UInt8(ascii: "A") && bytes[index] <= UInt8(ascii: "Z")
      guard firstBytes.contains(isLetter ? bytes[index] | 0x20 : bytes[index]) else { continue }
      guard index == 0 || !Self.isHostByte(bytes[index - 1]) else { continue }
      let isURL = starts.contains { bytes.hasPrefix($0, at: index) }
      guard isURL || hosts.contains(where: { bytes.hasPrefix($0, at: index) }) else { continue }
      let end = end(from: index)
      let scheme = isURL ? "" : "https://"
      let url = scheme + String(decoding: bytes[index..<end], as: UTF8.self)
      found.append(
        Found(
          url: Self.trimmed(url), whole: url, joined: line(behind: end).map { url + $0 },
          start: index, end: end))
      index = end
    }
    return found
  }

  /// The next line, if it is one word that a URL may contain.
  private func line(behind end: Int) -> String? {
    guard end < bytes.count, bytes[end] == UInt8(ascii: "\n") else { return nil }
    let line = bytes[(end + 1)...].prefix(512).prefix { $0 != UInt8(ascii: "\n") }
    guard !line.isEmpty, line.allSatisfy(Self.isOfURL) else { return nil }
    return String(decoding: line, as: UTF8.self)
  }

  /// The URL without the line breaks of a mail program and without surrounding blanks.
  static func unwrapped(_ url: String) -> String {
    let url = url.trimmingWhiteSpace
    guard url.contains(where: \.isNewline) else { return url }
    return url.split(whereSeparator: \.isNewline).map { String($0).trimmingWhiteSpace }.joined()
  }

  private static func isHostByte(_ byte: UInt8) -> Bool {
    PercentEncoding.isUnreserved(byte) || byte == UInt8(ascii: "/") || byte == UInt8(ascii: "@")
      || byte == UInt8(ascii: "%")
  }

  private static func isOfURL(_ byte: UInt8) -> Bool {
    PercentEncoding.isUnreserved(byte) || "%/?&=+".utf8.contains(byte)
  }

  /// Blanks, quotation marks and angle brackets end a URL; a line end does not if the next line can
  /// only be its rest.
  private func end(from start: Int) -> Int {
    let isBracketed = start > 0 && bytes[start - 1] == UInt8(ascii: "<")
    var index = start
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "\n"):
        guard isBracketed || isContinued(after: index) else { return index }
      case UInt8(ascii: ","), UInt8(ascii: ";"):
        if isEntry(at: index + 1) { return index }
      case UInt8(ascii: "<") where isPlaceholder(at: index),
        UInt8(ascii: ">") where isInPlaceholder(index, from: start):
        break
      case UInt8(ascii: "]") where index + 1 < bytes.count && bytes[index + 1] == UInt8(ascii: "("):
        // A Markdown link, `[URL](URL)`.
        return index
      case 0...0x20, UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "<"), UInt8(ascii: ">"),
        UInt8(ascii: "`"), UInt8(ascii: "\\"), UInt8(ascii: "^"), UInt8(ascii: "{"),
        UInt8(ascii: "}"), UInt8(ascii: "|"):
        return index
      default:
        break
      }
      index += 1
    }
    return index
  }

  /// Whether `<hidden>` or the like replaces a value or a host.
  private func isPlaceholder(at index: Int) -> Bool {
    guard index > 0, "=/".utf8.contains(bytes[index - 1]) || bytes.hasPrefix("%3d", at: index - 3)
    else { return false }
    let word = bytes[(index + 1)...].prefix(40).prefix { $0 > 0x20 && !"<>/:\"".utf8.contains($0) }
    return word.count >= 3 && bytes[word.endIndex...].first == UInt8(ascii: ">")
  }

  private func isInPlaceholder(_ end: Int, from start: Int) -> Bool {
    bytes[max(start, end - 41)..<end].lastIndex(of: UInt8(ascii: "<")).map(isPlaceholder) ?? false
  }

  /// Whether the next entry of a map or argument of a call begins here, by its name or bracket.
  private func isEntry(at index: Int) -> Bool {
    let name = bytes[index...].prefix(32).prefix(while: PercentEncoding.isUnreserved)
    guard let behind = bytes[name.endIndex...].first else { return false }
    return (name.isEmpty ? "[{(<" : "=:([").utf8.contains(behind)
  }

  private func isContinued(after lineEnd: Int) -> Bool {
    let line = bytes[(lineEnd + 1)...].prefix { $0 != UInt8(ascii: "\n") }
    guard !line.isEmpty, line.allSatisfy(Self.isOfURL), !line.starts(with: "http".utf8),
      !line.starts(with: "==".utf8)
    else { return false }
    let end = bytes[..<lineEnd].suffix(2)
    // A line of its own, such as platform=IOS, unless the URL ends where a parameter has to begin
    // or within the name of one.
    let name = line.prefix(64).prefix(while: PercentEncoding.isUnreserved)
    if !name.isEmpty, line.dropFirst(name.count).first == UInt8(ascii: "=") {
      let text = String(decoding: name, as: UTF8.self)
      return end.last == UInt8(ascii: "?")
        || end.last == UInt8(ascii: "&") && !PastedRequest.isOfBundle(text)
        || parameters.contains(cutName(before: lineEnd) + text)
    }
    return line.contains(UInt8(ascii: "%")) || line.contains(UInt8(ascii: "="))
      || end.contains(UInt8(ascii: "%")) || end.last == UInt8(ascii: "=")
  }

  /// The beginning of a parameter's name right before the line end.
  private func cutName(before lineEnd: Int) -> String {
    let name = bytes[..<lineEnd].suffix(32).reversed().prefix(while: PercentEncoding.isUnreserved)
    let before = lineEnd - name.count - 1
    guard before >= 0, "?&".utf8.contains(bytes[before]) else { return "" }
    return String(decoding: name.reversed(), as: UTF8.self)
  }

  /// The longest prefix of `url` that may be a launch URL, in which nearly all characters are
  /// encoded; all of it where its redirect_to is not encoded.
  static func beginning(of url: String) -> String {
    guard !url.utf8.contains("redirect_to=/".utf8) else { return url }
    let bytes = url.utf8.prefix { byte in
      PercentEncoding.isUnreserved(byte) || "%&=?/:#@+".utf8.contains(byte)
    }
    var kept = bytes
    while let last = kept.last, ".~_:?".utf8.contains(last) { kept.removeLast() }
    return String(decoding: kept, as: UTF8.self)
  }

  /// The start of prose right after an encoded URL, in letters that the URL cannot contain; marks
  /// for hidden or omitted text, and text in the place of a value, belong to the URL.
  private static func endOfEncoded(_ url: String) -> String.Index? {
    guard !url.utf8.contains("redirect_to=/".utf8) else { return nil }
    let isForeign: (Unicode.Scalar) -> Bool = {
      $0.value > 0x7F && $0 != "\u{FFFD}" && !Masking.marks.contains($0)
    }
    guard let foreign = url.unicodeScalars.firstIndex(where: isForeign) else { return nil }
    var before = url[..<foreign]
    guard before.utf8.count(where: { $0 == UInt8(ascii: "/") }) > 2 else { return nil }
    while let last = before.last, "([<{".contains(last) { before.removeLast() }
    let isValue =
      "=/:".contains(before.last ?? "=") || before.hasSuffix("%3D") || before.hasSuffix("%2F")
    return isValue ? nil : before.endIndex
  }

  /// The text without punctuation and words that prose puts right after a URL.
  private static func trimmed(_ url: String) -> String {
    var url = endOfEncoded(url).map { url[..<$0] } ?? url[...]
    let particles = [
      "입니다", "이에요", "으로", "에서", "에는", "이라고", "라고", "로", "을", "를", "은", "는", "이", "가", "에", "와", "과",
    ]
    if let particle = particles.first(where: { url.hasSuffix($0) }) {
      let rest = url.dropLast(particle.count)
      if rest.last?.isASCII == true, rest.last != "=" { url = rest }
    }
    let (hasParenthesis, hasBracket) = (
      url.utf8.contains(UInt8(ascii: "(")), url.utf8.contains(UInt8(ascii: "["))
    )
    let queryStart = url.utf8.prefix { $0 != UInt8(ascii: "?") }.count + 1
    while let last = url.last, ".,;:!)]*~?".contains(last) {
      if last == ")" && hasParenthesis || last == "]" && hasBracket || url.hasSuffix("...")
        || url.hasSuffix("***")
        || last == "?" && url.utf8.count == queryStart
      {
        break
      }
      url.removeLast()
    }
    return String(url)
  }
}
