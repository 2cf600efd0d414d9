import Foundation
import JSON
import Synchronization
import Testing

/// Parses text.
func parse(_ text: String) throws -> JSON { try JSON.parse(Array(text.utf8)) }

@Suite struct ParsingTests {
  static let accepted: [(String, JSON)] = [
    ("null", JSON.null), ("true", true), (" false\n", false), ("\t\r\n 0 ", 0), ("-1", -1),
    ("\"\"", ""), ("[]", []), ("{}", [:]), ("[[],{}]", [[], [:]]),
    ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
    ("1.0", .number(1)), ("1e2", .number(100)), ("-2.5E-1", .number(-0.25)),
    ("1e-400", .number(0)), ("1.7976931348623157e308", .number(.greatestFiniteMagnitude)),
    (#"{"a":1,"b":[true,null]}"#, ["a": 1, "b": [true, .null]]),
  ]

  @Test(arguments: accepted)
  func accepts(_ text: String, _ expected: JSON) throws {
    #expect(try parse(text) == expected)
  }

  @Test(arguments: [
    (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"),
    (#""\u0041\u00e9\uAC00""#, "Aé가"),
    (#""\ud83d\ude00""#, "😀"),
    (#""a\u0000b""#, "a\0b"),
    ("\"\u{7F}\u{2028}뷰티\"", "\u{7F}\u{2028}뷰티"),
  ])
  func readsStrings(_ text: String, _ expected: String) throws {
    #expect(try parse(text).stringValue.map { Array($0.utf8) } == Array(expected.utf8))
  }

  @Test func keepsTheOrderOfMembers() throws {
    let names = (0..<100).map { "m\(($0 * 37) % 100)" }
    let text = "{" + names.map { "\"\($0)\":0" }.joined(separator: ",") + "}"
    #expect(try parse(text).objectValue?.map(\.name) == names)
  }

  /// Text, line, column and a part of the message.
  static let refused: [(text: String, line: Int, column: Int, message: String)] = [
    ("", 1, 1, "empty"), (" \n\t ", 1, 1, "empty"),
    ("\u{FEFF}{}", 1, 1, "byte order mark"),
    (#"{"a":1,}"#, 1, 8, "member's name"), ("[1,]", 1, 4, "expected a value"),
    ("{\n  \"a\": 1\n  \"b\": 2\n}", 3, 5, "',' or '}'"), ("[1 2]", 1, 4, "',' or ']'"),
    ("{\"a\" 1}", 1, 6, "':'"), ("{a:1}", 1, 2, "member's name"),
    ("{'a':1}", 1, 2, "member's name"),
    ("{} x", 1, 4, "after the value"), ("1\n2", 2, 1, "after the value"),
    ("{}{}", 1, 3, "after the value"), ("{}\0", 1, 3, "after the value"),
    ("{\"a\":", 1, 6, "ends before"), ("\"abc", 1, 5, "ends before"),
    ("[\n1,\n", 3, 1, "ends before"),
    ("nul", 1, 3, "expected a value"), ("True", 1, 4, "expected a value"),
    ("NaN", 1, 3, "expected a value"), ("-", 1, 1, "expected a value"),
    ("01", 1, 1, "expected a value"), ("+1", 1, 1, "expected a value"),
    (".5", 1, 1, "expected a value"), ("1.", 1, 2, "expected a value"),
    ("1e", 1, 2, "expected a value"),
    ("0x10", 1, 2, "after the value"), ("/* */ 1", 1, 1, "expected a value"),
    ("\"a\u{1}b\"", 1, 3, "control character"), ("\"a\nb\"", 1, 3, "not closed"),
    (#""\x41""#, 1, 3, "escape"), (#""\u12g4""#, 1, 6, "escape"),
    (#""\ud800""#, 1, 8, "surrogate"), (#""\udc00""#, 1, 8, "surrogate"),
    (#""\ud800\u0041""#, 1, 14, "surrogate"),
    ("9223372036854775808", 1, 19, "too large"), ("-9223372036854775809", 1, 20, "too large"),
    ("1e400", 1, 5, "too large"),
    (#"{"a\u0000b":1}"#, 1, 11, "NUL"),
    (#"{"뷰티":1,"뷰티":2}"#, 1, 12, "repeated"),
  ]

  @Test(arguments: refused)
  func refuses(_ text: String, _ line: Int, _ column: Int, _ message: String) throws {
    let error = try #require(throws: JSONError.self) { try parse(text) }
    #expect((error.line, error.column) == (line, column), "\(error)")
    #expect(error.message.contains(message), "\(error)")
  }

  @Test(arguments: [
    #"{"a":1,"a":1}"#, #"{"a":1,"\u0061":2}"#, #"{"x":{"a":1,"b":2,"a":3}}"#, #"[{"":1,"":2}]"#,
  ])
  func refusesRepeatedMembers(_ text: String) throws {
    let error = try #require(throws: JSONError.self) { try parse(text) }
    #expect(error.message == "a member's name is repeated")
  }

  @Test func takesDifferentlyComposedNamesForDifferent() throws {
    let json = try parse("{\"\u{E9}\":1,\"e\u{301}\":2}")
    #expect(json["\u{E9}"] == 1)
    #expect(json["e\u{301}"] == 2)
  }

  @Test(
    arguments: [
      [0x22, 0xFF, 0x22], [0x22, 0xC3, 0x22], [0x22, 0xC0, 0xAF, 0x22],
      [0x22, 0xED, 0xA0, 0x80, 0x22],
      [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], [0x22, 0x80, 0x22], [0xFF], [0x5B, 0xE9, 0x5D],
    ] as [[UInt8]])
  func refusesInvalidUTF8(_ bytes: [UInt8]) throws {
    let error = try #require(throws: JSONError.self) { try JSON.parse(bytes) }
    #expect(error.message.contains("UTF-8"))
    #expect((error.line, error.column) == (1, bytes.count == 1 ? 1 : 2))
  }

  @Test func neverRepeatsTheText() throws {
    for text in [#"{"a": "secret" secret}"#, "secret", "[secret", #"{"secret":1,"secret":2}"#] {
      let error = try #require(throws: JSONError.self) { try parse(text) }
      #expect(!error.description.contains("secret"))
    }
  }
}

@Suite struct DepthTests {
  func nested(_ depth: Int, _ opening: String, _ closing: String) -> String {
    String(repeating: opening, count: depth) + "1" + String(repeating: closing, count: depth)
  }

  @Test func acceptsTheGreatestDepth() throws {
    _ = try parse(nested(JSON.maximumDepth, "[", "]"))
    _ = try parse(nested(JSON.maximumDepth, "{\"a\":", "}"))
  }

  @Test func refusesMoreWithItsPlace() throws {
    let error = try #require(throws: JSONError.self) {
      try parse("\n" + nested(JSON.maximumDepth + 1, "[", "]"))
    }
    #expect((error.line, error.column) == (2, JSON.maximumDepth + 1))
    #expect(error.message == "nested more than 64 levels deep")
  }

  @Test func countsCharactersNotBytes() throws {
    let error = try #require(throws: JSONError.self) {
      try parse(nested(JSON.maximumDepth + 1, #"{"뷰":"#, "}"))
    }
    #expect((error.line, error.column) == (1, JSON.maximumDepth * 5 + 1))
  }

  @Test func needsNoLargeStack() throws {
    // A sixteenth of what threads have on Linux; the address sanitizer's frames take four times as
    // much as others.
    let text = Array(nested(JSON.maximumDepth, "[", "]").utf8)
    let done = DispatchSemaphore(value: 0)
    let copy = Mutex<[UInt8]?>(nil)
    let thread = Thread {
      let encoded = try? JSON.parse(text).encoded(pretty: false)
      copy.withLock { $0 = encoded }
      done.signal()
    }
    thread.stackSize = 512 * 1_024
    thread.start()
    done.wait()
    #expect(copy.withLock { $0 } == text)
  }

  @Test func refusesAHundredThousandLevels() {
    for opening in ["[", "{\"a\":", "[{\"뷰\":"] {
      #expect(throws: JSONError.self) { try parse(String(repeating: opening, count: 100_000)) }
    }
  }

  @Test func countsNeitherBreadthNorBracketsInStrings() throws {
    let list = "[" + repeatElement("[]", count: 1_000).joined(separator: ",") + "]"
    #expect(try parse(list).arrayValue?.count == 1_000)
    let brackets = String(repeating: #"[{\"\\"#, count: 1_000)
    #expect(try parse("[\"\(brackets)\"]").arrayValue?.count == 1)
  }
}

/// What ``FlatObject`` may read by itself, and what lies just beside it: nobody may tell who read it.
@Suite struct FlatObjectTests {
  @Test(
    arguments: [
      (#"{"a":"b"}"#, ["a": "b"]), (" {\t\"a\" :\r\n \"b\" , \"c\":0 } \n", ["a": "b", "c": 0]),
      (#"{"":""}"#, ["": ""]), (#"{"n":123456789012345678}"#, ["n": 123_456_789_012_345_678]),
      (#"{"n":1234567890123456789}"#, ["n": 1_234_567_890_123_456_789]),
      (#"{"n":-1}"#, ["n": -1]), (#"{"n":1.5}"#, ["n": .number(1.5)]),
      (#"{"n":1e2}"#, ["n": .number(100)]),
      (#"{"n":0.5,"m":"\u007f"}"#, ["n": .number(0.5), "m": "\u{7F}"]),
      (#"{"é":"뷰티","x":"a\"b\\"}"#, ["é": "뷰티", "x": "a\"b\\"]),
      (#"{"a":null,"b":true,"c":[],"d":{}}"#, ["a": .null, "b": true, "c": [], "d": [:]]),
    ] as [(String, JSON)])
  func readsAlike(_ text: String, _ expected: JSON) throws {
    #expect(try parse(text) == expected)
  }

  @Test(arguments: [
    (#"{"a":"b","a":"c"}"#, 1), (#"{"a":1,"\u0061":2}"#, 1), (#"{"a":01}"#, 1), (#"{"a":1 2}"#, 1),
    (#"{"a":"b"} x"#, 1), (#"{"a":"b",}"#, 1), (#"{"a" "b"}"#, 1), (#"{"a":"b""#, 1),
    (#"{"a":"b"#, 1),
    ("{\n\"a\":\"b\tc\"}", 2), ("{\"a\":\"b\0\"}", 1), (#"{"a":12345678901234567890}"#, 1),
    (#"{a:1}"#, 1),
    (#"{"a":1}{"b":2}"#, 1),
  ])
  func refusesAlike(_ text: String, line: Int) throws {
    let error = #expect(throws: JSONError.self) { try parse(text) }
    #expect(error?.line == line)
  }

  @Test(arguments: [15, 16, 17, 40])
  func readsAnyNumberOfMembers(_ count: Int) throws {
    let text = "{" + (0..<count).map { "\"m\($0)\":\($0)" }.joined(separator: ",") + "}"
    #expect(try parse(text).objectValue?.map(\.value) == (0..<count).map { .integer(Int64($0)) })
  }
}
