import JSON
import Testing

@Suite("An object of strings in bytes") struct NestedObjectTests {
  /// The members as text, each string as it is written; nil where the text is left to jansson.
  private func read(_ text: String) -> [String]? {
    var found: [String] = []
    let isRead = Array(text.utf8).withUnsafeBytes { bytes in
      JSON.readNestedObject(bytes) { member in
        let object = member.object.map { String(decoding: $0, as: UTF8.self) + "." } ?? ""
        let name = object + String(decoding: member.name, as: UTF8.self)
        switch member.value {
        case .string(let text, let hasMarks):
          found.append(
            "\(name)=\(String(decoding: text, as: UTF8.self))\(hasMarks ? " marked" : "")")
        case .bool(let truth): found.append("\(name)=\(truth)")
        case .object: found.append(name)
        }
        return true
      }
    }
    return isRead ? found : nil
  }

  @Test("strings, truth values and one level of objects are read, each where it stands")
  func plain() {
    #expect(
      read(#" { "a" : "x" , "b":{"c":"","d" : "e\"f"},"g":true, "h":false } "#)
        == ["a=x", "b", "b.c=", #"b.d=e\"f marked"#, "g=true", "h=false"])
    let most = (0..<32).map { "\"\($0)\":\"\"" }.joined(separator: ",")
    #expect(read("{\(most)}")?.count == 32)
    #expect(read("{\"o\":{\(most)}}")?.count == 33)
  }

  @Test(
    "any other text is left to jansson",
    arguments: [
      "", "{}", "[]", #"{"a":{}}"#, #"{"a":1}"#, #"{"a":null}"#, #"{"a":["x"]}"#,
      #"{"a":"x"}}"#, #"{"a":"x",}"#, #"{"a":"x" "b":"y"}"#, #"{"a":"x"} x"#, #"{"a":"x""#,
      #"{"a":{"b":{"c":"x"}}}"#, #"{"a":"x","a":"y"}"#, #"{"o":{"a":"x","a":"y"}}"#,
      #"{"o":{"a":"x"},"o":{"b":"y"}}"#, #"{"a":"\n"}"#, #"{"a":"\\"}"#, #"{"a":"x\"}"#,
      #"{"a":"\u0022"}"#, #"{"a\"b":"x"}"#, #"{"a":"é"}"#, #"{"é":"a"}"#, "{\"a\":\"x\u{0}\"}",
      "{\"a\":\"12345678\t\"}", #"{"a":True}"#, #"{"a":truex}"#, #"{"a":tru"#,
      #"{"a":"12345678é"}"#,
    ])
  func others(text: String) {
    #expect(read(text) == nil)
  }

  @Test("the 33rd member, and a byte order mark, are left to jansson")
  func limits() {
    let many = (0..<33).map { "\"\($0)\":\"\"" }.joined(separator: ",")
    #expect(read("{\(many)}") == nil)
    #expect(read("{\"o\":{\(many)}}") == nil)
    #expect(read("\u{FEFF}{\"a\":\"x\"}") == nil)
  }
}
