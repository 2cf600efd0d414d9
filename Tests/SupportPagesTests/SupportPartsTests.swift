import Domain
import Encoding
import Explain
import HTTPServer
import Testing

@testable import SupportPages

@Suite("Parts of the support pages") struct SupportPartsTests {
  @Test("what is put into markup is text, in elements and in attributes")
  func escaping() {
    let hostile = #"<script>alert(1)</script>&"'"#
    let escaped = "&lt;script&gt;alert(1)&lt;/script&gt;&amp;&quot;&#39;"
    let element: HTML = "<p title=\"\(hostile)\">\(hostile)</p>"
    #expect(element.text == "<p title=\"\(escaped)\">\(escaped)</p>")
    let nested: HTML = "<div>\(element)\([element, "<br>"])\(HTML?.none)\(7)</div>"
    #expect(nested.text == "<div>\(element.text)\(element.text)<br>7</div>")
    let part: HTML = "\(hostile.prefix(8))"
    #expect(part.text == "&lt;script&gt;")
    #expect(("\("ㅋㅍ é 👍 \u{202E}")" as HTML).text == "ㅋㅍ é 👍 \u{202E}")
  }

  @Test("what a combining character hides from Swift is escaped, too")
  func combining() {
    // One Character each, which equals neither < nor ".
    for (text, start) in [
      ("<\u{301}script>", "&lt;"), ("\"\u{301} onload=", "&quot;"), ("&\u{20DD}lt;", "&amp;"),
    ] {
      let html: HTML = "\(text)"
      #expect(html.text.utf8.starts(with: start.utf8))
    }
  }

  @Test("only web addresses become links")
  func links() {
    #expect(
      HTML.link(to: "https://a.example/?a=1&b").text.hasPrefix(
        "<a href=\"https://a.example/?a=1&amp;b\""))
    for text in ["javascript:alert(1)", "data:text/html,x", " https://a", "//a.example", "ftp://a"]
    {
      #expect(!HTML.link(to: text).text.contains("<a"), "\(text)")
    }
  }

  @Test(
    "Accept-Language chooses by quality, then by order, English where nothing fits",
    arguments: [
      ("", Language.english), ("ko", .korean), ("en", .english),
      ("ko-KR,ko;q=0.9,en;q=0.8", .korean),
      ("en-US,en;q=0.9,ko;q=0.8", .english), ("en;q=0.8,ko;q=0.9", .korean), ("KO-kr", .korean),
      ("fr,de;q=0.9,ko;q=0.1", .korean), ("fr, de", .english), ("*", .english),
      ("ko;q=0,en;q=0.1", .english),
      ("ko;q=0", .english), ("*;q=0.5, ko;q=0.4", .english), ("ko;q=0.5, *;q=0.4", .korean),
      (" ko ; q=0.7 , en ; q=0.6 ", .korean), ("ko;q=2,en;q=0.1", .english),
      ("ko;q=0.1234,en;q=0.1", .english),
      ("ko;level=1,en;q=0.1", .english), (",,;,ko", .korean), ("korean", .english),
      ("en,ko", .english),
    ])
  func languages(header: String, expected: Language) {
    #expect(Language(acceptedBy: header) == expected)
  }

  @Test("the cookie is bound to the host over TLS, and goes by another name without")
  func cookies() throws {
    let token = try #require(SessionToken(String(repeating: "0f", count: 32)))
    let secure = SessionCookie(for: PublicURL("https://launch.example"))
    #expect(
      secure.setting(token, for: 28_800)
        == "__Host-launchlink=\(token.secret); Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=28800"
    )
    let plain = SessionCookie(for: PublicURL("http://127.0.0.1:8080"))
    #expect(
      plain.setting(token, for: 28_800)
        == "launchlink-session=\(token.secret); Path=/; HttpOnly; SameSite=Lax; Max-Age=28800")
    #expect(plain.removing == "launchlink-session=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0")
    #expect(SessionCookie(for: nil).removing.hasPrefix("__Host-"))
  }

  @Test("a session's id is taken only where there is exactly one of them")
  func presented() throws {
    let id = String(repeating: "0f", count: 32)
    let cookie = SessionCookie(for: PublicURL("http://127.0.0.1:8080"))
    func read(_ headers: String...) -> String {
      let request = Request(.get, "/", headers: headers.map { ("Cookie", $0) })
      return switch cookie.presented(by: request) {
      case .nothing: "nothing"
      case .nonsense: "nonsense"
      case .token(let token): token.secret == id ? "token" : "another"
      }
    }
    #expect(read() == "nothing")
    #expect(read("a=b; launchlink-session=\(id)") == "token")
    #expect(read("a=b", "launchlink-session=\(id);c=d") == "token")
    #expect(read("__Host-launchlink=\(id)", "xlaunchlink-session=\(id)") == "nothing")
    #expect(read("launchlink-session=\(id); launchlink-session=\(id)") == "nonsense")
    #expect(read("launchlink-session=", "a") == "nonsense")
    #expect(read("launchlink-session=\(id.uppercased())") == "nonsense")
  }

  @Test("the sign-in leads back to support pages only")
  func paths() {
    for path in [
      "/support", "/support/explain", "/support?query=%EC%BF%A0", "/support/businesses/11st",
    ] {
      #expect(SignInPage.safePath(path) == path)
    }
    for path in [
      "", "/", "//evil.example", "/supporter", "https://evil.example/support", "/support\r\nX: y",
      "/support/쿠팡", "/businesses", "\\support", "/support/" + String(repeating: "a", count: 2048),
    ] {
      #expect(SignInPage.safePath(path) == nil, "\(path.prefix(100))")
    }
  }
}
