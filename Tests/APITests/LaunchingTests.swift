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
    #expect(answer.response.header("Content-Type") == "application/json")
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

  @Test("a batch has 100 items at most, whatever the rate limit", arguments: [100, 101])
  func batchSize(count: Int) throws {
    let api = try TestAPI(rateLimit: 500)
    let items = Array(repeating: "{}", count: count).joined(separator: ",")
    let answer = api.ask(
      .post, "/launch/batch", body: #"{"user_id":"u","platform":"IOS","items":[\#(items)]}"#)
    #expect(answer.status == (count == 100 ? 200 : 422))
  }

  @Test("429 says how long the bucket takes to hold what was asked for")
  func retryAfter() throws {
    let api = try TestAPI(rateLimit: 1)
    let batch = #"{"user_id":"u","platform":"IOS","items":[{},{}]}"#
    for wait in ["1", "2"] {
      #expect(api.launch().status == 200)
      let refused = api.ask(.post, "/launch/batch", body: batch)
      #expect(refused.code == "rate_limited" && refused.response.header("Retry-After") == wait)
    }
    #expect(api.launch().response.header("Retry-After") == "1")
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

  @Test(
    "a body may be as large as promised and no larger",
    arguments: [
      ("/launch", 16 * 1024, 200), ("/launch/revoke", 16 * 1024, 204),
      ("/launch/batch", 256 * 1024, 200), ("/verify", 16 * 1024, 200),
    ])
  func bodySize(path: String, limit: Int, status: Int) throws {
    let api = try TestAPI()
    let body =
      switch path {
      case "/launch": #"{"user_id":"u","platform":"IOS"}"#
      case "/launch/revoke": #"{"user_id":"u"}"#
      case "/launch/batch": #"{"user_id":"u","platform":"IOS","items":[{}]}"#
      default: #"{"method":"GET","url":"https://a.example/","headers":{}}"#
      }
    let key = path == "/verify" ? try api.addKey([.verify]) : nil
    let padded = body + String(repeating: " ", count: limit - body.utf8.count)
    #expect(api.ask(.post, path, key: key, body: padded).status == status)
    #expect(api.ask(.post, path, key: key, body: padded + " ").code == "body_too_large")
  }

  @Test("a body has to be JSON by its type, whatever parameters and blanks that has")
  func mediaType() throws {
    let api = try TestAPI()
    let bodies = [
      "/launch": #"{"user_id":"u","platform":"IOS"}"#,
      "/launch/batch": #"{"user_id":"u","platform":"IOS","items":[{}]}"#,
    ]
    for (path, body) in bodies {
      for type in [
        "application/json", "Application/JSON; charset=utf-8", "application/json \t ;a=b",
      ] {
        let answer = api.ask(.post, path, headers: [("Content-Type", type)], body: body)
        #expect(answer.status == 200, "\(path) \(type)")
      }
      for type in ["text/json", "application/jsonx", "application/json x;a=b"] {
        let answer = api.ask(.post, path, headers: [("Content-Type", type)], body: body)
        #expect(answer.code == "unsupported_media_type", "\(path) \(type)")
      }
    }
  }

  @Test("every field is read, also where the body is not plain")
  func fieldsWithEscapes() throws {
    let api = try TestAPI()
    let category = api.launch(
      #"{"user_id":"u","platform":"IOS","\u0070age":"cs","category":"nosuch","business_id":"x"}"#)
    #expect(
      category.errors == ["/category conflicting_fields", "/business_id conflicting_fields"])
    let life = api.launch(#"{"user_id":"u","platform":"\u0049OS","ttl_seconds":60}"#)
    #expect(life.json["expires_in"]?.integerValue == 60)
    let path = api.launch(#"{"user_id":"u","platform":"\u0049OS","redirect_to":"/cs"}"#)
    #expect(path.json["redirect_to"] == "/cs")
  }

  @Test("one fault is told in words, several by their number")
  func detail() throws {
    let api = try TestAPI()
    let one = try #require(api.launch(#"{"platform":"IOS"}"#).json["detail"]?.stringValue)
    #expect(one.contains("user_id"))
    let two = try #require(api.launch("{}").json["detail"]?.stringValue)
    #expect(two.contains("2 faults"))
  }

  @Test("a business that is not there is told with those whose ids are near, if there are any")
  func suggestions() throws {
    let api = try TestAPI()
    try api.addBusinesses(["gmarket"])
    for (id, near) in [("gmarkat", ["gmarket"]), ("unlike", nil)] as [(String, JSON?)] {
      let body = #"{"user_id":"u","platform":"IOS","page":"program","business_id":"\#(id)"}"#
      #expect(api.launch(body).json["errors"]?.arrayValue?.first?["suggestions"] == near)
    }
  }

  @Test("seconds until the bucket is full are rounded up")
  func secondsToFull() throws {
    let api = try TestAPI(rateLimit: 2)
    #expect(api.launch().response.header("RateLimit") == #""launch";r=3;t=1"#)
    #expect(api.launch().response.header("RateLimit") == #""launch";r=2;t=1"#)
    #expect(api.launch().response.header("RateLimit") == #""launch";r=1;t=2"#)
    api.advance(milliseconds: 1)
    // A launch costs a token: 1.998 are left of 4 after it, and the next whole second is the second one.
    #expect(api.launch().response.header("RateLimit") == #""launch";r=0;t=2"#)
    let refused = api.launch()
    #expect(refused.status == 429 && refused.response.header("Retry-After") == "1")
  }
}
