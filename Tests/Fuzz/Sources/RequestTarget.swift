import Domain
import HTTPServer

/// A request for any route: it is answered without a fault of the server's own and without a secret.
///
/// The first byte chooses the API key, the first line is the method and the target, the lines up to
/// an empty one are headers, the rest is the body.
struct RequestTarget: FuzzTarget {
  private let api: TestAPI

  init() throws { api = try TestAPI() }

  func run(_ input: [UInt8]) throws {
    guard let first = input.first else { return }
    let keys: [String?] = [nil, api.launchKey] + api.otherKeys
    let text = input.dropFirst().text
    let head = text.firstRange(of: "\n\n").map { text[..<$0.lowerBound] } ?? text[...]
    let body = Array(text.utf8.dropFirst(head.utf8.count + 2))
    var lines = head.split(separator: "\n").map(String.init)
    guard !lines.isEmpty else { return }
    let start = lines.removeFirst()
    let isPost = start.hasPrefix("POST ")
    let target = String(start.drop { $0 != "/" })
    // Its answer waits until the clock has passed it, and this clock stands.
    guard target.utf8.first == UInt8(ascii: "/"), !target.hasPrefix("/launch/revoke") else {
      return
    }
    let headers = lines.map { line in
      let name = line.prefix { $0 != ":" }
      return (name: String(name), value: String(line.dropFirst(name.count + 1)))
    }
    let key = keys[Int(first) % keys.count]
    let answer = api.ask(isPost ? .post : .get, target, key: key, headers: headers, body: body)
    let shown = answer.headers.map(\.value).joined(separator: "\n") + answer.body.text
    require(!shown.contains(Fixtures.webAPIKey), "the Web API Key is shown")
    for secret in [api.launchKey] + api.otherKeys where !input.text.contains(secret) {
      require(!shown.contains(secret), "an API key is shown")
    }
    if key == nil, !input.text.contains("llk_"), !input.text.contains("launch_id") {
      require(!shown.contains("\"launch_id\":"), "a launch without a key")
    }
  }
}
