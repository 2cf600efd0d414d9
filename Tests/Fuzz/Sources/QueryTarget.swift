import Foundation
import HTTPServer

/// A query string or a form: what is accepted is what Foundation decodes.
struct QueryTarget: FuzzTarget {
  func run(_ input: [UInt8]) throws {
    let text = input.text
    let expected = items(of: text)
    check(Request(.get, "/?" + text).queryItems(), expected, text)
    check(Request(.post, "/", body: Array(text.utf8)).formItems(), expected, text)
    // Bytes that are no UTF-8 may come in a body; escapes may complete them.
    _ = Request(.post, "/", body: input).formItems()
  }

  private func items(of text: String) -> [[String]]? {
    var items: [[String]] = []
    for pair in text.utf8.split(separator: UInt8(ascii: "&")) {
      let parts = pair.split(
        separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      let decoded = parts.map { part in
        String(decoding: part.map { $0 == UInt8(ascii: "+") ? 0x20 : $0 }, as: UTF8.self)
          .removingPercentEncoding
      }
      guard let name = decoded[0], let value = parts.count == 2 ? decoded[1] : "",
        !name.utf8.contains(0), !value.utf8.contains(0)
      else { return nil }
      items.append([name, value])
    }
    return items
  }

  private func check(
    _ items: [(name: String, value: String)]?, _ expected: [[String]]?, _ text: String
  ) {
    let found = items.map { $0.map { [Array($0.name.utf8), Array($0.value.utf8)] } }
    let wanted = expected.map { $0.map { $0.map { Array($0.utf8) } } }
    require(found == wanted, "\(text): \(items as Any), not \(expected as Any)")
  }
}
