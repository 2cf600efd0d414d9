import HTTPServer

/// A query string or a form: what is accepted is what a reader by pieces decodes, and nothing is
/// repaired.
struct QueryTarget: FuzzTarget {
  func run(_ input: [UInt8]) throws {
    let text = input.text
    check(Request(.get, "/?" + text).queryItems(), items(of: Array(text.utf8)), text)
    // Bytes that are no UTF-8 may come in a body; escapes may complete them.
    check(Request(.post, "/", body: input).formItems(), items(of: input), text)
  }

  private func items(of text: [UInt8]) -> [[String]]? {
    var items: [[String]] = []
    for pair in text.split(separator: UInt8(ascii: "&")) {
      let parts = pair.split(
        separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = decoded(parts[0]), let value = decoded(parts.count == 2 ? parts[1] : [])
      else { return nil }
      items.append([name, value])
    }
    return items
  }

  private func decoded(_ text: ArraySlice<UInt8>) -> String? {
    let spaced = text.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
    let pieces = spaced.split(separator: UInt8(ascii: "%"), omittingEmptySubsequences: false)
    var bytes = Array(pieces[0])
    for piece in pieces.dropFirst() {
      let digits = String(decoding: piece.prefix(2), as: UTF8.self)
      guard digits.utf8.count == 2, digits.allSatisfy(\.isHexDigit),
        let byte = UInt8(digits, radix: 16)
      else { return nil }
      bytes += [byte] + piece.dropFirst(2)
    }
    return bytes.contains(0) ? nil : String(validating: bytes, as: UTF8.self)
  }

  private func check(
    _ items: [(name: String, value: String)]?, _ expected: [[String]]?, _ text: String
  ) {
    let found = items.map { $0.map { [Array($0.name.utf8), Array($0.value.utf8)] } }
    let wanted = expected.map { $0.map { $0.map { Array($0.utf8) } } }
    require(found == wanted, "\(text): \(items as Any), not \(expected as Any)")
  }
}
