/// What somebody typed or pasted, read once for all the ways of looking for it.
struct SearchQuery {
  /// Names are at most half as long, and programme names as long as this.
  private static let longestText = 200
  /// Words that a text is looked for by at most.
  private static let mostWords = 6
  /// How often a link may have been encoded.
  private static let mostEncodings = 4

  /// The id that a launch URL, a deep link or `business_id=…` names.
  let businessID: String?
  /// The text, or that id; empty where the text is too long for a name.
  let text: String
  /// The same, folded.
  let folded: [Unicode.Scalar]
  /// Its keys; of a URL those of the host.
  let keys: KeySequence
  /// Where the text is the URL or the host of a shop.
  let address: WebAddress?

  init(_ pasted: String) {
    businessID = Self.businessID(in: pasted)
    let text =
      businessID ?? pasted.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    address = businessID == nil ? WebAddress(text) : nil
    let isShort = text.unicodeScalars.prefix(Self.longestText + 1).count <= Self.longestText
    self.text = isShort ? text : ""
    folded = SearchFolding.fold(self.text)
    keys = address.map { KeySequence(folded: $0.host[...]) } ?? KeySequence(query: self.text)
  }

  /// The words of a text of several, each with its keys; those that are longest come first.
  var words: [KeySequence] {
    let words = text.split(whereSeparator: \.isWhitespace).flatMap { part in
      WebAddress(String(part)).map { [KeySequence(folded: $0.host[...])] }
        ?? part.unicodeScalars.split { !$0.isOfWord && !$0.properties.isDefaultIgnorableCodePoint }
        .map { KeySequence(query: Substring($0)) }
    }.filter { !$0.isEmpty }
    guard (2...Self.mostWords).contains(words.count) else { return [] }
    return words.sorted { $0.count > $1.count }
  }

  /// The id behind `business_id=`, however often that was percent-encoded.
  private static func businessID(in text: String) -> String? {
    var text = text
    for _ in 0...mostEncodings {
      if let id = plainBusinessID(in: text) { return id }
      guard text.utf8.contains(UInt8(ascii: "%")) else { return nil }
      text = String(decoding: PercentEncoding.decoded(text), as: UTF8.self)
    }
    return nil
  }

  /// The id in `business_id=11st`, `businessId: 11st` or `"business_id": "11st"`.
  private static func plainBusinessID(in text: String) -> String? {
    let name = Array("business".utf8)
    var rest = Array(text.lowercased().utf8)[...]
    while let found = rest.firstRange(of: name) {
      rest = rest[found.upperBound...]
      var tail = rest.drop { "_- ".utf8.contains($0) }
      guard tail.starts(with: "id".utf8) else { continue }
      tail = tail.dropFirst(2).drop { "\"' \\".utf8.contains($0) }
      guard let sign = tail.first, "=:".utf8.contains(sign) else { continue }
      let id = tail.dropFirst().drop { "\"' \\".utf8.contains($0) }.prefix(while: isOfID)
      if let id = String(validating: id, as: UTF8.self), Business.isID(id) { return id }
    }
    return nil
  }

  private static func isOfID(_ byte: UInt8) -> Bool {
    byte.isASCIIDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
      || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
  }
}
