/// Finds launch URLs and deep links in a text.
enum URLScanner {
  /// URLs that are looked at, at the most.
  private static let mostURLs = 16

  /// Whether the word begins as a URL does.
  static func isURL(_ word: String) -> Bool {
    let start = word.prefix(8).lowercased()
    return start.hasPrefix("https://") || start.hasPrefix("http://")
  }

  /// Whether `url` leads to the cashback web, or nearly so; a deep link leads to the app.
  static func isLaunch(_ url: String, site: Site) -> Bool {
    guard let parts = URLParts(url) else { return false }
    return parts.query.contains("redirect_to")
      || site.upstreams.values.contains { $0.authority == parts.authority }
  }

  /// The URLs in the text, those that look like launches first.
  static func urls(in text: String, site: Site) -> [String] {
    let bytes = Array(text.utf8)
    let starts = ["https://", "http://", site.deepLinkScheme.lowercased() + "://"]
    let hosts = site.upstreams.values.map { $0.authority + "/" }
    var found: [String] = []
    var index = 0
    while index < bytes.count, found.count < mostURLs {
      defer { index += 1 }
      guard index == 0 || !isHostByte(bytes[index - 1]) else { continue }
      let isURL = starts.contains { bytes.hasPrefix($0, at: index) }
      guard isURL || hosts.contains(where: { bytes.hasPrefix($0, at: index) }) else { continue }
      let end = end(of: bytes, from: index)
      let url = trimmed(String(decoding: bytes[index..<end], as: UTF8.self))
      found.append(isURL ? url : "https://" + url)
      index = end
    }
    return found.filter { isLaunch($0, site: site) } + found.filter { !isLaunch($0, site: site) }
  }

  /// The URL without the line breaks that a mail program put into it, and without blanks around.
  static func unwrapped(_ url: String) -> String {
    let url = url.trimmingWhiteSpace
    guard url.contains(where: \.isNewline) else { return url }
    return url.split(whereSeparator: \.isNewline).map { String($0).trimmingWhiteSpace }.joined()
  }

  private static func isHostByte(_ byte: UInt8) -> Bool {
    PercentEncoding.isUnreserved(byte) || byte == UInt8(ascii: "/") || byte == UInt8(ascii: "@")
      || byte == UInt8(ascii: "%")
  }

  /// Blanks, quotation marks and angle brackets end a URL; a line end does not where what follows
  /// can only be its rest.
  private static func end(of bytes: [UInt8], from start: Int) -> Int {
    let isBracketed = start > 0 && bytes[start - 1] == UInt8(ascii: "<")
    var index = start
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "\n"):
        guard isBracketed || isContinued(bytes, after: index) else { return index }
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

  private static func isContinued(_ bytes: [UInt8], after lineEnd: Int) -> Bool {
    let line = bytes[(lineEnd + 1)...].prefix { $0 != UInt8(ascii: "\n") }
    let isOfURL: (UInt8) -> Bool = { byte in
      PercentEncoding.isUnreserved(byte) || "%/?&=+".utf8.contains(byte)
    }
    guard !line.isEmpty, line.allSatisfy(isOfURL), !line.starts(with: "http".utf8),
      !line.starts(with: "==".utf8)
    else { return false }
    let end = bytes[..<lineEnd].suffix(2)
    // A line of its own, such as platform=IOS, unless the URL ends where a parameter has to begin.
    let name = line.prefix { PercentEncoding.isUnreserved($0) }
    if !name.isEmpty, line.dropFirst(name.count).first == UInt8(ascii: "=") {
      return end.last == UInt8(ascii: "?")
        || end.last == UInt8(ascii: "&")
          && !PastedRequest.isOfBundle(String(decoding: name, as: UTF8.self))
    }
    return line.contains(UInt8(ascii: "%")) || line.contains(UInt8(ascii: "="))
      || end.contains(UInt8(ascii: "%")) || end.last == UInt8(ascii: "=")
  }

  /// Without the punctuation and the Korean particle that prose puts right behind a URL.
  private static func trimmed(_ url: String) -> String {
    var url = Substring(url)
    let particles = [
      "입니다", "이에요", "으로", "에서", "에는", "이라고", "라고", "로", "을", "를", "은", "는", "이", "가", "에", "와", "과",
    ]
    if let particle = particles.first(where: { url.hasSuffix($0) }) {
      let rest = url.dropLast(particle.count)
      if rest.last?.isASCII == true, rest.last != "=" { url = rest }
    }
    while let last = url.last, ".,;:!)]*".contains(last) {
      if last == ")", url.contains("(") { break }
      url.removeLast()
    }
    return String(url)
  }
}

extension [UInt8] {
  /// Whether the ASCII text `prefix`, in lower case, stands at `index` in any case.
  func hasPrefix(_ prefix: String, at index: Int) -> Bool {
    guard index + prefix.utf8.count <= count else { return false }
    for (offset, byte) in prefix.utf8.enumerated() {
      let own = self[index + offset]
      let lowered = own >= UInt8(ascii: "A") && own <= UInt8(ascii: "Z") ? own | 0x20 : own
      if lowered != byte { return false }
    }
    return true
  }
}
