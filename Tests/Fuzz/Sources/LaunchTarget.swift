import Domain
import HTTPServer
import JSON

/// A JSON body: `/launch`, `/launch/batch` and `/verify` take it or say what is wrong, and what is
/// launched verifies.
struct LaunchTarget: FuzzTarget {
  private let api: TestAPI

  init() throws { api = try TestAPI() }

  func run(_ input: [UInt8]) throws {
    let launched = ask("/launch", key: api.launchKey, input)
    if launched.status == 200 { try check(api.json(launched), input) }
    let batch = ask("/launch/batch", key: api.launchKey, input)
    if batch.status == 200 {
      let items = need(try api.json(batch)["items"]?.arrayValue, "no items")
      for item in items where item["launch_id"] != nil { try check(item, input) }
    }
    let verdict = ask("/verify", key: api.verifyKey, input)
    if verdict.status == 200 {
      // No input holds the code of a launch that is issued only now.
      require(try api.json(verdict)["valid"] == false, "forged: \(input.text)")
    }
  }

  private func ask(_ path: String, key: String, _ body: [UInt8]) -> Response {
    let answer = api.ask(
      .post, path, key: key, headers: [("Content-Type", "application/json")], body: body)
    require([200, 400, 413, 422, 429].contains(answer.status), "\(answer.status) of \(path)")
    let shown = answer.body.text
    require(!shown.contains(Fixtures.webAPIKey), "the Web API Key is shown")
    require(!shown.contains(key), "the API key is shown")
    return answer
  }

  /// A launch is for whom it was asked, and verifies to the letter as it was given.
  private func check(_ launch: JSON, _ input: [UInt8]) throws {
    let asked = try JSON.parse(input)
    let body: JSON = [
      "method": launch["method"] ?? .null, "url": launch["url"] ?? .null,
      "headers": launch["headers"] ?? .null,
    ]
    let verdict = try api.json(ask("/verify", key: api.verifyKey, body.encoded()))
    require(verdict["valid"] == true, "a launch that does not verify: \(verdict)")
    require(verdict["user_id"] == asked["user_id"], "for another user: \(verdict)")
    require(verdict["platform"] == asked["platform"], "for another platform: \(verdict)")
    require(verdict["launch_id"] == launch["launch_id"], "another launch: \(verdict)")
  }
}
