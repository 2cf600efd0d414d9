import API
import Differences
import Domain
import Foundation
import HTTPServer
import Store
import Testing
import TestSupport

@testable import SupportPages

@Suite("Support pages") struct SupportPagesTests {
  private static let origin = "https://launch.example"
  private static let hour = Int64(3_600_000)

  private func api() throws -> TestAPI {
    let api = try TestAPI()
    api.service.publicURL = PublicURL(Self.origin)
    return api
  }

  private func post(
    _ api: TestAPI, _ path: String, _ body: String, origin: String? = SupportPagesTests.origin,
    cookie: String? = nil, type: String = "application/x-www-form-urlencoded"
  ) -> Answer {
    var headers = [("Authorization", ""), ("Content-Type", type)]
    if let origin { headers.append(("Origin", origin)) }
    if let cookie { headers.append(("Cookie", cookie)) }
    return api.ask(.post, path, headers: headers, body: body)
  }

  private func get(
    _ api: TestAPI, _ path: String, cookie: String? = nil, language: String = "en"
  ) -> Answer {
    let cookies = cookie.map { [("Cookie", $0)] } ?? []
    return api.ask(
      .get, path, headers: [("Authorization", ""), ("Accept-Language", language)] + cookies)
  }

  /// The cookie of a new session.
  private func signIn(_ api: TestAPI, _ key: String, cookie: String? = nil) throws -> String {
    let answer = post(api, "/support/sign-in", "api_key=\(key)", cookie: cookie)
    #expect(answer.status == 303 && answer.response.header("Location") == "/support")
    let set = try #require(answer.response.header("Set-Cookie"))
    return String(set.prefix { $0 != ";" })
  }

  @Test("every POST, the sign-in too, has to come from the URL")
  func origins() throws {
    let api = try api()
    let key = try api.addKey([.support])
    let cookie = try signIn(api, key)
    for origin in [
      nil, "null", "https://evil.example", "http://launch.example", "https://launch.example/",
      "https://launch.example:443", "https://LAUNCH.example", "https://launch.example.evil.example",
    ] {
      for path in ["/support/sign-in", "/support/sign-out", "/support/explain"] {
        let answer = post(api, path, "api_key=\(key)", origin: origin, cookie: cookie)
        #expect(answer.status == 403, "\(origin ?? "none") \(path)")
        #expect(answer.response.header("Set-Cookie") == nil)
        #expect(answer.text.contains("public_url") && answer.text.contains(Self.origin))
      }
    }
    let doubled = api.ask(
      .post, "/support/sign-out",
      headers: [("Origin", Self.origin), ("Origin", Self.origin), ("Cookie", cookie)])
    #expect(doubled.status == 403)
    #expect(get(api, "/support", cookie: cookie).status == 200)
    api.service.publicURL = nil
    let unset = post(api, "/support/sign-in", "api_key=\(key)")
    #expect(unset.status == 403 && unset.text.contains("public_url"))
  }

  @Test("a session lasts eight hours and ends with its key, at once")
  func lifetime() throws {
    let api = try api()
    let issued = try api.store.createAPIKey(
      APIKeyDraft(name: "desk", scopes: [.support], projectID: nil), by: api.actor)
    let cookie = try signIn(api, issued.secret.secret)
    #expect(excerpt(of: get(api, "/support", cookie: cookie).text, around: "desk") != nil)
    api.advance(milliseconds: 8 * Self.hour - 1)
    #expect(get(api, "/support", cookie: cookie).status == 200)
    api.advance(milliseconds: 1)
    let ended = get(api, "/support/businesses/x?a=b", cookie: cookie)
    #expect(ended.status == 303)
    #expect(
      ended.response.header("Location")
        == "/support/sign-in?ended&next=%2Fsupport%2Fbusinesses%2Fx%3Fa%3Db")
    #expect(ended.response.header("Set-Cookie")?.contains("Max-Age=0") == true)

    let again = try signIn(api, issued.secret.secret)
    #expect(get(api, "/support", cookie: again).status == 200)
    _ = try api.store.revokeAPIKey(issued.key.id, by: api.actor)
    #expect(get(api, "/support", cookie: again).status == 303)
  }

  @Test("each sign-in has an id of its own, and the browser's old one ends with it")
  func fixation() throws {
    let api = try api()
    let key = try api.addKey([.support])
    let planted = "__Host-launchlink=" + String(repeating: "ab", count: 32)
    let first = try signIn(api, key, cookie: planted)
    #expect(first != planted)
    #expect(get(api, "/support", cookie: planted).status == 303)
    let second = try signIn(api, key, cookie: first)
    #expect(second != first)
    #expect(get(api, "/support", cookie: first).status == 303)
    #expect(get(api, "/support", cookie: second).status == 200)
    let out = post(api, "/support/sign-out", "", cookie: second)
    #expect(out.status == 303 && out.response.header("Location") == "/support/sign-in?out")
    #expect(get(api, "/support", cookie: second).status == 303)
  }

  @Test("a key that does not sign in is told why, and is never shown")
  func refusals() throws {
    let api = try api()
    let revoked = try api.store.createAPIKey(
      APIKeyDraft(name: "", scopes: [.support], projectID: nil), by: api.actor)
    _ = try api.store.revokeAPIKey(revoked.key.id, by: api.actor)
    let expired = try api.addKey([.support], expiresIn: 1)
    api.advance(milliseconds: 1000)
    let unknown = "llk_abcDEF012345_003aUlTJC7tjlCTQj2uNU3MFagCXG9LRKRcwGkBIDlf1CWOy9"
    for (key, fault, words) in [
      ("", "missing", "Enter an API key"), ("%20", "missing", "Enter an API key"),
      ("llk_x", "mistyped", "mistyped or cut short"), (unknown, "unknown", "not known"),
      (revoked.secret.secret, "revoked", "revoked"), (expired, "expired", "expired"),
      (api.key.secret.secret, "scope", "lacks the scope support"),
    ] {
      let answer = post(api, "/support/sign-in", "api_key=\(key)&next=%2Fsupport%2Fexplain")
      #expect(answer.status == 303 && answer.response.header("Set-Cookie") == nil)
      let location = try #require(answer.response.header("Location"))
      #expect(location == "/support/sign-in?fault=\(fault)&next=%2Fsupport%2Fexplain")
      let page = get(api, location)
      #expect(
        page.status == 200 && page.text.contains(words) && page.text.contains("role=\"alert\""))
      #expect(excerpt(of: page.text, around: "value=\"/support/explain\"") != nil)
      #expect(excerpt(of: page.text, around: "llk_x") == nil)
    }
    #expect(api.reports.isEmpty)
  }

  @Test("forms are taken as browsers send them, and nothing of them from the address")
  func forms() throws {
    let api = try api()
    let key = try api.addKey([.support])
    #expect(post(api, "/support/sign-in", "api_key=\(key)", type: "application/json").status == 415)
    #expect(post(api, "/support/sign-in?api_key=\(key)", "").status == 400)
    for body in ["api_key=\(key)&api_key=\(key)", "api_key=\(key)&x=1", "api_key=%FF"] {
      #expect(post(api, "/support/sign-in", body).status == 400, "\(body)")
    }
    let long = String(repeating: "a", count: 5000)
    #expect(post(api, "/support/sign-in", "api_key=\(long)").status == 413)
    for path in [
      "/support?colour=red", "/support?category=nosuch", "/support?active=yes",
      "/support?cursor=x", "/support?query=%zz", "/support?query=a&query=b",
      "/support?query=\(String(repeating: "a", count: 2049))",
    ] {
      #expect(get(api, path, cookie: try signIn(api, key)).status == 400, "\(path.prefix(100))")
    }
  }

  @Test("problems are pages in the same look, and elsewhere problems stay JSON")
  func problems() throws {
    let api = try api()
    for (method, path, status) in [
      (HTTPServer.Method.get, "/support/nowhere", 404), (.get, "/support/assets/x.css", 404),
      (.delete, "/support", 405), (.get, "/support/sign-out", 405),
    ] {
      let answer = api.ask(method, path, headers: [("Accept-Language", "ko")])
      #expect(answer.status == status, "\(path)")
      #expect(answer.response.header("Content-Type") == "text/html; charset=utf-8")
      #expect(answer.text.contains("<html lang=\"ko\">") && answer.text.contains("\(status)"))
    }
    #expect(api.ask(.delete, "/support").response.header("Allow")?.contains("GET") == true)
    #expect(api.ask(.get, "/supporter").code == "not_found")
    #expect(api.ask(.get, "/nowhere").code == "not_found")
  }

  @Test("a database that cannot be read is a page that says to try again")
  func unavailable() throws {
    let api = try api()
    let cookie = try signIn(api, api.addKey([.support]))
    try FileManager.default.removeItem(atPath: api.directory + "/launchlink.db")
    api.changeWorker()
    let answer = get(api, "/support", cookie: cookie)
    #expect(answer.status == 503 && answer.response.header("Retry-After") != nil)
    #expect(excerpt(of: answer.text, around: "Not available right now") != nil)
    #expect(!answer.text.contains(api.directory) && !api.reports.isEmpty)
  }

  @Test("every page forbids what is not ours, and only the assets may be kept")
  func headers() throws {
    let api = try api()
    let cookie = try signIn(api, api.addKey([.support]))
    let asset = SupportAssets.style.path
    for path in ["/support", "/support/sign-in", "/support/explain", "/support/x", asset] {
      for cookie in [nil, cookie] {
        let response = get(api, path, cookie: cookie).response
        let policy = try #require(response.header("Content-Security-Policy"))
        for part in [
          "default-src 'none'", "form-action 'self'", "frame-ancestors 'none'", "base-uri 'none'",
        ] { #expect(policy.contains(part)) }
        #expect(!policy.contains("unsafe") && !policy.contains("http"))
        #expect(response.header("X-Content-Type-Options") == "nosniff")
        #expect(response.header("Referrer-Policy") == "same-origin")
        #expect(response.header("Cross-Origin-Opener-Policy") == "same-origin")
        #expect(
          response.header("Cache-Control")
            == (path == asset ? "public, max-age=31536000, immutable" : "no-store"))
      }
    }
  }
}

extension Answer {
  /// The body as text.
  var text: String { String(decoding: response.body, as: UTF8.self) }
}
