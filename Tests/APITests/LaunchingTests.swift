import Domain
import HTTPServer
import JSON
import Store
import StoreFixtures
import Testing
import TestSupport

@testable import API

@Suite("Launching") struct LaunchingTests {
  @Test("a launch is never kept by a cache, and says what is left of the rate limit")
  func headers() throws {
    let api = try TestAPI(rateLimit: 5)
    let answer = api.launch()
    #expect(answer.status == 200 && answer.response.header("Cache-Control") == "no-store")
    #expect(answer.response.header("RateLimit-Policy") == #""launch";q=10;w=2"#)
    #expect(answer.response.header("RateLimit") == #""launch";r=9;t=1"#)
    #expect(api.launch("{").response.header("RateLimit") == #""launch";r=8;t=1"#)
    #expect(api.ask(.get, "/whoami").response.header("RateLimit") == nil)
    #expect(api.ask(.get, "/whoami").json["rate_limit"]?["remaining"]?.integerValue == 8)
  }

  @Test(
    "the bucket holds twice the rate, refills by the millisecond, and 429 says how long to wait")
  func rateLimit() throws {
    let api = try TestAPI(rateLimit: 10)
    for _ in 0..<20 { #expect(api.launch().status == 200) }
    let refused = api.launch()
    #expect(refused.code == "rate_limited" && refused.response.header("Retry-After") == "1")
    api.advance(milliseconds: 99)
    #expect(api.launch().status == 429)
    api.advance(milliseconds: 1)
    #expect(api.launch().status == 200)
    #expect(api.launch().status == 429)
    api.advance(milliseconds: -50_000)
    #expect(api.launch().status == 429, "a clock set back gives nothing")
    api.advance(milliseconds: 100_000)
    #expect(api.ask(.get, "/whoami").json["rate_limit"]?["remaining"]?.integerValue == 20)
  }

  @Test("fields of another type, unknown fields and null")
  func fields() throws {
    let api = try TestAPI()
    let all = #"{"ttl_seconds":"x","colour":1,"platform":7,"user_id":null,"a/b~c":1,"page":[]}"#
    #expect(
      api.launch(all).errors == [
        "/user_id missing_field", "/platform invalid_field", "/page invalid_field",
        "/ttl_seconds invalid_field", "/colour unknown_field", "/a~1b~0c unknown_field",
      ])
    #expect(api.launch("[]").errors == [" invalid_field"])
    #expect(api.ask(.post, "/launch?page=cs", body: "{}").code == "invalid_request")
    let nulls =
      #"{"user_id":"u","platform":"IOS","page":null,"redirect_to":null,"ttl_seconds":6e1}"#
    #expect(api.launch(nulls).json["expires_in"]?.integerValue == 60)
    #expect(api.launch(#"{"user_id":"u","platform":"IOS","ttl_seconds":60.5}"#).status == 422)
  }

  @Test(
    "invalid JSON is told with line and column",
    arguments: [
      "{\n \"user_id\": \"u\",}", "{\"a\":1,\"a\":2}", "{} x", "", "\u{FEFF}{}",
    ])
  func invalidJSON(body: String) throws {
    let answer = try TestAPI().launch(body)
    #expect(answer.code == "invalid_json")
    #expect(answer.json["detail"]?.stringValue?.contains(/line \d+, column \d+/) == true)
  }

  @Test("a batch answers each item in its order and charges each")
  func batch() throws {
    let api = try TestAPI(rateLimit: 5)
    let answer = api.ask(
      .post, "/launch/batch",
      body: """
        {"user_id":"u","platform":"IOS","items":[{"page":"cs"},{"redirect_to":"%2Fcs"},7,
        {"user_id":"v"},{}]}
        """)
    let items = try #require(answer.json["items"]?.arrayValue)
    #expect(
      items.map { $0["code"]?.stringValue ?? "launch" } == [
        "launch", "redirect_already_encoded", "invalid_field", "unknown_field", "launch",
      ])
    #expect(
      items[1]["errors"]?.arrayValue?.first?["pointer"]?.stringValue == "/items/1/redirect_to")
    #expect(items[2]["errors"]?.arrayValue?.first?["pointer"]?.stringValue == "/items/2")
    #expect(answer.response.header("RateLimit") == #""launch";r=5;t=1"#)
  }

  @Test("a batch over what is left is refused whole and costs nothing; one that never fits is 422")
  func batchLimits() throws {
    let api = try TestAPI(rateLimit: 2)
    let batch: (Int) -> Answer = { count in
      let items = Array(repeating: "{}", count: count).joined(separator: ",")
      return api.ask(
        .post, "/launch/batch", body: #"{"user_id":"u","platform":"IOS","items":[\#(items)]}"#)
    }
    #expect(batch(3).status == 200)
    let refused = batch(2)
    #expect(refused.code == "rate_limited")
    #expect(refused.response.header("RateLimit") == #""launch";r=1;t=2"#)
    #expect(batch(1).status == 200)
    api.advance(milliseconds: 2000)
    #expect(batch(5).errors == ["/items invalid_field"])
    #expect(batch(0).errors == ["/items invalid_field"])
  }

  @Test("faults of a batch's own fields refuse it whole, in order")
  func batchFaults() throws {
    let api = try TestAPI()
    let answer = api.ask(.post, "/launch/batch", body: #"{"x":1,"items":7,"platform":"ios"}"#)
    #expect(
      answer.errors == [
        "/user_id missing_field", "/platform invalid_field", "/items invalid_field",
        "/x unknown_field",
      ])
  }

  @Test("without an active signing key a launch is unavailable, and the operator is told why")
  func noSigningKey() throws {
    let api = try TestAPI(upstream: "nosuch")
    let answer = api.launch()
    #expect(answer.status == 503 && answer.code == "unavailable")
    #expect(answer.response.header("Retry-After") == "1")
    #expect(answer.json["detail"]?.stringValue?.contains("nosuch") == false)
    #expect(api.reports.contains { $0.contains("nosuch") })
  }
}
