internal import Domain
internal import Encoding
internal import Explain
internal import HTTPServer

extension Language {
  /// The supported language that `Accept-Language` prefers (RFC 9110 section 12.5.4).
  ///
  /// The highest quality value wins, of equal ones the first; English if none is supported. Only the first 512
  /// bytes are read; browsers send fewer.
  init(acceptedBy header: String) {
    var best: (language: Language, quality: Int)?
    for range in Substring(header.utf8.prefix(512)).split(separator: ",") {
      let parts = range.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
      guard let tag = parts.first, let quality = Self.quality(parts.dropFirst()), quality > 0,
        let language = Self.matching(tag), quality > best?.quality ?? 0
      else { continue }
      best = (language, quality)
    }
    self = best?.language ?? .english
  }

  private static func matching(_ range: String) -> Language? {
    let primary = range.lowercased().prefix { $0 != "-" }
    return primary == "*" ? .english : Language(rawValue: String(primary))
  }

  /// The weight in thousandths (RFC 9110 section 12.4.2); nil if it is malformed.
  private static func quality(_ parameters: ArraySlice<String>) -> Int? {
    guard let parameter = parameters.first else { return 1000 }
    let text = parameter.lowercased()
    guard parameters.count == 1, text.hasPrefix("q=") else { return nil }
    let digits = text.dropFirst(2).split(separator: ".", omittingEmptySubsequences: false)
    guard (1...2).contains(digits.count), digits[0] == "0" || digits[0] == "1" else { return nil }
    let fraction = digits.count == 2 ? digits[1] : ""
    guard fraction.utf8.count <= 3, fraction.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return nil
    }
    let thousandths = Int(fraction + String(repeating: "0", count: 3 - fraction.utf8.count)) ?? 0
    let quality = (digits[0] == "1" ? 1000 : 0) + thousandths
    return quality <= 1000 ? quality : nil
  }
}

extension Request {
  /// The language of the answer.
  var language: Language {
    Language(acceptedBy: headerValues("accept-language").joined(separator: ","))
  }
}
