import Domain
import HTTPServer
import Store
import Testing
import TestSupport

@Suite("Who may call") struct AccessTests {
  @Test("each state of a key has its code, and 401 says how to authenticate")
  func keys() throws {
    let api = try TestAPI()
    let good = api.key.secret.secret
    for (header, code) in [
      ("", "missing_api_key"), ("Basic \(good)", "missing_api_key"), (good, "missing_api_key"),
      ("Bearer", "missing_api_key"), ("Bearer ", "missing_api_key"), ("bearer", "missing_api_key"),
      ("Bearer \t ", "missing_api_key"), ("Bearer x", "malformed_api_key"),
      ("Bearer \(good.dropLast())", "malformed_api_key"),
      ("Bearer \(good) x", "malformed_api_key"),
      (
        "Bearer llk_abcDEF012345_003aUlTJC7tjlCTQj2uNU3MFagCXG9LRKRcwGkBIDlf1CWOy9",
        "invalid_api_key"
      ),
    ] {
      let answer = api.ask(.get, "/whoami", headers: [("Authorization", header)])
      #expect(answer.status == 401 && answer.code == code, "\(header)")
      #expect(answer.response.header("WWW-Authenticate") == "Bearer")
      #expect(answer.response.header("Cache-Control") == "no-store")
    }
    for header in ["bearer \(good)", "BEARER  \(good)"] {
      #expect(api.ask(.get, "/whoami", headers: [("Authorization", header)]).status == 200)
    }
  }

  @Test("a key works until the millisecond of its expiry, and not after its revocation")
  func expiryAndRevocation() throws {
    let api = try TestAPI()
    let short = try api.addKey([.catalog], expiresIn: 10)
    api.advance(milliseconds: 9_999)
    #expect(api.ask(.get, "/whoami", key: short).status == 200)
    api.advance(milliseconds: 1)
    #expect(api.ask(.get, "/whoami", key: short).code == "expired_api_key")
    #expect(api.launch().status == 200)
    _ = try api.store.revokeAPIKey(api.key.key.id, by: api.actor)
    #expect(api.launch().code == "revoked_api_key")
  }

  @Test("every route needs its scope")
  func scopes() throws {
    let api = try TestAPI()
    let project = api.project.id
    let keys: [(Scope, String)] = [
      (.launch, api.key.secret.secret), (.catalog, try api.addKey([.catalog])),
      (.support, try api.addKey([.support])), (.verify, try api.addKey([.verify], of: project)),
    ]
    let routes: [(Method, String, Set<Scope>)] = [
      (.post, "/launch", [.launch]), (.post, "/launch/batch", [.launch]),
      (.post, "/verify", [.verify]), (.get, "/whoami", Set(Scope.allCases)),
      (.get, "/businesses", [.launch, .catalog, .support]),
      (.get, "/businesses/x", [.launch, .catalog, .support]),
      (.get, "/categories", [.launch, .catalog, .support]),
      (.get, "/pages", [.launch, .catalog, .support]),
    ]
    for (method, path, allowed) in routes {
      for (scope, key) in keys {
        let answer = api.ask(method, path, key: key)
        #expect(
          (answer.code == "insufficient_scope") == !allowed.contains(scope), "\(path) \(scope)")
      }
    }
  }

  @Test("a disabled project is refused everywhere but where bundles are judged")
  func disabledProject() throws {
    let api = try TestAPI()
    let verify = try api.addKey([.verify], of: api.project.id)
    _ = try api.store.setProject(api.project.id, enabled: false, by: api.actor)
    for path in ["/whoami", "/businesses"] {
      #expect(api.ask(.get, path).code == "project_disabled")
    }
    #expect(api.launch().code == "project_disabled")
    #expect(api.ask(.post, "/verify", key: verify, body: "{}").status == 422)
  }

  @Test("x-moment-project-id has to be the key's project")
  func projectHeader() throws {
    let api = try TestAPI()
    let body = #"{"user_id":"u","platform":"IOS"}"#
    for (value, status) in [
      (api.project.id.description, 200), ("6540c6dfd94458b60d8e7aca", 403), ("x", 403),
    ] {
      let answer = api.ask(
        .post, "/launch", headers: [("x-moment-project-id", value)], body: body)
      #expect(answer.status == status)
      #expect(status == 200 || answer.code == "project_mismatch")
    }
  }

  @Test("checks come in the contract's order")
  func order() throws {
    let api = try TestAPI(rateLimit: 1)
    let bad = "{"
    #expect(api.ask(.post, "/nosuch", key: "x", body: bad).code == "not_found")
    #expect(api.ask(.put, "/launch", key: "x", body: bad).code == "method_not_allowed")
    #expect(api.ask(.post, "/launch", key: "x", body: bad).code == "malformed_api_key")
    let large = String(repeating: " ", count: 20_000)
    let text = [("Content-Type", "text/plain")]
    #expect(
      api.ask(.post, "/launch", headers: text, body: large).code == "unsupported_media_type")
    #expect(api.ask(.post, "/launch", body: large).code == "body_too_large")
    #expect(api.ask(.post, "/launch", headers: text, body: bad).code == "rate_limited")
    api.advance(milliseconds: 2000)
    #expect(api.launch(bad).code == "invalid_json")
    #expect(api.launch("{}").errors == ["/user_id missing_field", "/platform missing_field"])
  }
}
