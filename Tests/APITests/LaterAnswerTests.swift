import Domain
import HTTPServer
import JSON
import Store
import Testing
import TestSupport

/// Which answers wait for the disk or for long work, and so leave the event loop.
@Suite("Answers that come later") struct LaterAnswerTests {
  private let body = #"{"user_id":"u","platform":"IOS","page":"cs"}"#

  @Test("launches and what is read are answered at once")
  func atOnce() throws {
    let api = try TestAPI()
    try api.addBusinesses(["b1"])
    let key = try api.addKey([.catalog])
    #expect(!api.promises(.post, "/launch", body: body))
    #expect(
      !api.promises(.post, "/launch/batch", body: #"{"user_id":"u","platform":"IOS","items":[{}]}"#)
    )
    for target in [
      "/whoami", "/businesses", "/businesses/b1", "/categories", "/pages", "/openapi.yaml",
    ] {
      #expect(!api.promises(.get, target, key: key), "\(target)")
    }
  }

  @Test("a log-out waits for the disk, and a refused one does not")
  func logOut() throws {
    let api = try TestAPI()
    #expect(api.promises(.post, "/launch/revoke", body: #"{"user_id":"u"}"#))
    #expect(!api.promises(.post, "/launch/revoke", body: #"{"user_id":""}"#))
    #expect(!api.promises(.post, "/launch/revoke", key: "llk_wrong", body: #"{"user_id":"u"}"#))
  }

  @Test("of verifications only a single use waits for the disk", arguments: ReplayPolicy.allCases)
  func verification(policy: ReplayPolicy) throws {
    let api = try TestAPI()
    if policy == .once { try api.letLaunchesInOnce() }
    let key = try api.addKey([.verify])
    let launch = api.launch(body).json
    var forwarded = [
      ("X-Forwarded-Method", "GET"), ("X-Forwarded-Host", "cashback-ui.moment.fairytech.ai"),
      ("X-Forwarded-Uri", "/main?redirect_to=%2Fcs"),
    ]
    for member in try #require(launch["headers"]?.objectValue) {
      forwarded.append((member.name, try #require(member.value.stringValue)))
    }
    let headers = String(decoding: try #require(launch["headers"]).encoded(), as: UTF8.self)
    let url = try #require(launch["url"]?.stringValue)
    let asked = #"{"method":"GET","url":"\#(url)","headers":\#(headers)"#
    #expect(!api.promises(.post, "/verify", key: key, body: asked + "}"))
    #expect(
      api.promises(.post, "/verify", key: key, body: asked + #","consume":true}"#)
        == (policy == .once))
    #expect(
      api.promises(.get, "/verify/forward-auth", key: key, headers: forwarded)
        == (policy == .once))
    forwarded[2].1 = "/main?redirect_to=%2Fother"
    #expect(!api.promises(.get, "/verify/forward-auth", key: key, headers: forwarded))
  }

  @Test(
    "a search waits beside the loop while its index is not there, and each change of the catalogue takes it away"
  )
  func search() throws {
    let api = try TestAPI()
    try api.addBusinesses(["b1"])
    let key = try api.addKey([.catalog])
    let target = "/businesses?query=b1"
    #expect(api.promises(.get, target, key: key))
    #expect(api.ask(.get, target, key: key).json["total"]?.integerValue == 1)
    #expect(!api.promises(.get, target, key: key))
    try api.addBusinesses(["b12"])
    #expect(api.ask(.get, target, key: key).json["total"]?.integerValue == 2)
    #expect(!api.promises(.get, target, key: key))
  }
}
