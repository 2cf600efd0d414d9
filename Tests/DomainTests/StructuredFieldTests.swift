import Testing

@testable import Domain

/// Dictionaries of RFC 8941, by its grammar and examples (sections 3 and 4.2).
@Suite struct StructuredFieldTests {
  typealias BareItem = StructuredDictionary.BareItem

  /// The value of the dictionary's only member `a`.
  private func item(_ text: String) -> BareItem? {
    guard let member = StructuredDictionary("a=" + text)?["a"],
      case .item(let item) = member.content
    else { return nil }
    return item
  }

  @Test(
    "bare items of section 3.3",
    arguments: [
      // 3.3.1 and 3.3.2, with the largest and smallest that there may be.
      ("42", .integer(42)), ("0", .integer(0)), ("-0", .integer(0)), ("00", .integer(0)),
      ("042", .integer(42)), ("-15", .integer(-15)),
      ("999999999999999", .integer(999_999_999_999_999)),
      ("-999999999999999", .integer(-999_999_999_999_999)), ("4.5", .decimal("4.5")),
      ("-1.5", .decimal("-1.5")), ("1.123", .decimal("1.123")), ("0.1", .decimal("0.1")),
      ("123456789012.123", .decimal("123456789012.123")),
      // 3.3.3 to 3.3.6.
      (#""hello world""#, .string("hello world")), (#""""#, .string("")),
      (#""b\"a\\r""#, .string(#"b"a\r"#)), (#""   ""#, .string("   ")),
      ("foo123/456", .token("foo123/456")), ("*", .token("*")), ("A", .token("A")),
      ("a!#$%&'*+-.^_`|~:/9", .token("a!#$%&'*+-.^_`|~:/9")),
      (":aGVsbG8=:", .bytes(Array("hello".utf8))), ("::", .bytes([])),
      (":/+Ah:", .bytes([0xFF, 0xE0, 0x21])),
      ("?1", .boolean(true)), ("?0", .boolean(false)),
    ] as [(String, BareItem)])
  func takes(_ text: String, _ expected: BareItem) {
    #expect(item(text) == expected)
    #expect(item(text + "  ") == expected && item(text + ";p") == expected)
  }

  @Test(
    "what is no bare item",
    arguments: [
      "", " ", "1000000000000000", "-1000000000000000", "--1", "-", "+1", "- 1", "1.", ".5", "-.5",
      "1.1234",
      "1234567890123.1", "1.5.4", "1..4", "1e5", "0x1", "1,", "\"", #""a"#, #""\a""#, #""\"#,
      "\"\u{7F}\"",
      "\"\u{1F}\"", "\"뷰\"", "\"a\tb\"", "'a'", "(a", "a)", "é", "{a}", ":aGVsbG8:", ":aGVsbG8",
      "aGVsbG8=:",
      ":aGVsbG9=:", ":aGVsbG8==:", ":aGVs bG8=:", ":_-Ah:", ":=:", ":a:", "?", "?2", "?T", "?10",
      "?1a",
      "@1659578233", "%\"a\"",
    ])
  func refuses(_ text: String) {
    #expect(item(text) == nil)
    #expect(StructuredDictionary("a=" + text) == nil)
  }

  @Test("the examples of dictionaries and inner lists, sections 3.1.1 to 3.2")
  func examples() throws {
    let titles = try #require(StructuredDictionary(#"en="Applepie", da=:w4ZibGV0w6ZydGUK:"#))
    #expect(titles.members.map(\.key) == ["en", "da"])
    let flags = try #require(StructuredDictionary("a=?0, b, c; foo=bar"))
    #expect(flags.members.map(\.text) == ["?0", "", "; foo=bar"])
    #expect(flags["c"]?.parameter("foo") == .token("bar"))
    let lists = try #require(StructuredDictionary("rating=1.5, feelings=(joy sadness)"))
    guard case .list(let feelings) = lists["feelings"]?.content else {
      Issue.record("no list")
      return
    }
    #expect(feelings.map(\.value) == [.token("joy"), .token("sadness")])
    let mixed = try #require(StructuredDictionary("a=(1 2), b=3, c=4;aa=bb, d=(5 6);valid"))
    #expect(mixed.members.map(\.text) == ["(1 2)", "3", "4;aa=bb", "(5 6);valid"])
    #expect(mixed["d"]?.parameter("valid") == .boolean(true))
    let nested = try #require(StructuredDictionary(#"a=( "foo"; a=1;b=2  "bar" );lvl=5"#)?["a"])
    guard case .list(let items) = nested.content else {
      Issue.record("no list")
      return
    }
    #expect(items.map(\.value) == [.string("foo"), .string("bar")])
    #expect(items.first?.parameters.map(\.name) == ["a", "b"])
    #expect(nested.parameter("lvl") == .integer(5))
  }

  @Test(
    "what the grammar of section 4.2 allows around members",
    arguments: [
      ("", 0), ("   ", 0), ("a", 1), ("  a=1  ", 1), ("a=1,b=2", 2), ("a=1 \t,\t b=2", 2),
      ("a=()", 1),
      ("a=(  )", 1), ("a=( 1  2 )", 1), ("*a=1", 1), ("a_-.*9=1", 1), ("a;b;c=?0", 1),
      ("a;  b=1", 1),
    ])
  func spacing(_ text: String, _ members: Int) {
    #expect(StructuredDictionary(text)?.members.count == members)
  }

  @Test(
    "what it does not",
    arguments: [
      ",", "a=1,", "a=1, ", ",a=1", "a=1,,b=2", "a =1", "a= 1", "A=1", "9a=1", "-a=1", "a=1 b=2",
      "a=1;",
      "a=1; ", "a=1 ;b", "a;B", "a;b =1", "a;b= 1", "\ta=1", "a=1\n", "a=(1", "a=(1,2)", "a=(1\t2)",
      "a=(1(2))", "a=((1))", "a=(1\"b\")", "a=\"b\"c", "a=(1)2", "a=1=2", "\u{A0}a=1", "é=1",
    ])
  func noDictionary(_ text: String) {
    #expect(StructuredDictionary(text) == nil)
  }

  @Test("a key or parameter that stands twice is refused, where RFC 8941 takes the last")
  func repeats() {
    for text in ["a=1, a=2", "a, b, a", "a=1;b;b", "a=(1;c;c=2)"] {
      #expect(StructuredDictionary(text) == nil, "\(text)")
    }
  }

  @Test("members, items of lists and parameters have limits, the last two over the whole field")
  func limits() {
    func list(_ count: Int, _ item: (Int) -> String, _ separator: String = " ") -> String {
      (0..<count).map(item).joined(separator: separator)
    }
    for (most, text) in [
      (16, { list($0, { "k\($0)" }, ",") }), (64, { "a=(\(list($0) { "\($0)" }))" }),
      (64, { "a=(1 2), b=(\(list($0 - 2) { "\($0)" }))" }),
      (64, { "a=1;\(list($0, { "p\($0)" }, ";"))" }),
      (64, { "a=(1;p 2;p);q, b;\(list($0 - 3, { "p\($0)" }, ";"))" }),
      (64, { "a=(\(list($0) { "\($0);p" }))" }),
    ] as [(Int, (Int) -> String)] {
      #expect(StructuredDictionary(text(most)) != nil, "\(text(most))")
      #expect(StructuredDictionary(text(most + 1))?.members.count == nil, "\(text(most + 1))")
    }
  }
}

/// The derived components as the examples of RFC 9421 section 2.2 have them.
@Suite struct DerivedComponentTests {
  @Test(
    "each example of RFC 9421 section 2.2",
    arguments: [
      ("@method", "POST", "https://www.example.com/path?param=value", "POST"),
      (
        "@target-uri", "POST", "https://www.example.com/path?param=value",
        "https://www.example.com/path?param=value"
      ),
      ("@authority", "POST", "https://www.example.com/path?param=value", "www.example.com"),
      ("@authority", "GET", "https://WWW.Example.com:443/", "www.example.com"),
      ("@authority", "GET", "http://www.example.com:80/", "www.example.com"),
      ("@authority", "GET", "https://www.example.com:80/", "www.example.com:80"),
      ("@scheme", "POST", "http://www.example.com/path?param=value", "http"),
      ("@request-target", "POST", "https://www.example.com/path?param=value", "/path?param=value"),
      ("@path", "GET", "https://www.example.com/path?param=value", "/path"),
      ("@path", "GET", "https://www.example.com", "/"),
      (
        "@query", "POST", "https://www.example.com/path?param=value&foo=bar&baz=bat%2Dman",
        "?param=value&foo=bar&baz=bat%2Dman"
      ),
      ("@query", "POST", "https://www.example.com/path?queryString", "?queryString"),
      ("@query", "POST", "https://www.example.com/path", "?"),
      ("@query", "POST", "https://www.example.com/path?", "?"),
    ])
  func examples(_ name: String, _ method: String, _ url: String, _ expected: String) throws {
    let request = try #require(SignedRequest(method: method, url: url, headers: []))
    #expect(request.derived(name) == expected)
  }

  @Test("the scheme's own port stands once, or it is no URL")
  func portTwice() {
    for url in ["https://a.example:443:443/main", "http://a.example:80:80/", "https://A:443:443"] {
      #expect(SignedRequest(method: "GET", url: url, headers: []) == nil)
      #expect(PublicURL(url) == nil && Upstream(baseURL: url) == nil)
    }
  }

  @Test("components that a server of launches has no use for are unknown")
  func unknown() throws {
    let request = try #require(SignedRequest(method: "GET", url: "https://a/", headers: []))
    for name in ["@query-param", "@status", "@signature-params", "@", "@Method"] {
      #expect(request.derived(name) == nil)
    }
  }
}
