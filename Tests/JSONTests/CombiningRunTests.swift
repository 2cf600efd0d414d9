import JSON
import Testing

@Suite struct CombiningRunTests {
  @Test("over 30 combining characters in a row are refused where they are one too many")
  func refused() {
    let marks = String(repeating: "\u{316}\u{301}", count: 15)
    for (text, column) in [
      ("[\"a\(marks)\u{301}\"]", 34), ("{\"a\(marks)\u{301}\":1}", 34),
      ("[\"a\(marks)\\u0301\"]", 39), ("[\"a\(marks)\\ud834\\udd65\"]", 45),
      ("[\"\(String(repeating: "\\u0316", count: 31))\"]", 188),
    ] {
      #expect(throws: JSONError.self, "\(text)") { try JSON.parse(Array(text.utf8)) }
      do throws(JSONError) {
        _ = try JSON.parse(Array("\n\(text)".utf8))
      } catch {
        #expect(error.line == 2 && error.column == column, "\(text): \(error)")
      }
      #expect(throws: Never.self) { try JSON.parse(Array(text.utf8), isOwn: true) }
    }
  }

  @Test(
    "what looks like it and is none",
    arguments: [
      #"["a\\u0301b"]"#, #"["\ud83d\ude00"]"#, "[\"가나다\"]", "[\"e\u{301}\"]",
      #"["\u0301\n\u0301"]"#,
    ])
  func accepted(_ text: String) {
    #expect(throws: Never.self) {
      try JSON.parse(Array("[\(Array(repeating: text, count: 40).joined(separator: ","))]".utf8))
    }
    let marks = String(repeating: "\u{316}\u{301}", count: 15)
    #expect(throws: Never.self) {
      try JSON.parse(Array("[\"\(marks)\",\"\(marks)\", \"a\(marks)b\(marks)\"]".utf8))
    }
  }
}
