extension Request {
  /// The names and values of the query, percent-decoded, `+` read as a space, in their order.
  ///
  /// - Returns: nil where an escape is malformed or what it spells is not UTF-8.
  public func queryItems() -> [(name: String, value: String)]? {
    guard let query else { return [] }
    var items: [(name: String, value: String)] = []
    for pair in query.utf8.split(separator: UInt8(ascii: "&")) {
      let equals = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
      guard let name = decoded(pair[..<equals]), let value = decoded(pair[equals...].dropFirst())
      else { return nil }
      items.append((name, value))
    }
    return items
  }

  private func decoded(_ text: Substring.UTF8View) -> String? {
    let bytes = text.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
    return bytes.withUnsafeBytes { decodePercentEscapes($0[...]) }
  }
}
