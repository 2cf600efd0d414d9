internal import Cryptography
internal import Domain

/// Extracts a launch URL from the link that a mail or chat program replaced it with, and from a
/// Markdown link.
enum LinkWrapper {
  private static let hosts = [
    "safelinks.protection.outlook.com", "google.com", "urldefense.com", "urldefense.proofpoint.com",
    "slack-redir.net", "l.facebook.com",
  ]
  private static let parameters: Set<Substring> = ["url", "q", "u"]

  /// The launch URL inside; the URL itself where it is not such a link.
  static func unwrapped(_ url: String, site: Site) -> String {
    if url.hasPrefix("["), let end = url.firstRange(of: "](") {
      return String(url[..<end.lowerBound].dropFirst())
    }
    guard let parts = URLParts(url),
      hosts.contains(where: { parts.authority == $0 || parts.authority.hasSuffix("." + $0) }),
      let inner = inner(url, query: parts.query), URLScanner.isLaunch(inner, site: site)
    else { return url }
    return inner
  }

  private static func inner(_ url: String, query: String) -> String? {
    if let start = url.firstRange(of: "/v3/__"), let end = url.firstRange(of: "__;") {
      return start.upperBound <= end.lowerBound
        ? restored(url[start.upperBound..<end.lowerBound], by: url[end.upperBound...]) : nil
    }
    for pair in query.dropFirst().split(separator: "&") {
      guard let equals = pair.firstIndex(of: "="), parameters.contains(pair[..<equals]) else {
        continue
      }
      return PercentEncoding.decodedText(String(pair[equals...].dropFirst()))
    }
    return nil
  }

  /// Proofpoint's version 3 writes asterisks for characters that follow the URL in Base64.
  private static func restored(_ url: Substring, by tail: Substring) -> String {
    var code = String(tail.prefix { $0 != "!" })
    while !code.utf8.count.isMultiple(of: 4) { code += "=" }
    var characters = (Base64.decode(code) ?? []).makeIterator()
    let bytes = url.utf8.map { $0 == UInt8(ascii: "*") ? characters.next() ?? $0 : $0 }
    return String(decoding: bytes, as: UTF8.self)
  }
}
