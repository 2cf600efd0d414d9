import JSON
import Testing

private func text(_ json: JSON, pretty: Bool = false) -> String {
  String(decoding: json.encoded(pretty: pretty), as: UTF8.self)
}

@Suite struct EncodingTests {
  static let compact: [(JSON, String)] = [
    (JSON.null, "null"), (true, "true"), (false, "false"), (0, "0"),
    (.integer(.min), "-9223372036854775808"),
    (1.5, "1.5"), (.number(1), "1.0"), (.number(0.1), "0.1"), (.number(1e300), "1e+300"),
    (.number(.infinity), "null"), (.number(.nan), "null"),
    ("", "\"\""), ([], "[]"), ([:], "{}"),
    (["b": 1, "a": [true, .null, "x"]], #"{"b":1,"a":[true,null,"x"]}"#),
  ]

  @Test(arguments: compact)
  func writesCompactly(_ json: JSON, _ expected: String) {
    #expect(text(json) == expected)
  }

  @Test(arguments: [
    ("a\"b\\c", #""a\"b\\c""#), ("\n\r\t", #""\n\r\t""#),
    ("\0\u{1}\u{8}\u{C}\u{1F}", #""\u0000\u0001\u0008\u000c\u001f""#),
    ("/ \u{7F}\u{2028}뷰티😀", "\"/ \u{7F}\u{2028}뷰티😀\""),
    ("\u{1}start and end\"", #""\u0001start and end\"""#),
  ])
  func escapesOnlyWhatMustBe(_ string: String, _ expected: String) {
    var output: [UInt8] = Array("x".utf8)
    JSON.appendString(string, to: &output)
    #expect(String(decoding: output, as: UTF8.self) == "x" + expected)
    #expect(text(.object([.init(name: string, value: 1)])) == "{\(expected):1}")
  }

  /// Each ASCII byte at each place of a word and beyond, which tell it apart eight at a time.
  @Test func escapesWhereverItIs() throws {
    for byte in UInt8(0)...127 {
      for place in 0..<20 {
        var bytes = Array("0123456789é가abc".utf8)
        bytes.insert(byte, at: min(place, 10))
        bytes.append(contentsOf: repeatElement(byte, count: place))
        let string = String(decoding: bytes, as: UTF8.self)
        let written = text(.string(string))
        let escapes = byte < 0x20 || byte == 0x22 || byte == 0x5C
        #expect(written.contains("\\") == escapes, "\(written)")
        #expect(try JSON.parse(Array(written.utf8)) == .string(string))
      }
    }
  }

  @Test func writesPrettily() {
    let json: JSON = ["a": [1, ["b": .null]], "c": [], "d": [:]]
    let expected = """
      {
        "a": [
          1,
          {
            "b": null
          }
        ],
        "c": [],
        "d": {}
      }
      """
    #expect(text(json, pretty: true) == expected)
  }

  @Test(arguments: [
    0.1, 1 / 3, .leastNonzeroMagnitude, .greatestFiniteMagnitude, -.zero, 1e16, 123_456_789.125,
    .pi, .ulpOfOne,
  ])
  func doublesSurviveARoundTrip(_ value: Double) throws {
    let back = try JSON.parse(JSON.number(value).encoded())
    #expect(back.doubleValue?.bitPattern == value.bitPattern)
    guard case .number = back else {
      Issue.record("\(value) came back as an integer")
      return
    }
  }

  @Test func everyCharacterSurvivesARoundTrip() throws {
    for range in [0...0xD7FF, 0xE000...0xFFFF, 0x10FF00...0x10FFFF] as [ClosedRange<UInt32>] {
      var string = ""
      string.unicodeScalars.append(contentsOf: range.compactMap(Unicode.Scalar.init))
      let json = JSON.array([.string(string)])
      #expect(try JSON.parse(json.encoded(), isOwn: true) == json)
      #expect(try JSON.parse(json.encoded(pretty: true), isOwn: true) == json)
    }
  }
}

@Suite struct ValueTests {
  let json: JSON = ["s": "x", "i": 1, "d": 1.5, "b": true, "n": .null, "a": [1], "o": ["k": "v"]]

  @Test func looksUpMembers() {
    #expect(json["o"]?["k"] == "v")
    #expect(json["missing"] == nil)
    #expect(json["n"] == .some(.null))
    #expect(JSON.array([1])["a"] == nil)
    #expect(JSON.object([.init(name: "a", value: 1), .init(name: "a", value: 2)])["a"] == 1)
  }

  @Test func givesValuesOnlyOfTheirOwnType() {
    let names = ["s", "i", "d", "b", "n", "a", "o"]
    func namesWhere(_ holds: (JSON) -> Bool) -> [String] {
      names.filter { json[$0].map(holds) ?? false }
    }
    #expect(namesWhere { $0.stringValue != nil } == ["s"])
    #expect(namesWhere { $0.integerValue != nil } == ["i"])
    #expect(namesWhere { $0.doubleValue != nil } == ["i", "d"])
    #expect(namesWhere { $0.boolValue != nil } == ["b"])
    #expect(namesWhere(\.isNull) == ["n"])
    #expect(namesWhere { $0.arrayValue != nil } == ["a"])
    #expect(namesWhere { $0.objectValue != nil } == ["o"])
  }

  @Test func comparesByBytesAndOrder() {
    #expect(JSON.string("\u{E9}") != .string("e\u{301}"))
    #expect(["\u{E9}": 1] as JSON != ["e\u{301}": 1])
    #expect(["a": 1, "b": 2] as JSON != ["b": 2, "a": 1])
    #expect(JSON.integer(1) != .number(1))
    #expect(JSON.null != false)
    #expect(
      [1, "x\(1)", 2.5, .null] as JSON == .array([.integer(1), .string("x1"), .number(2.5), .null]))
  }
}
