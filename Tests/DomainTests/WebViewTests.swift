import Domain
import DomainFixtures
import JSON
import Testing

@Suite("Web view") struct WebViewTests {
  @Test("the vectors' versions are compared part by part")
  func versions() throws {
    let vectors = try Vectors.load("web_versions")
    for vector in try vectors.list("cases") {
      let latest = try #require(WebVersion(try vector.text("latest")))
      let current = vector["current"]?.stringValue
      let known = try current.map { try #require(WebVersion($0)) }
      #expect(latest.clearsCache(of: known) == vector["clear_cache"]?.boolValue)
    }
    let refused = try vectors.list("refused")
    #expect(refused.count == 8)
    for text in refused { #expect(WebVersion(try #require(text.stringValue)) == nil) }
  }

  @Test(
    "a domain is a host name alone",
    arguments: [
      "https://cashback.example", "cashback.example:443", "cashback.example/", "", ".", "..a.b",
      "a",
      "-a.b", "a-.b", "a b.c", "뷰티.example", "a..b",
    ])
  func domains(domain: String) {
    #expect(throws: FieldFault.self) {
      try WebViewCookie(projectID: nil, name: "a", value: "b", domain: domain)
    }
  }

  @Test("what no browser would take is refused by the field's name")
  func cookies() throws {
    func field(_ make: () throws -> WebViewCookie) throws -> String {
      try #require(throws: FieldFault.self) { try make() }.field
    }
    let domain = "cashback.example"
    let make: (String, String, String) throws -> WebViewCookie = { name, value, path in
      try WebViewCookie(projectID: nil, name: name, value: value, domain: domain, path: path)
    }
    #expect(try field { try make("a;b", "c", "/") } == "name")
    #expect(try field { try make("", "c", "/") } == "name")
    #expect(try field { try make("a", "b\r\nSet-Cookie: x", "/") } == "value")
    #expect(try field { try make("a", "b;c", "/") } == "value")
    #expect(try field { try make("a", "b", "c") } == "path")
    let crossSite = try field {
      try WebViewCookie(
        projectID: nil, name: "a", value: "b", domain: domain, isSecure: false, sameSite: .none)
    }
    #expect(crossSite == "same_site")
    #expect(try field { try make("__Host-a", "b", "/") } == "name")
    #expect(
      try WebViewCookie(projectID: nil, name: "a", value: "b", domain: "A.Example").domain
        == "a.example")
    #expect(try make("a", "", "/x").domain == domain)
    #expect(try WebViewCookie(projectID: nil, name: "a", value: "b", domain: ".a.b").isSecure)
  }

  @Test("a project's own cookie takes the place of the one for all, and ended ones go")
  func precedence() throws {
    let (mine, other) = (ProjectID(projectID), ProjectID("6540c6dfd94458b60d8e7aca"))
    let make: (ProjectID?, String, Timestamp?) throws -> WebViewCookie = { project, value, end in
      try WebViewCookie(
        projectID: project, name: "lang", value: value, domain: "a.example", expiresAt: end)
    }
    let all = try [
      make(nil, "all", nil), make(other, "other", nil), make(mine, "mine", nil),
      WebViewCookie(projectID: nil, name: "b", value: "", domain: "a.example"),
      WebViewCookie(
        projectID: nil, name: "c", value: "", domain: "a.example", expiresAt: issueTime),
    ]
    let found = WebViewCookie.cookies(of: try #require(mine), among: all, at: issueTime)
    #expect(found.map(\.value) == ["mine", ""] && found.map(\.name) == ["lang", "b"])
  }
}
