extension Request {
  /// The most names of a query or a form; no page or operation takes nearly as many.
  static let mostItems = 64

  /// The names and values of the query, percent-decoded, `+` read as a space, in their order.
  ///
  /// - Returns: nil if an escape is malformed, the text is not UTF-8 or not stream-safe, or there are more than 64.
  public func queryItems() -> [(name: String, value: String)]? {
    guard let query else { return [] }
    return items(of: query.utf8)
  }

  /// The names and values of a form in the body (`application/x-www-form-urlencoded`), decoded as
  /// those of the query are.
  ///
  /// - Returns: nil if an escape is malformed, the text is not UTF-8 or not stream-safe, or there are more than 64.
  public func formItems() -> [(name: String, value: String)]? {
    items(of: body)
  }

  private func items<Text: Collection<UInt8>>(
    of text: Text
  ) -> [(name: String, value: String)]? {
    var items: [(name: String, value: String)] = []
    for pair in text.split(separator: UInt8(ascii: "&")) {
      let equals = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
      guard items.count < Self.mostItems, let name = decoded(pair[..<equals]),
        let value = decoded(pair[equals...].dropFirst())
      else { return nil }
      items.append((name, value))
    }
    return items
  }

  private func decoded(_ text: some Collection<UInt8>) -> String? {
    let bytes = text.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
    return bytes.withUnsafeBytes { decodePercentEscapes($0[...]) }
  }
}
