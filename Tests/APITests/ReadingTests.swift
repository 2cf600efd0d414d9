import API
import Differences
import Domain
import Encoding
import Foundation
import HTTPServer
import JSON
import Store
import StoreFixtures
import Testing
import TestSupport

@Suite("Reading and verifying") struct ReadingTests {
  @Test("the list is followed by Link or cursor to its end")
  func paging() throws {
    let api = try TestAPI()
    try api.addBusinesses((10..<35).map { "b\($0)" })
    var target = "/businesses?category=mall&limit=10"
    var found: [String] = []
    for _ in 0..<3 {
      let answer = api.ask(.get, target)
      #expect(answer.json["total"]?.integerValue == 25)
      found += (answer.json["items"]?.arrayValue ?? []).compactMap {
        $0["business_id"]?.stringValue
      }
      guard let link = answer.response.header("Link") else { break }
      target = String(try #require(link.firstMatch(of: /<(.+)>; rel="next"/)?.1))
      let cursor = try #require(answer.json["next_cursor"]?.stringValue)
      #expect(target == "/businesses?category=mall&limit=10&cursor=\(cursor)")
    }
    #expect(found == (10..<35).map { "b\($0)" })
  }

  @Test("a search says how each matched, and its pages follow each other with the query")
  func searching() throws {
    let api = try TestAPI()
    try api.addBusinesses((10..<35).map { "b_\($0)" })
    let query = " ㅇㄹb_".percentEncoded
    var target = "/businesses?query=\(query)&active=true&limit=10"
    var found: [String] = []
    var pages = 0
    while true {
      let answer = api.ask(.get, target)
      #expect(answer.json["total"]?.integerValue == 25)
      for item in answer.json["items"]?.arrayValue ?? [] {
        #expect(item["match"] == "initials")
        found.append(try #require(item["business_id"]?.stringValue))
      }
      pages += 1
      guard let link = answer.response.header("Link") else { break }
      target = String(try #require(link.firstMatch(of: /<(.+)>; rel="next"/)?.1))
      let cursor = try #require(answer.json["next_cursor"]?.stringValue)
      #expect(target == "/businesses?query=\(query)&active=true&limit=10&cursor=\(cursor)")
      // Without its query the cursor belongs to nothing.
      #expect(api.ask(.get, "/businesses?cursor=\(cursor)").code == "invalid_request")
    }
    #expect(pages == 3 && found == (10..<35).map { "b_\($0)" })
  }

  @Test("a list has no match; its cursor is none of a search")
  func listing() throws {
    let api = try TestAPI()
    try api.addBusinesses(["a", "b"])
    for query in ["", "query=&", "query=%20%E3%80%80&"] {
      let answer = api.ask(.get, "/businesses?\(query)limit=1")
      #expect(answer.json["total"]?.integerValue == 2)
      #expect(answer.json["items"]?.arrayValue?.first?["match"] == nil)
      let cursor = try #require(answer.json["next_cursor"]?.stringValue)
      #expect(api.ask(.get, "/businesses?\(query)cursor=\(cursor)").status == 200)
      #expect(api.ask(.get, "/businesses?query=a&cursor=\(cursor)").code == "invalid_request")
    }
    #expect(api.ask(.get, "/businesses/a").json["match"] == nil)
  }

  @Test("a query may have 2,048 characters, however many bytes they are")
  func queryLength() throws {
    let api = try TestAPI()
    let ask = { (length: Int) in
      api.ask(.get, "/businesses?query=" + String(repeating: "쿠", count: length).percentEncoded)
    }
    #expect(ask(2048).json["total"]?.integerValue == 0)
    #expect(ask(2049).code == "invalid_request")
  }

  @Test(
    "a query that cannot be is refused",
    arguments: [
      "limit=0", "limit=201", "limit=%2B5", "limit=05", "limit=x", "limit=1&limit=1", "active=yes",
      "category=nosuch",
      "cursor=x",
      "limit=&limit=1", "x=", "x=1", "category=%zz", "category=%ff",
    ])
  func queries(query: String) throws {
    let answer = try TestAPI().ask(.get, "/businesses?\(query)")
    #expect(answer.status == 400 && answer.code == "invalid_request")
  }

  @Test("a web view is told what it has to be able to do")
  func webViewSettings() throws {
    let settings = try TestAPI().ask(.get, "/webview-settings").json
    for name in ["javascript", "dom_storage", "popups"] {
      #expect(settings[name] == true, "\(name)")
    }
  }

  @Test("a parameter without a value is the same as absent")
  func emptyParameters() throws {
    let api = try TestAPI()
    try api.addBusinesses(["a", "b"])
    let whole = api.ask(.get, "/businesses").response.body
    for query in ["limit=", "cursor", "active=&category=&query=", "limit=&cursor=&query="] {
      let found = api.ask(.get, "/businesses?\(query)").response.body
      #expect(firstDifference(found, whole) == nil, "\(query)")
    }
    let version = api.ask(.get, "/web-version").json
    for query in ["", "current=", "current", "&current=&"] {
      #expect(api.ask(.get, "/web-version?\(query)").json == version, "\(query)")
    }
    #expect(version["current"]?.isNull == true)
    #expect(api.ask(.get, "/web-version?current=&current=").code == "invalid_request")
    #expect(api.ask(.get, "/web-version?current=%20").code == "invalid_request")
  }

  @Test("ETag and If-None-Match")
  func tags() throws {
    let api = try TestAPI()
    try api.addBusinesses(["a"])
    for path in ["/businesses", "/businesses/a", "/categories", "/pages"] {
      let tag = try #require(api.ask(.get, path).response.header("ETag"))
      for header in [tag, "W/\(tag)", "\"x\", \(tag)", "*"] {
        let answer = api.ask(.get, path, headers: [("If-None-Match", header)])
        #expect(answer.status == 304)
        #expect(answer.response.header("ETag") == tag)
      }
      #expect(api.ask(.get, path, headers: [("If-None-Match", "\"x\"")]).status == 200)
    }
    let before = api.ask(.get, "/businesses").response.header("ETag")
    try api.addBusinesses(["b"])
    #expect(api.ask(.get, "/businesses").response.header("ETag") != before)
  }

  @Test("a bundle of the API is valid to it; a key of another project does not see it")
  func verifying() throws {
    let api = try TestAPI()
    let launch = api.launch(#"{"user_id":"u","platform":"IOS","redirect_to":"/cs"}"#).json
    let body = String(
      decoding: ([
        "method": "GET", "url": launch["url"] ?? .null, "headers": launch["headers"] ?? .null,
      ]
        as JSON).encoded(), as: UTF8.self)
    let other = try api.store.createProject(
      ProjectDraft(
        id: #require(ProjectID("6540c6dfd94458b60d8e7aca")), name: "Other", keyDelivery: .gateway),
      webAPIKey: "wk", by: api.actor)
    let ask: (String) -> JSON = { api.ask(.post, "/verify", key: $0, body: body).json }
    for key in [try api.addKey([.verify]), try api.addKey([.verify], of: api.project.id)] {
      let verdict = ask(key)
      #expect(verdict["valid"] == true && verdict["launch_id"] == launch["launch_id"])
      #expect(verdict["expires_at"] == launch["expires_at"])
    }
    #expect(ask(try api.addKey([.verify], of: other.id))["code"] == "signature_mismatch")
    _ = try api.store.setProject(api.project.id, enabled: false, by: api.actor)
    #expect(ask(try api.addKey([.verify]))["code"] == "project_disabled")
  }

  @Test("faults of a request to verify")
  func verifyFaults() throws {
    let api = try TestAPI()
    let key = try api.addKey([.verify])
    let errors: (String) -> [String] = { api.ask(.post, "/verify", key: key, body: $0).errors }
    #expect(
      errors("{}") == ["/method missing_field", "/url missing_field", "/headers missing_field"])
    #expect(
      errors(#"{"x":1,"headers":{"a":1},"url":"/main","method":""}"#) == [
        "/method invalid_field", "/url invalid_field", "/headers invalid_field", "/x unknown_field",
      ])
  }

  @Test("every problem code explains itself")
  func problems() throws {
    let api = try TestAPI()
    for code in ProblemCode.allCases {
      let answer = api.ask(.get, "/problems/\(code.rawValue)", key: "none needed")
      #expect(answer.status == 200 && answer.code == code.rawValue)
      #expect(answer.json["remedy"]?.stringValue?.hasSuffix(".") == true)
    }
    #expect(api.ask(.get, "/problems/nosuch").code == "not_found")
  }

  @Test("readiness follows the database and the shutdown, and recovers without a restart")
  func readiness() throws {
    let api = try TestAPI()
    #expect(api.askOperations("/readyz").status == 200)
    #expect(api.askOperations("/healthz").status == 200)
    let fresh = try TestAPI()
    let (path, aside) = (fresh.directory + "/launchlink.db", fresh.directory + "/aside.db")
    try FileManager.default.moveItem(atPath: path, toPath: aside)
    #expect(fresh.askOperations("/readyz").code == "unavailable")
    #expect(fresh.reports.count == 1)
    try FileManager.default.moveItem(atPath: aside, toPath: path)
    #expect(fresh.askOperations("/readyz").status == 200)
    api.service.beginShutdown()
    #expect(api.askOperations("/readyz").status == 503)
    #expect(api.askOperations("/healthz").status == 200)
  }

  @Test("the description that is served is the project's openapi.yaml")
  func description() throws {
    let served = try TestAPI().ask(.get, "/openapi.yaml", key: "none needed")
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    #expect(
      try Data(served.response.body) == Data(contentsOf: root.appending(path: "openapi.yaml")))
  }

  @Test(
    "what takes no query refuses one",
    arguments: [
      "/whoami", "/categories", "/pages", "/businesses/b", "/openapi.yaml",
      "/problems/unknown_business", "/webview-settings",
    ])
  func noQuery(path: String) throws {
    let api = try TestAPI()
    try api.addBusinesses(["b"])
    #expect(api.ask(.get, path).status == 200)
    #expect(api.ask(.get, path + "?x=1").code == "invalid_request")
  }

  @Test("a cursor leads to its place, whatever the length of the name that it holds")
  func cursors() throws {
    for length in 1...6 {
      let position = BusinessPosition(name: String(repeating: "a", count: length), id: "b")
      let text = Cursor.text(position)
      #expect(Cursor.position(text) == position)
      #expect(!text.contains("=") && !text.contains("+") && !text.contains("/"))
    }
    for text in ["", "x", "!!!!", "bnVsbA", "W10"] { #expect(Cursor.position(text) == nil) }
  }

  @Test("a verification uses a launch up only where it is told to")
  func consume() throws {
    let api = try TestAPI()
    try api.letLaunchesInOnce()
    let launch = api.launch().json
    let key = try api.addKey([.verify])
    let verify = { (more: String) in
      let headers = String(decoding: (launch["headers"] ?? .null).encoded(), as: UTF8.self)
      let url = launch["url"]?.stringValue ?? ""
      return api.ask(
        .post, "/verify", key: key,
        body: #"{"method":"GET","url":"\#(url)","headers":\#(headers)\#(more)}"#
      ).json["valid"]
    }
    #expect(verify("") == true)
    #expect(verify(#","consume":false"#) == true)
    #expect(verify(#","consume":true"#) == true)
    #expect(verify("") == false)
  }
}
