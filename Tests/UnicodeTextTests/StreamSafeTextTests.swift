import Testing
import UnicodeText

@Suite("Stream-safe text") struct StreamSafeTextTests {
  private func marks(_ count: Int) -> String {
    String(repeating: "\u{316}\u{301}", count: count / 2)
  }

  @Test("30 combining characters may follow one another, however often")
  func limit() {
    #expect("".isStreamSafe && "G마켓, 쿠팡 é".isStreamSafe)
    #expect(("a" + marks(30)).isStreamSafe)
    #expect(String(repeating: "a" + marks(30), count: 9).isStreamSafe)
    #expect(!("a" + marks(32)).isStreamSafe)
    #expect(!(marks(30) + "\u{1D165}").isStreamSafe)
    #expect(!("a" + marks(30) + "\u{301}" + "b").isStreamSafe)
  }

  @Test("what is one too many is replaced, and nothing else")
  func replacing() {
    let safe = "쿠팡 a" + marks(30) + "b"
    #expect(safe.streamSafe.utf8.elementsEqual(safe.utf8))
    let long = ("a" + marks(40) + "b").streamSafe
    let expected = "a" + marks(30) + "\u{FFFD}\u{301}" + marks(8) + "b"
    #expect(long.isStreamSafe && long.utf8.elementsEqual(expected.utf8))
  }
}
