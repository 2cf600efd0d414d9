import Testing

@testable import Domain

@Suite("Names") struct NameRuleTests {
  private func objection(to text: String, lengths: ClosedRange<Int> = 1...50) -> String? {
    NameRule.objection(to: text, lengths: lengths)?.description
  }

  @Test(
    "a name is taken as it is seen, in NFC",
    arguments: [
      ("Acme", "Acme"), ("\u{1112}\u{1161}\u{11AB}", "\u{D55C}"), ("a\u{301}", "\u{E1}"),
      ("a b", "a b"),
      ("\u{1112}\u{119E}\u{11AB}", "\u{1112}\u{119E}\u{11AB}"),
    ])
  func taken(text: String, name: String) throws {
    #expect(
      Array(try NameRule.name(text, lengths: 1...50).unicodeScalars) == Array(name.unicodeScalars))
  }

  @Test("the number of characters is that of the name in NFC")
  func lengths() {
    let decomposed = String(repeating: "\u{1112}\u{1161}\u{11AB}", count: 50)
    #expect(objection(to: decomposed) == nil)
    #expect(objection(to: decomposed + "a") == "This may have 50 characters at most.")
    #expect(objection(to: "", lengths: 0...50) == nil)
    #expect(objection(to: "") != nil)
    #expect(objection(to: " ", lengths: 0...50) != nil)
    // Told before anything that takes longer.
    #expect(
      objection(to: String(repeating: "\u{1112}", count: 100_000))
        == "This may have 50 characters at most.")
  }

  @Test("no character that shows nothing by itself is a name, whatever Unicode has")
  func nothingAlone() {
    // The planes between hold nothing, and those behind are private.
    for value in Array(UInt32(0)...0x3_FFFF) + Array(0xE_0000...0xE_0FFF) {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let properties = scalar.properties
      let shows: Bool
      switch properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator, .spaceSeparator, .unassigned, .privateUse,
        .surrogate, .nonspacingMark, .spacingMark, .enclosingMark:
        shows = false
      case .format: continue
      default: shows = !properties.isDefaultIgnorableCodePoint
      }
      guard !shows || ![0x2800, 0xFFFC, 0xFFFD, 0x1_3441, 0x1_3442, 0x1_D159].contains(value) else {
        continue
      }
      let composed = String(scalar).decomposedStartsWithMark
      #expect((objection(to: String(scalar)) == nil) == (shows && !composed), "\(scalar.value)")
    }
  }

  @Test(
    "what joins and chooses between forms stands where it changes what is seen, and nowhere else",
    arguments: [
      // Emoji.
      ("\u{1F468}\u{200D}\u{1F469}", true), ("\u{2764}\u{FE0F}\u{200D}\u{1F525}", true),
      ("\u{1F468}\u{200D}", false),
      ("a\u{200D}\u{1F469}", false), ("1\u{FE0F}\u{20E3}", true), ("1\u{FE0F}", false),
      ("a\u{FE0F}", false),
      ("\u{2764}\u{FE0F}\u{FE0F}", false), ("\u{2764}\u{200C}\u{1F525}", false),
      ("\u{1F468}\u{200D}\u{200D}\u{1F469}", false),
      // Persian, Hindi and Malayalam.
      ("\u{645}\u{6CC}\u{200C}\u{62E}", true), ("\u{645}\u{200C}", false),
      ("\u{200C}\u{645}", false), ("\u{915}\u{94D}\u{200D}", true),
      ("\u{915}\u{94D}\u{200C}\u{937}", true), ("a\u{200C}b", false),
      ("\u{E01}\u{200C}\u{E02}", false), ("\u{645}\u{200D}\u{6CC}", false),
      ("\u{CFE0}\u{200D}\u{D321}", false),
      // Forms of Chinese characters.
      ("\u{845B}\u{E0100}", true), ("\u{845B}\u{FE00}", true), ("a\u{E0100}", false),
      ("\u{CFE0}\u{E0100}", false),
      // A flag spelt in tags hides what it spells.
      ("\u{1F3F4}\u{E0067}\u{E007F}", false),
    ])
  func joiners(text: String, isName: Bool) {
    #expect((objection(to: text) == nil) == isName)
    #expect(text.withUnseenEscaped.contains(#"\u{"#) == !isName)
  }

  @Test(
    "an objection names the character and its place",
    arguments: [
      ("ab\u{202E}c", "Character 3 is U+202E, which turns the direction of writing: leave it out."),
      ("\u{200B}a", "Character 1 is U+200B, which nobody sees here: leave it out."),
      ("\u{E0041}", "Character 1 is U+E0041, which nobody sees here: leave it out."),
      (
        "a\u{FFFD}",
        "Character 2 is U+FFFD, which stands for bytes that were no text: write what is meant."
      ),
      ("a\u{E000}", "Character 2 is U+E000, which means nothing in Unicode: leave it out."),
      ("a\nb", "A line break or another control character cannot stand here."),
      ("\u{301}a", "This begins with U+0301, which belongs on a letter before it."),
      (
        "a" + String(repeating: "\u{301}", count: 31),
        "This has more than 30 combining characters in a row: leave most of them out."
      ),
      // U+0344 is two in NFC, which is what would be exported.
      (
        "a" + String(repeating: "\u{344}", count: 16),
        "This has more than 30 combining characters in a row: leave most of them out."
      ),
      ("", "This cannot be empty."),
      ("a ", "This has to be a text without blanks around it."),
      ("a\u{A0}b", "Character 2 is U+00A0, a blank of another kind: type a plain space."),
    ])
  func words(text: String, words: String) {
    #expect(objection(to: text) == words)
  }

  @Test(
    "inside a name a blank is a plain space",
    arguments: [0xA0, 0x1680, 0x2000, 0x2003, 0x200A, 0x202F, 0x205F, 0x2800, 0x3000] as [UInt32])
  func blanks(value: UInt32) throws {
    let blank = try #require(Unicode.Scalar(value))
    #expect(objection(to: "a\(blank)b")?.hasSuffix("type a plain space.") == true)
    #expect(objection(to: "a b") == nil)
    #expect(throws: Never.self) { try NameRule.lines("a\(blank)b", upTo: 50) }
  }

  @Test("a project is not called as an id looks, an API key may be")
  func ids() {
    for name in [String(repeating: "0", count: 24), "67B6f2a9688f4a05db0a1d45"] {
      #expect(throws: NameRule.Objection.self) { try Project.name(name) }
      #expect(throws: Never.self) { try APIKey.name(name) }
    }
    #expect(throws: Never.self) { try Project.name(String(repeating: "0", count: 23)) }
  }

  @Test("a message writes out what is not seen")
  func escaped() {
    #expect(
      "쿠팡 \u{1F468}\u{200D}\u{1F469} é".withUnseenEscaped == "쿠팡 \u{1F468}\u{200D}\u{1F469} é")
    #expect(
      "a\u{202E}b\u{200B}\u{1B}[2J\n\t\u{FFFD}".withUnseenEscaped
        == #"a\u{202e}b\u{200b}\u{1b}[2J\n\t"# + "\u{FFFD}")
  }
}

extension String {
  /// Whether it is, in NFC, a mark without a letter before it.
  fileprivate var decomposedStartsWithMark: Bool {
    switch normalizedNFC.unicodeScalars.first?.properties.generalCategory {
    case .nonspacingMark, .spacingMark, .enclosingMark: true
    default: false
    }
  }
}
