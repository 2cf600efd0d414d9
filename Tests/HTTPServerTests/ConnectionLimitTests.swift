import HTTPServer
import Testing

@Suite struct ConnectionLimitTests {
  private let routes: [Route<TestContext>] = [
    Route(.get, "/") { _, _ in text("fine") },
    Route(.post, "/", bodyLimit: 100) { _, _ in text("got it") },
  ]

  private func get(_ client: RawClient) throws -> Int {
    client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    return try client.answer().status
  }

  @Test func aNewConnectionTakesThePlaceOfTheLongestIdle() throws {
    try withServer(routes, configure: { $0.connectionLimit = 3 }) { port in
      let first = try RawClient(port: port)
      #expect(try get(first) == 200)
      let busy = try RawClient(port: port)
      busy.send(
        "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n")
      #expect(try busy.answer().status == 100)
      busy.send("ab")
      let later = try (0..<10).map { _ in
        let client = try RawClient(port: port)
        #expect(try get(client) == 200)
        return client
      }
      #expect(first.isClosed())
      #expect(try get(try #require(later.last)) == 200)
      busy.send("c")
      #expect(try busy.answer().text == "got it")
    }
  }

  @Test func aNewConnectionWaitsWhileAllAreBusy() throws {
    try withServer(routes, configure: { $0.connectionLimit = 2 }) { port in
      let busy = try (0..<2).map { _ in
        let client = try RawClient(port: port)
        client.send(
          "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n")
        #expect(try client.answer().status == 100)
        return client
      }
      let waiting = try RawClient(port: port)
      waiting.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(!waiting.hasAnswer(within: 300))
      for client in busy {
        client.send("c")
        #expect(try client.answer().status == 200)
      }
      #expect(try waiting.answer().status == 200)
    }
  }

  @Test(
    "who has sent no whole head, or has an answer, keeps nobody out",
    arguments: [
      "GET /", "GET / HTTP/1.1\r\n", "GET / HTTP/1.1\r\nHost: a\r\n",
      "POST /nowhere HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 101\r\n\r\n",
    ])
  func theUnfinishedKeepNobodyOut(_ start: String) throws {
    try withServer(routes, configure: { $0.connectionLimit = 8 }) { port in
      let admitted = try RawClient(port: port)
      admitted.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nab")
      let unfinished = try (0..<20).map { _ in
        let client = try RawClient(port: port)
        client.send(start)
        return client
      }
      for _ in 0..<20 { #expect(try get(try RawClient(port: port)) == 200) }
      #expect(unfinished.count == 20)
      admitted.send("c")
      #expect(try admitted.answer().text == "got it")
    }
  }

  @Test func manyIdleConnectionsKeepNobodyOut() throws {
    try withServer(
      routes,
      configure: {
        $0.connectionLimit = 8
        $0.workers = 2
      }
    ) { port in
      let idle = try (0..<100).map { _ in try RawClient(port: port) }
      for _ in 0..<20 { #expect(try get(try RawClient(port: port)) == 200) }
      #expect(idle.count == 100)
    }
  }
}
