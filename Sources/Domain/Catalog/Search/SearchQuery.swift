/// A query as typed or pasted, prepared once for all ways of matching.
struct SearchQuery {
  /// The most characters of the text: the length of programme names; other names have half as many.
  private static let longestText = 200
  /// The most words that are searched for.
  private static let mostWords = 6

  /// The id that a launch URL, a deep link or `business_id=…` names.
  let businessID: String?
  /// The text, or the ID that it names; empty where the text is too long for a name.
  let text: String
  /// The same, folded.
  let folded: [Unicode.Scalar]
  /// Its keys; for a URL those of the host.
  let keys: KeySequence
  /// The address, where the text is the URL or the host of a shop.
  let address: WebAddress?
  /// The URLs and hosts within the text.
  let links: [WebAddress]

  init(_ pasted: String) {
    let links = PastedLinks(pasted)
    businessID = links.businessID
    let text =
      businessID ?? pasted.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    address = businessID == nil ? WebAddress(text) : nil
    self.links = links.addresses
    let isShort = text.unicodeScalars.prefix(Self.longestText + 1).count <= Self.longestText
    self.text = isShort ? text : ""
    folded = SearchFolding.fold(self.text)
    keys = address.map { KeySequence(folded: $0.host[...]) } ?? KeySequence(query: self.text)
  }

  /// The words of a text that has several, the longest first, without those that others contain.
  var words: KeyWords {
    let words = text.split(whereSeparator: \.isWhitespace).flatMap { part in
      WebAddress(String(part)).map { [KeySequence(folded: $0.host[...])] }
        ?? part.unicodeScalars.split { !$0.isOfWord && !$0.properties.isDefaultIgnorableCodePoint }
        .map { KeySequence(query: Substring($0)) }
    }.filter { !$0.isEmpty }
    return KeyWords((2...Self.mostWords).contains(words.count) ? words : [])
  }
}
