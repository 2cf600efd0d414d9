import Glibc
import HTTPServer
import Testing

/// What is decided by the head, before a body is kept, and what all bodies together may take.
@Suite struct BodyMemoryTests {
  private static let limit = 64 << 10

  private let routes: [Route<TestContext>] = [
    Route(
      .post, "/", bodyLimit: limit,
      admission: { request, _ in
        request.header("Authorization") == nil ? text("who", status: 401) : nil
      },
      answer: { request, _ in
        guard request.header("Authorization") != nil else { return text("who", status: 401) }
        return text("\(request.body.count)", status: request.bodyTooLarge ? 413 : 200)
      }),
    Route(.get, "/") { _, _ in text("fine") },
    Route(.get, "/large") { _, _ in
      Response(status: 200, body: [UInt8](repeating: 97, count: 2_000_000))
    },
  ]

  private static func head(
    _ line: String = "POST / HTTP/1.1", key: Bool = true,
    _ fields: String = "Content-Length: \(limit)\r\n"
  ) -> String {
    "\(line)\r\nHost: a\r\n\(key ? "Authorization: x\r\n" : "")\(fields)\r\n"
  }

  private static let most = [UInt8](repeating: 97, count: limit - 1)

  @Test(
    "a refusal does not wait for the body",
    arguments: ["Content-Length: 65536\r\n", "Transfer-Encoding: chunked\r\n"])
  func refusesByTheHead(_ framing: String) throws {
    let bodies = BodyMemory(limit: 1 << 20)
    try withServer(routes, configure: { $0.bodyMemory = bodies }) { port in
      let client = try RawClient(port: port)
      client.send(Self.head(key: false, framing))
      let answer = try client.answer()
      #expect(answer.status == 401)
      #expect(answer.header("connection") == "close")
      #expect(client.isClosed())
      #expect(bodies.held == 0)
      // What comes all the same is thrown away, so that nobody's connection is reset.
      let isSent = client.send(Self.most)
      #expect(isSent)
    }
  }

  @Test("a refusal of a body that is there keeps the connection")
  func refusesWhatIsThere() throws {
    try withServer(routes) { port in
      let client = try RawClient(port: port)
      for _ in 0..<3 {
        client.send(Self.head(key: false, "Content-Length: 3\r\n") + "abc")
        #expect(try client.answer().status == 401)
      }
      client.send(Self.head("POST /nowhere HTTP/1.1", "Content-Length: 3\r\n") + "abc")
      #expect(try client.answer().status == 404)
      client.send(Self.head("POST / HTTP/1.1", "Content-Length: 3\r\n") + "abc")
      #expect(try client.answer().text == "3")
    }
  }

  @Test(
    "a route that reads no body answers at the head",
    arguments: [
      ("GET /", 200), ("GET /large", 200), ("HEAD /", 200), ("POST /nowhere", 404),
      ("DELETE /", 405),
    ])
  func answersAtTheHead(_ line: String, _ status: Int) throws {
    try withServer(routes) { port in
      for framing in [
        "Content-Length: 50\r\n", "Transfer-Encoding: chunked\r\n",
        "Expect: 100-continue\r\nContent-Length: 50\r\n",
      ] {
        let client = try RawClient(port: port)
        client.send(Self.head(line + " HTTP/1.1", framing))
        let answer = try client.answer(to: String(line.prefix { $0 != " " }))
        #expect(answer.status == status)
        #expect(answer.header("connection") == "close")
        // A body that looks like a request is none.
        client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(client.rest().isEmpty)
      }
    }
  }

  @Test("bodies that are still coming have a limit together, and give it back")
  func hasALimit() throws {
    let bodies = BodyMemory(limit: 4 * Self.limit)
    try withServer(
      routes,
      configure: {
        $0.bodyMemory = bodies
        $0.workers = 2
      }
    ) { port in
      for _ in 0..<2 {
        var clients: [RawClient] = []
        for _ in 0..<4 {
          let client = try RawClient(port: port)
          client.send(Array(Self.head().utf8) + Self.most)
          clients.append(client)
        }
        try waitUntil { bodies.held == 4 * Self.limit }
        let late = try RawClient(port: port)
        late.send(Self.head())
        #expect(try late.answer().status == 503)
        // In chunks it is refused where it grows over the limit.
        let chunked = try RawClient(port: port)
        chunked.send(Self.head("POST / HTTP/1.1", "Transfer-Encoding: chunked\r\n") + "1000\r\n")
        chunked.send([UInt8](repeating: 97, count: 0x1000))
        #expect(try chunked.answer().status == 503)
        // One that is there at once takes none.
        let short = try RawClient(port: port)
        short.send(Self.head("POST / HTTP/1.1", "Content-Length: 3\r\n") + "abc")
        #expect(try short.answer().text == "3")
        clients[0].send("a")
        #expect(try clients[0].answer().text == "\(Self.limit)")
        try waitUntil { bodies.held == 3 * Self.limit }
        clients = []
        // They hang up in the middle of their requests.
        try waitUntil { bodies.held == 0 }
      }
    }
  }

  @Test("a body that does not come in time gives its room back")
  func givesBackInTime() throws {
    let bodies = BodyMemory(limit: 1 << 20)
    try withServer(
      routes,
      configure: {
        $0.bodyMemory = bodies
        $0.requestTimeout = .milliseconds(100)
      }
    ) { port in
      let client = try RawClient(port: port)
      client.send(Self.head() + "abc")
      #expect(client.isClosed())
      try waitUntil { bodies.held == 0 }
    }
  }

  @Test("a body is not kept beyond its limit, nor what is known to be too large")
  func keepsNothingTooLarge() throws {
    let bodies = BodyMemory(limit: 1 << 20)
    try withServer(routes, configure: { $0.bodyMemory = bodies }) { port in
      let client = try RawClient(port: port)
      client.send(Self.head("POST / HTTP/1.1", "Transfer-Encoding: chunked\r\n") + "20000\r\n")
      client.send(Self.most)
      client.send([97, 97] + [UInt8](repeating: 97, count: 2048))
      let answer = try client.answer()
      #expect(answer.status == 413 && answer.text == "0")
      #expect(bodies.held == 0)
    }
  }

  private func waitUntil(_ holds: () -> Bool) throws {
    for _ in 0..<4000 where !holds() { usleep(5000) }
    try #require(holds())
  }
}
