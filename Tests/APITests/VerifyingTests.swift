import Domain
import HTTPServer
import JSON
import Store
import Testing
import TestSupport

@testable import API

@Suite("A verification in bytes") struct VerifyingTests {
  /// The body of `POST /verify` for a launch, plain or with an escape that only the general way decodes.
  private func body(_ launch: JSON, isPlain: Bool, more: String = "") throws -> String {
    let headers = String(decoding: try #require(launch["headers"]).encoded(), as: UTF8.self)
    let url = try #require(launch["url"]?.stringValue)
    let method = isPlain ? "GET" : #"\u0047ET"#
    return #"{"method":"\#(method)","url":"\#(url)","headers":\#(headers)\#(more)}"#
  }

  @Test("an answer is the same to the byte, however its body is read")
  func alike() throws {
    let api = try TestAPI()
    let key = try api.addKey([.verify])
    let launch = api.launch(#"{"user_id":"a\"b\\","platform":"ANDROID","page":"cs"}"#).json
    let other = api.launch(#"{"user_id":"u","platform":"IOS"}"#).json
    func expectSame(_ launch: JSON, more: String = "", _ code: String?) throws {
      let answers = try [true, false].map { isPlain in
        api.ask(
          .post, "/verify", key: key, body: try body(launch, isPlain: isPlain, more: more))
      }
      #expect(answers.allSatisfy { $0.status == 200 && $0.code == code })
      #expect(answers[0].response.body == answers[1].response.body)
      #expect(answers[0].response.header("Content-Type") == "application/json")
      #expect(answers[0].response.header("Cache-Control") == "no-store")
    }
    for launch in [launch, other] {
      try expectSame(launch, nil)
      try expectSame(launch, more: #","consume":true"#, nil)
    }
    api.advance(milliseconds: 1)
    _ = api.ask(.post, "/launch/revoke", body: #"{"user_id":"u"}"#)
    try expectSame(other, "revoked")
    _ = try api.store.setProject(api.project.id, enabled: false, by: api.actor)
    try expectSame(launch, "project_disabled")
    api.advance(milliseconds: 300_000)
    try expectSame(launch, "expired")
  }

  @Test("whoever consumes learns of an earlier use by the use, and others by looking it up")
  func uses() throws {
    let api = try TestAPI()
    try api.letLaunchesInOnce()
    let key = try api.addKey([.verify])
    for isPlain in [true, false] {
      let launch = api.launch(#"{"user_id":"u","platform":"IOS"}"#).json
      let ask: (String) throws -> String? = { more in
        let body = try body(launch, isPlain: isPlain, more: more)
        return api.ask(.post, "/verify", key: key, body: body).code
      }
      #expect(try ask("") == nil)
      #expect(try ask(#","consume":true"#) == nil)
      #expect(try ask(#","consume":true"#) == "replayed")
      #expect(try ask("") == "replayed")
    }
  }
}
