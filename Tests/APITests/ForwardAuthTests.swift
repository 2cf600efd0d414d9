import Domain
import HTTPServer
import JSON
import Store
import Testing
import TestSupport

@testable import API

@Suite("Forward auth") struct ForwardAuthTests {
  /// A gateway's question about a launch.
  private struct Question {
    let api: TestAPI
    let key: String
    var headers: [(String, String)]

    init(_ api: TestAPI, launch: String = #"{"user_id":"u","platform":"IOS","page":"cs"}"#) throws {
      self.api = api
      key = try api.addKey([.verify])
      let launch = api.launch(launch).json
      headers = [
        ("X-Forwarded-Method", "GET"), ("X-Forwarded-Host", "cashback-ui.moment.fairytech.ai"),
        ("X-Forwarded-Uri", "/main?redirect_to=%2Fcs"),
      ]
      for member in try #require(launch["headers"]?.objectValue) {
        headers.append((member.name, try #require(member.value.stringValue)))
      }
    }

    func ask(_ method: HTTPServer.Method = .get, key other: String? = nil) -> Answer {
      api.ask(method, "/verify/forward-auth", key: other ?? key, headers: headers)
    }

    /// The status, and the code that refusals carry in the header and in the body alike.
    func outcome() -> String {
      let answer = ask()
      let code = answer.response.header("x-launch-code")
      #expect(answer.code == code)
      #expect(answer.response.header("Cache-Control") == "no-store")
      return code.map { "\(answer.status) \($0)" } ?? "\(answer.status)"
    }

    func with(_ name: String, _ values: String...) -> Question {
      var changed = self
      changed.headers.removeAll { $0.0 == name }
      changed.headers += values.map { (name, $0) }
      return changed
    }
  }

  @Test("204 carries the identity with the real key, and nothing of the launch's own")
  func passes() throws {
    let question = try Question(TestAPI())
    let answer = question.ask()
    #expect(answer.status == 204 && answer.response.body.isEmpty)
    #expect(answer.response.header("x-moment-web-api-key") == "wk_real")
    #expect(answer.response.header("x-moment-project-id") == "67b6f2a9688f4a05db0a1d45")
    #expect(answer.response.header("x-moment-user-id") == "u")
    #expect(answer.response.header("x-moment-platform") == "IOS")
    #expect(answer.response.header("RateLimit") == nil)
    #expect(answer.response.header("x-launch-code") == nil)
  }

  @Test(
    "an absent, repeated, joined or empty X-Forwarded header refuses the gateway",
    arguments: ["X-Forwarded-Method", "X-Forwarded-Host", "X-Forwarded-Uri"])
  func forwarded(name: String) throws {
    let question = try Question(TestAPI())
    let value = try #require(question.headers.first { $0.0 == name }?.1)
    #expect(question.with(name).outcome() == "403 invalid_request")
    #expect(question.with(name, value, value).outcome() == "403 invalid_request")
    #expect(question.with(name, "\(value), \(value)").outcome() == "403 invalid_request")
    #expect(question.with(name, "").outcome() == "403 invalid_request")
    var other = question
    other.headers.append((name.lowercased(), "x"))
    #expect(other.outcome() == "403 invalid_request", "a second in another case")
    #expect(question.with(name, value).outcome() == "204")
  }

  @Test("what is forwarded is judged to the letter")
  func target() throws {
    let question = try Question(TestAPI())
    for uri in ["/main", "/main?redirect_to=%2fcs", "/main?redirect_to=/cs", "//main", "/x"] {
      #expect(question.with("X-Forwarded-Uri", uri).outcome() == "401 signature_mismatch", "\(uri)")
    }
    for uri in ["main", "https://evil.example/main", "*"] {
      #expect(question.with("X-Forwarded-Uri", uri).outcome() == "403 invalid_request", "\(uri)")
    }
    for method in ["HEAD", "POST", "get"] {
      #expect(question.with("X-Forwarded-Method", method).outcome() == "401 signature_mismatch")
    }
    for host in ["evil.example", "cashback-ui.moment.fairytech.ai:444"] {
      #expect(question.with("X-Forwarded-Host", host).outcome() == "401 signature_mismatch")
    }
    for host in ["[::1]:8443", "az-AZ_09.example"] {
      #expect(question.with("X-Forwarded-Host", host).outcome() == "401 signature_mismatch")
    }
    // Each would let the client choose what follows the host.
    for end in ["/", "?", "#", "@", "\\", "%2f", " ", "`", "{", "^", ";", "é"] {
      let host = "cashback-ui.moment.fairytech.ai\(end)x"
      #expect(question.with("X-Forwarded-Host", host).outcome() == "403 invalid_request", "\(end)")
    }
    let same = question.with("X-Forwarded-Host", "Cashback-UI.moment.fairytech.ai:443")
    #expect(same.outcome() == "204")
  }

  @Test("a bad credential of the gateway is 403 with its code, never 401")
  func credential() throws {
    let api = try TestAPI()
    let question = try Question(api)
    for (key, code) in [
      ("llk_x", "malformed_api_key"), (api.key.secret.secret, "insufficient_scope"),
    ] {
      let answer = question.ask(key: key)
      #expect(answer.status == 403 && answer.response.header("x-launch-code") == code)
      #expect(answer.response.header("x-moment-web-api-key") == nil)
    }
    var without = question
    without.headers.append(("Authorization", ""))
    #expect(without.ask().status == 403)
  }

  @Test("a key of a project sees that one only, and a disabled project is refused to its own key")
  func scoped() throws {
    let api = try TestAPI()
    let question = try Question(api)
    let other = try api.store.createProject(
      ProjectDraft(
        id: #require(ProjectID("6540c6dfd94458b60d8e7aca")), name: "Other", keyDelivery: .gateway),
      webAPIKey: "wk_other", by: api.actor)
    let stranger = question.ask(key: try api.addKey([.verify], of: other.id))
    #expect(stranger.status == 401 && stranger.code == "signature_mismatch")
    let own = try api.addKey([.verify], of: api.project.id)
    #expect(question.ask(key: own).status == 204)
    _ = try api.store.setProject(api.project.id, enabled: false, by: api.actor)
    let disabled = question.ask(key: own)
    #expect(disabled.status == 401 && disabled.code == "project_disabled")
  }

  @Test("HEAD and other methods are 405 and use nothing up")
  func methods() throws {
    let api = try TestAPI()
    try api.letLaunchesInOnce()
    let question = try Question(api)
    for method in [HTTPServer.Method.head, .post] {
      let answer = question.ask(method)
      #expect(answer.status == 405 && answer.response.header("Allow") == "GET")
    }
    #expect(question.with("X-Forwarded-Uri", "/main").outcome() == "401 signature_mismatch")
    #expect(question.outcome() == "204")
    #expect(question.outcome() == "401 replayed")
    api.advance(milliseconds: 301_000)
    #expect(question.outcome() == "401 expired", "time is decided before replay")
  }

  @Test("a query of the gateway's own is refused: the client's stands in X-Forwarded-Uri")
  func query() throws {
    let question = try Question(TestAPI())
    let answer = question.api.ask(
      .get, "/verify/forward-auth?redirect_to=%2Fcs", key: question.key, headers: question.headers)
    #expect(answer.status == 403 && answer.code == "invalid_request")
  }

  @Test("it is not counted: a gateway asks as often as it must")
  func uncounted() throws {
    let question = try Question(TestAPI(rateLimit: 1))
    for _ in 0..<50 { #expect(question.outcome() == "204") }
  }

  @Test("a log-out cuts by the millisecond of the launch")
  func logOut() throws {
    let api = try TestAPI()
    let before = try Question(api)
    #expect(before.outcome() == "204")
    let answer = api.ask(.post, "/launch/revoke", body: #"{"user_id":"u"}"#)
    #expect(answer.status == 204 && answer.response.header("RateLimit") != nil)
    #expect(before.outcome() == "401 revoked")
    // The clock stands still here, and yet the next launch lies after the log-out.
    #expect(try Question(api).outcome() == "204")
    api.advance(milliseconds: -5_000)
    #expect(try Question(api).outcome() == "204", "nor does a clock set back change that")
    let later = try Question(api)
    _ = api.ask(.post, "/launch/revoke", body: #"{"user_id":"u"}"#)
    #expect(later.outcome() == "401 revoked")
    #expect(try Question(api).outcome() == "204")
  }
}
