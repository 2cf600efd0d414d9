import Testing
import YAML

/// Reads a document.
func parse(_ text: String) throws -> YAML.Node? { try YAML.parse(Array(text.utf8)) }

@Suite struct ParsingTests {
  @Test func readsAConfigurationWithItsPlaces() throws {
    let root = try #require(
      try parse(
        """
        # Where it listens
        listen: 127.0.0.1:8080
        workers: 4

        upstreams:
          production:
            internal_origins:
              - "https://cashback-ui.moment.fairytech.ai"
              - https://other.example
        뷰티: {label: 'It''s', active: true}
        """))
    #expect((root.line, root.column) == (2, 1))
    #expect(root.mapping?.map(\.key.string) == ["listen", "workers", "upstreams", "뷰티"])
    #expect(root["listen"]?.string == "127.0.0.1:8080")
    #expect(root["workers"]?.int == 4)
    let origins = try #require(root["upstreams"]?["production"]?["internal_origins"])
    #expect((origins.line, origins.column) == (8, 7))
    #expect(
      origins.sequence?.map(\.string) == [
        "https://cashback-ui.moment.fairytech.ai", "https://other.example",
      ])
    #expect(origins.sequence?.map(\.line) == [8, 9])
    #expect(origins.sequence?.map(\.column) == [9, 9])
    let beauty = try #require(root["뷰티"])
    // A column counts characters, not bytes.
    #expect((beauty.line, beauty.column) == (10, 5))
    #expect(beauty["label"]?.string == "It's" && beauty["active"]?.bool == true)
  }

  @Test(arguments: [
    "", "\n \n", "# only a comment\n", "---\n", "--- ~\n", "null", "\u{FEFF}",
  ])
  func findsNothing(_ text: String) throws {
    #expect(try parse(text) == nil)
  }

  @Test func readsBlockTexts() throws {
    let root = try parse("a: |\n  one\n  two\nb: >-\n  three\n  four\nc: |\n  12\n")
    #expect(root?["a"]?.string == "one\ntwo\n")
    #expect(root?["b"]?.string == "three four")
    #expect(root?["c"]?.int == nil)
  }

  @Test func acceptsWindowsLineEndsAndByteOrderMark() throws {
    let root = try parse("\u{FEFF}a: 1\r\nb: 2\r\n")
    #expect(root?["a"]?.int == 1 && root?["b"]?.string == "2" && root?["b"]?.line == 2)
  }

  static let refused: [(text: String, line: Int, column: Int, message: String)] = [
    ("a: 1\n---\nb: 2\n", 2, 1, "second document"), ("a: 1\n...\n---\n", 3, 1, "second document"),
    ("a: &x 1\nb: 2\n", 1, 4, "anchor"), ("a: &x [1]\n", 1, 4, "anchor"),
    ("&x a: 1\n", 1, 1, "anchor"),
    ("a: &x {b: 1}\n", 1, 4, "anchor"), ("a: *x\n", 1, 4, "alias"), ("*x : 1\n", 1, 1, "alias"),
    ("a: !!str 1\n", 1, 4, "tag"), ("a: !x [1]\n", 1, 4, "tag"), ("!x {a: 1}\n", 1, 1, "tag"),
    ("a: 1\nb: 2\na: 3\n", 3, 1, "'a' is repeated, it is on line 1"),
    ("a:\n  b: 1\n  \"b\": 2\n", 3, 3, "'b' is repeated"), ("{a: 1, a: 2}", 1, 8, "repeated"),
    ("[1, 2]: 3\n", 1, 1, "a key must be"), ("? {a: 1}\n: 2\n", 1, 3, "a key must be"),
    ("a: [1, 2\n", 2, 1, "expected ',' or ']'"), ("a: \"x\n", 2, 1, "unexpected end of stream"),
    ("a: b: c\n", 1, 5, "mapping values are not allowed"), ("a:\n\tb: 1\n", 2, 1, "tab"),
    ("a: @x\n", 1, 4, "cannot start any token"), ("- 1\nb: 2\n", 2, 1, "expected '-' indicator"),
    ("a: \"\\q\"\n", 1, 5, "unknown escape"), ("a: 1\n b: 2\n", 2, 3, "mapping values"),
    ("a: 1\nb: \u{1}\n", 2, 4, "control character"), ("a: 1\0\n", 1, 5, "control character"),
    ("%YAML 3.0\n---\na: 1\n", 1, 1, "YAML"),
  ]

  @Test(arguments: refused)
  func refuses(_ text: String, _ line: Int, _ column: Int, _ message: String) throws {
    let error = try #require(throws: YAMLError.self) { try parse(text) }
    #expect((error.line, error.column) == (line, column), "\(error)")
    #expect(error.message.contains(message), "\(error)")
    #expect(error.description == "line \(line), column \(column): \(error.message)")
  }

  @Test(arguments: [[0xFF], [0xC3], [0xC0, 0xAF], [0xED, 0xA0, 0x80]] as [[UInt8]])
  func refusesInvalidUTF8(_ faulty: [UInt8]) throws {
    let text = Array("a: 1\n뷰: ".utf8) + faulty + Array("\n".utf8)
    let error = try #require(throws: YAMLError.self) { try YAML.parse(text) }
    #expect(error.message.contains("UTF-8"))
    #expect((error.line, error.column) == (2, 4), "\(error)")
  }

  @Test(arguments: [("[", "]"), ("{a: ", "}")])
  func boundsTheDepth(_ opening: String, _ closing: String) throws {
    func nested(_ depth: Int) -> String {
      String(repeating: opening, count: depth) + "x" + String(repeating: closing, count: depth)
    }
    #expect(try parse(nested(YAML.maximumDepth)) != nil)
    let error = try #require(throws: YAMLError.self) { try parse(nested(YAML.maximumDepth + 1)) }
    #expect(error.message.contains("32 levels"))
    #expect(error.line == 1 && error.column == YAML.maximumDepth * opening.utf8.count + 1)
    #expect(throws: YAMLError.self) { try parse(String(repeating: opening, count: 10_000)) }
  }
}

@Suite struct ScalarTests {
  func scalar(_ text: String) throws -> YAML.Node {
    try #require(try parse("a: " + text)?["a"])
  }

  @Test(arguments: ["yes", "no", "on", "off", "True", "TRUE", "y", "1", "'true'", "\"false\""])
  func takesOnlyTrueAndFalseForTruthValues(_ text: String) throws {
    #expect(try scalar(text).bool == nil)
    #expect(try scalar(text).string != nil)
  }

  @Test func readsTruthValues() throws {
    #expect(try scalar("true").bool == true)
    #expect(try scalar("false").bool == false)
    #expect(try scalar("true").int == nil)
  }

  @Test(arguments: [("0", 0), ("42", 42), ("-7", -7), ("+7", 7), ("9223372036854775807", Int.max)])
  func readsIntegers(_ text: String, _ expected: Int) throws {
    #expect(try scalar(text).int == expected)
    #expect(try scalar(text).string == text)
  }

  @Test(arguments: [
    "010", "-01", "00", "0x10", "0o7", "1_000", "1.0", "1e3", "'1'", "9223372036854775808", "١",
    "a", "-",
  ])
  func takesNothingElseForAnInteger(_ text: String) throws {
    #expect(try scalar(text == "-" ? "'-'" : text).int == nil)
  }

  @Test(arguments: ["", "~", "null", "Null", "NULL"]) func readsNull(_ text: String) throws {
    #expect(try scalar(text).isNull)
    #expect(try scalar(text).string == nil)
    #expect(try scalar("'\(text)'").string == text)
    #expect(try !scalar("'\(text)'").isNull)
  }

  @Test func givesNoScalarForACollection() throws {
    let node = try scalar("[1]")
    #expect(node.string == nil && node.int == nil && node.bool == nil && !node.isNull)
    #expect(node.mapping == nil && node["x"] == nil)
    #expect(try scalar("x").sequence == nil)
  }
}
