import JSON
import Testing

/// Corner cases of RFC 8259, by its sections, in the manner of the public suite of JSON parsers: what
/// has to be taken (y), what has to be refused (n), and what an implementation may choose (i).
@Suite struct CornerCaseTests {
  @Test(arguments: [
    // Section 2: white space around the six structural characters, and any value at the top.
    " [ ] ", "\t{\r\n}\n", "[1 , 2]", "{ \"a\" : 1 }", "\"\"", "-0", "0", "true", " null ",
    // Section 4: names are strings, the empty one too; section 5: items of several types.
    #"{"":0}"#, #"{"a":{"a":{"a":[]}}}"#, #"{"a b":1,"A b":2}"#, #"[null,1,"1",{}]"#,
    "[[[[[]]]]]",
    // Section 6.
    "[-0]", "[0.0]", "[-0.0]", "[0e0]", "[0E+1]", "[0.5e-00]", "[1E22]", "[123.456e78]", "[20e1]",
    "[-123123123123123123]", "[0.1]", "[-1.5]", "[1e-2]",
    // Section 7.
    #"["\"\\\/\b\f\n\r\t"]"#, #"["\u0000"]"#, #"["\u0022\u005C\u002F"]"#, #"["\uD834\uDd1e"]"#,
    #"["\uFFFF"]"#, #"["\uDBFF\uDFFE"]"#, #"["\u200B\u2064\uFDD0\uFFFE"]"#, "[\"\u{7F}\"]",
    "[\"\u{2028}\u{2029}\"]", "[\"\u{10FFFF}\u{E000}\"]", #"["a/*b*/c"]"#, #"["\\u0000"]"#,
    #"["\\n"]"#, "[\"  \"]", "[\"\u{FEFF}\"]",
  ])
  func takes(_ text: String) throws {
    let value = try parse(text)
    #expect(try JSON.parse(value.encoded()) == value)
  }

  @Test(arguments: [
    // Sections 2 and 4: structure.
    "", " ", "[", "]", "{", "}", "[}", "{]", "[[]", "[]]", "{}}", "[1", "[1,", "[,1]", "[1,,2]",
    "[1,]", "[,]", "[1 true]", "[1:2]", "[\"a\":1]", "[\"\",", "{\"a\":", "{\"a\"", "{\"a\",1}",
    "{\"a\":1,}", "{,\"a\":1}", "{\"a\":1,,\"b\":2}", "{\"a\"::1}", "{\"a\":1 \"b\"}", "{1:1}",
    "{null:1}", "{a:1}", "{'a':1}", "{\"a\":1}#", "{\"a\":1}//", "{\"a\":1}/**/", "/**/1", "[1]x",
    "1 2", "[]\u{A0}", "\u{A0}[]", "[\u{B}1]", "[\u{C}]", "[\u{2060}]", "\u{FEFF}1", "[1]\0",
    "<.>", "[*]", "\\u005B\\u005D", "[\\n]",
    // Section 3: the literals are in lower case and whole.
    "nul", "tru", "fals", "True", "NULL", "[nullx]", "[truefalse]", "NaN", "[-NaN]", "Infinity",
    "[-Infinity]", "undefined", "[inf]",
    // Section 6.
    "+1", "01", "-01", "-", "--1", "- 1", "1.", ".1", "-.1", "-1.", "1.e1", "1e", "1e+", "1E-",
    "1ee1", "1e1.5", "0e", "0x1", "1_0", "1a", "1 000", "1+1", "[1.2.3]", "\u{FF11}", "[-a]",
    "[0.e1]", "[-2.]",
    // Section 7.
    "\"", "[\"]", "'a'", "[a]", #""\""#, #""\x00""#, #""\a""#, #""\'""#, #""\0""#, #""\u""#,
    #""\u1""#, #""\u12""#, #""\u123""#, #""\u123g""#, #""\U0041""#, #""\u 041""#, "\"\\\u{FF4E}\"",
    "\"\u{0}\"", "\"\u{1F}\"", "\"\t\"", "\"\n\"", "\"\r\"", "[\"a\u{0}a\"]", "\"\\\n\"",
    #""\uD800\""#, #""\uD800\u""#, #""\uD800\u1""#, #""\uD800\u1x""#,
  ])
  func refuses(_ text: String) {
    #expect(throws: JSONError.self) { try parse(text) }
  }

  @Test(
    "a NUL behind a value, which jansson alone would pass over",
    arguments: [
      ("1\0", 1, 2), ("true\0", 1, 5), ("{\"뷰\":false\0}", 1, 11), ("[1,\n2\0,3]", 2, 2),
      ("-1.5e3\0\n", 1, 7),
    ])
  func refusesNUL(_ text: String, _ line: Int, _ column: Int) throws {
    let error = try #require(throws: JSONError.self) { try parse(text) }
    #expect((error.line, error.column) == (line, column), "\(error)")
    #expect(error.message.contains("NUL"))
  }

  @Test("what RFC 8259 leaves open is refused, or kept as it is")
  func choices() throws {
    // Section 4: names that are repeated.
    #expect(throws: JSONError.self) { try parse(#"{"a":1,"a":1}"#) }
    #expect(throws: JSONError.self) { try parse(#"{"a":1,"\u0061":2}"#) }
    // Section 6: numbers beyond what integers and doubles hold, and such as come to nothing.
    for text in ["1e999", "-1e+9999", "[123456789012345678901]", "-9223372036854775809"] {
      #expect(throws: JSONError.self, "\(text)") { try parse(text) }
    }
    #expect(try parse("1e-999") == .number(0))
    #expect(try parse("9223372036854775807") == .integer(.max))
    // Section 8.1: a byte order mark, and UTF-16.
    #expect(throws: JSONError.self) { try JSON.parse([0xEF, 0xBB, 0xBF, 0x5B, 0x5D]) }
    #expect(throws: JSONError.self) { try JSON.parse([0xFF, 0xFE, 0x5B, 0x00, 0x5D, 0x00]) }
    #expect(throws: JSONError.self) { try JSON.parse([0x00, 0x5B, 0x00, 0x5D]) }
    // Section 8.2: halves of surrogate pairs.
    for text in [
      #""\uD800""#, #""\uDC00""#, #""\uD800\uD800""#, #""\uDd1e\uD834""#, #""\uD800\n""#,
      #""\uD800a""#, #"{"\uDFAA":0}"#,
    ] {
      #expect(throws: JSONError.self, "\(text)") { try parse(text) }
    }
    // Section 9: depth.
    #expect(throws: JSONError.self) { try parse(String(repeating: "[", count: 100_000)) }
    #expect(throws: JSONError.self) { try parse(String(repeating: "{\"\":", count: 100_000)) }
  }

  @Test(
    "bytes that are no UTF-8 (RFC 3629 sections 3 and 4) are refused, in strings, in names, anywhere",
    arguments: [
      [0xE9], [0xFF], [0x80], [0xC0, 0xAF], [0xC1, 0xBF], [0xE0, 0x80, 0xAF],
      [0xF0, 0x80, 0x80, 0xAF], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80],
      [0xF8, 0x88, 0x80, 0x80, 0x80], [0xE2, 0x82], [0xC3], [0xC3, 0x28], [0xFE, 0xFF],
    ] as [[UInt8]])
  func refusesWhatIsNoUTF8(_ bytes: [UInt8]) {
    for (start, end) in [("[\"", "\"]"), ("{\"", "\":1}"), ("", ""), ("[", "]"), ("[1]", "")] {
      #expect(throws: JSONError.self) {
        try JSON.parse(Array(start.utf8) + bytes + Array(end.utf8))
      }
    }
  }
}
