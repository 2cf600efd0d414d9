import HTTPServer
import Testing

/// Where a request is tried.
enum Place: CaseIterable, Sendable {
  case routerAlone
  case liveSocket

  /// Sends a request to these routes.
  func exchange(
    _ method: Method, _ target: String, body: String = "", with routes: [Route<TestContext>]
  ) throws -> Answer {
    switch self {
    case .routerAlone:
      let router = Router(routes, reject: rejectText)
      let response = router.handler(makeContext: { TestContext() })
        .answer(Request(method, target, body: Array(body.utf8)))
      let headers = response.headers.map { (name: $0.name.lowercased(), value: $0.value) }
      return Answer(
        status: response.status, headers: headers, body: method == .head ? [] : response.body)
    case .liveSocket:
      return try withServer(routes) { port in
        let client = try RawClient(port: port)
        client.send(
          "\(method.name) \(target) HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
            + body)
        return try client.answer(to: "\(method.name)")
      }
    }
  }
}

@Suite struct RoutingTests {
  private let routes: [Route<TestContext>] = [
    Route(.get, "/") { _, _ in text("root") },
    Route(.get, "/items") { request, _ in text("list \(request.query ?? "-")") },
    Route(.post, "/items", bodyLimit: 5) { request, _ in
      text("\(String(decoding: request.body, as: UTF8.self)) \(request.bodyTooLarge)")
    },
    Route(.get, "/items/{id}") { request, _ in text("item \(request.parameter("id") ?? "-")") },
    Route(.get, "/items/special") { _, _ in text("special") },
    Route(.delete, "/items/{id}") { _, _ in Response(status: 204) },
    Route(.get, "/items/{id}/parts/{part}") { request, _ in
      text(
        "\(request.parameters) \(request.parameter("part") ?? "-") \(request.routePattern ?? "-")")
    },
    Route(.get, "/check", allowsHead: false) { _, _ in text("check") },
  ]

  @Test(arguments: Place.allCases) func findsLiteralPaths(place: Place) throws {
    #expect(try place.exchange(.get, "/", with: routes).text == "root")
    #expect(try place.exchange(.get, "/items", with: routes).text == "list -")
  }

  @Test(arguments: Place.allCases) func givesTheQueryAsSent(place: Place) throws {
    #expect(try place.exchange(.get, "/items?", with: routes).text == "list ")
    #expect(try place.exchange(.get, "/items?a=%20b+c&a?", with: routes).text == "list a=%20b+c&a?")
  }

  @Test(arguments: Place.allCases) func decodesParameters(place: Place) throws {
    #expect(try place.exchange(.get, "/items/7", with: routes).text == "item 7")
    #expect(
      try place.exchange(.get, "/items/a%2Fb%20%EB%B7%B0", with: routes).text == "item a/b 뷰")
    #expect(
      try place.exchange(.get, "/items/7/parts/8?q", with: routes).text
        == "[\"7\", \"8\"] 8 /items/{id}/parts/{part}")
  }

  @Test(arguments: Place.allCases) func prefersLiteralsToParameters(place: Place) throws {
    #expect(try place.exchange(.get, "/items/special", with: routes).text == "special")
    #expect(try place.exchange(.delete, "/items/special", with: routes).status == 204)
  }

  @Test(arguments: Place.allCases) func prefersTheMoreSpecificPattern(place: Place) throws {
    let routes: [Route<TestContext>] = [
      Route(.get, "/{x}/{y}") { _, _ in text("general") },
      Route(.get, "/{x}/b") { _, _ in text("specific") },
    ]
    #expect(try place.exchange(.get, "/a/b", with: routes).text == "specific")
    #expect(try place.exchange(.get, "/a/c", with: routes).text == "general")
  }

  @Test(
    arguments: Place.allCases,
    [
      "/nothing", "/items/", "/items/7/", "//items", "/items//parts/8", "/items/7/parts", "/Items",
      "/%69tems", "/items/%", "/items/%4", "/items/%zz", "/items/%ff", "/items/a%00b",
    ])
  func answersNotFound(place: Place, target: String) throws {
    let answer = try place.exchange(.get, target, with: routes)
    #expect(answer.status == 404)
    #expect(answer.text == "not found")
    #expect(answer.header("allow") == nil)
  }

  @Test(arguments: Place.allCases) func namesTheAllowedMethods(place: Place) throws {
    let expected: [(Method, String, String)] = [
      (.delete, "/items", "GET, HEAD, POST"), (.post, "/items/7", "GET, HEAD, DELETE"),
      (.put, "/items/special", "GET, HEAD, DELETE"), (.options, "/check", "GET"),
      (.head, "/check", "GET"),
    ]
    for (method, target, allow) in expected {
      let answer = try place.exchange(method, target, with: routes)
      #expect(answer.status == 405)
      #expect(answer.header("allow") == allow)
    }
  }

  @Test(arguments: Place.allCases) func answersHeadByTheGetRoute(place: Place) throws {
    let answer = try place.exchange(.head, "/items/special", with: routes)
    #expect(answer.status == 200)
    #expect(answer.header("content-type") == "text/plain")
    #expect(answer.body.isEmpty)
  }

  @Test(arguments: Place.allCases) func emptiesABodyOverTheLimit(place: Place) throws {
    #expect(try place.exchange(.post, "/items", body: "12345", with: routes).text == "12345 false")
    #expect(try place.exchange(.post, "/items", body: "123456", with: routes).text == " true")
    #expect(try place.exchange(.get, "/items", body: "1", with: routes).text == "list -")
  }

  @Test func headKeepsTheLengthAndTheConnection() throws {
    try withServer(routes) { port in
      let client = try RawClient(port: port)
      for _ in 0..<2 {
        client.send("HEAD /items/special HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try client.answer(to: "HEAD").header("content-length") == "7")
      }
    }
  }

  @Test func anUnknownMethodIsNotAllowed() throws {
    try withServer(routes) { port in
      for method in ["BREW", "get", "PUTS", "TRACE", "GETX", "PO"] {
        let client = try RawClient(port: port)
        client.send("\(method) /items HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try client.answer().status == 405)
      }
    }
  }

  @Test func anExplicitHeadRouteTakesPrecedence() throws {
    let routes: [Route<TestContext>] = [
      Route(.get, "/a") { _, _ in text("get") },
      Route(.head, "/a") { _, _ in text("", status: 204) },
    ]
    #expect(try Place.routerAlone.exchange(.head, "/a", with: routes).status == 204)
  }

  @Test func ofTwoRoutesForTheSameRequestsTheFirstAnswers() throws {
    let routes: [Route<TestContext>] = [
      Route(.get, "/{a}") { _, _ in text("first") }, Route(.get, "/{b}") { _, _ in text("second") },
    ]
    #expect(try Place.routerAlone.exchange(.get, "/x", with: routes).text == "first")
  }

  @Test(
    "a malformed pattern ends the program",
    arguments: ["", "a", "/a b", "/{}", "/{a", "/a}", "/{a}{b}", "/x{a}", "/{a}/{a}", "/ä", "/a?b"])
  func endsOnAMalformedPattern(pattern: String) async {
    await #expect(processExitsWith: .failure) { [pattern] in
      _ = Router([Route(.get, pattern) { _, _ in text("") }], reject: rejectText)
    }
  }
}
