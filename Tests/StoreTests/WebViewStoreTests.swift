import Domain
import Store
import StoreFixtures
import Testing

@Suite("Web versions and cookies in the store") struct WebViewStoreTests {
  private func cookie(
    _ value: String, project: ProjectID? = nil, path: String = "/", name: String = "lang"
  ) throws -> WebViewCookie {
    try WebViewCookie(
      projectID: project, name: name, value: value, domain: "cashback.example", path: path,
      isHTTPOnly: true, sameSite: .strict, expiresAt: Timestamp(seconds: 1_900_000_000))
  }

  @Test("the version is the one that was set last, audited only where it changed")
  func version() throws {
    let test = try TestStore()
    #expect(try test.store.makeReader().knowledge.webVersion() == nil)
    for text in ["1.4.0", "1.4.0", "1.4", "1.3"] {
      let version = try #require(WebVersion(text))
      try test.store.setWebVersion(version, by: test.actor)
      #expect(try test.openAgain().makeReader().knowledge.webVersion()?.description == text)
    }
    #expect(try test.audit().filter { $0.hasPrefix("web-version.set") }.count == 3)
  }

  @Test("a cookie comes back as it was set, and is replaced by name, domain, path and project")
  func cookies() throws {
    let test = try TestStore()
    let project = try test.addProject()
    let all = try cookie("ko")
    let own = try cookie("ja", project: project.id)
    let deeper = try cookie("en", path: "/cashback")
    for one in [all, own, deeper] { try test.store.setCookie(one, keeping: [], by: test.actor) }
    let read = try test.openAgain().makeReader().knowledge.cookies()
    #expect(read.count == 3 && [all, own, deeper].allSatisfy(read.contains))
    let changed = try cookie("fr")
    try test.store.setCookie(changed, keeping: [], by: test.actor)
    try test.store.setCookie(changed, keeping: [], by: test.actor)
    #expect(
      try test.store.makeReader().knowledge.cookies().map(\.value).sorted() == ["en", "fr", "ja"])
    #expect(try test.audit().filter { $0.hasPrefix("cookie.set") }.count == 4)
    try test.store.removeCookie(all, by: test.actor)
    #expect(try test.store.makeReader().knowledge.cookies().map(\.value).sorted() == ["en", "ja"])
    #expect(try kind { try test.store.removeCookie(all, by: test.actor) } == .notFound)
  }

  @Test("a replaced cookie passes its attributes on until its end, and nothing from then on")
  func ended() throws {
    let test = try TestStore()
    let end = test.clock.now.adding(seconds: 10)
    let plain = try WebViewCookie(
      projectID: nil, name: "lang", value: "ja", domain: "cashback.example", path: "/")
    for (wait, isKept) in [(9, true), (1, false)] {
      test.clock.advance(seconds: wait)
      let old = try WebViewCookie(
        projectID: nil, name: "lang", value: "ko", domain: "cashback.example", path: "/",
        isHTTPOnly: true, sameSite: .strict, expiresAt: end)
      try test.store.setCookie(old, keeping: [], by: test.actor)
      let new = try test.store.setCookie(plain, keeping: [.expires, .httpOnly], by: test.actor)
      #expect(new.expiresAt == (isKept ? end : nil) && new.isHTTPOnly == isKept)
    }
  }

  @Test("the audit log never holds a cookie's value")
  func secrecy() throws {
    let test = try TestStore()
    try test.store.setCookie(cookie("SECRET-VALUE"), keeping: [], by: test.actor)
    try test.store.setCookie(cookie("SECRET-OTHER"), keeping: [], by: test.actor)
    try test.store.removeCookie(cookie(""), by: test.actor)
    let rows = try test.auditTexts()
    #expect(rows.contains { $0.contains("cashback.example") })
    #expect(!rows.contains { $0.contains("SECRET") })
    #expect(rows.suffix(3).map { $0.contains(#""value":"changed""#) } == [false, true, false])
  }

  @Test("a cookie of a project that is not there is refused")
  func unknownProject() throws {
    let test = try TestStore()
    let id = try #require(ProjectID("67b6f2a9688f4a05db0a1d45"))
    #expect(
      try kind { try test.store.setCookie(cookie("ko", project: id), keeping: [], by: test.actor) }
        == .notFound)
  }
}
