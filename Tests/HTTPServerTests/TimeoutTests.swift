import Glibc
import HTTPServer
import Testing

/// Each of these would run into the client's patience of 20 seconds without the time-out.
@Suite struct TimeoutTests {
  private let routes: [Route<TestContext>] = [
    Route(.get, "/") { _, _ in text("fine") },
    Route(.get, "/large") { _, _ in
      Response(status: 200, body: [UInt8](repeating: 0x61, count: 50_000_000))
    },
    Route(.post, "/", bodyLimit: 1000) { _, _ in text("got it") },
  ]

  private func withShortTimeouts(
    idle: Duration = .milliseconds(200), request: Duration = .milliseconds(200),
    _ use: (RawClient) throws -> Void
  ) throws {
    try withServer(
      routes,
      configure: {
        $0.idleTimeout = idle
        $0.requestTimeout = request
      }, { try use(try RawClient(port: $0)) })
  }

  @Test func endsAConnectionThatSendsNothing() throws {
    try withShortTimeouts(request: .seconds(60)) { client throws in
      #expect(client.isClosed())
    }
  }

  @Test func endsAConnectionThatIsIdleAfterARequest() throws {
    try withShortTimeouts(idle: .seconds(4), request: .seconds(60)) { client throws in
      client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(try client.answer().status == 200)
      #expect(client.isClosed())
    }
  }

  /// Sends one byte after the other until the server has had enough.
  private func drip(_ client: RawClient) {
    for _ in 0..<1000 {
      client.send([0x61])
      usleep(20_000)
      if client.hasEnded() { return }
    }
    Issue.record("The server let the client drip for 20 seconds.")
  }

  @Test func endsARequestLineThatDrips() throws {
    try withShortTimeouts(request: .seconds(60)) { client throws in
      client.send("GET /")
      drip(client)
    }
  }

  @Test func endsAHeadThatDrips() throws {
    try withShortTimeouts(idle: .seconds(60)) { client throws in
      client.send("GET / HTTP/1.1\r\nHost: a\r\nX: ")
      drip(client)
    }
  }

  @Test func endsABodyThatDrips() throws {
    try withShortTimeouts(idle: .seconds(60)) { client throws in
      client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n")
      drip(client)
    }
  }

  @Test func endsAnAnswerThatIsNotRead() throws {
    try withServer(
      routes,
      configure: {
        $0.requestTimeout = .seconds(2)
        $0.connectionLimit = 1
      }
    ) { port in
      let slow = try RawClient(port: port)
      slow.send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(slow.hasAnswer(within: 20_000))
      // The other client is served only when the first has lost its place.
      let other = try RawClient(port: port)
      other.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(try other.answer().text == "fine")
      // What was under way arrives, but not all of it.
      #expect(slow.rest().utf8.count < 50_000_000)
    }
  }

  @Test func aBusyConnectionOutlivesTheIdleTimeout() throws {
    try withShortTimeouts(idle: .seconds(4), request: .seconds(60)) { client throws in
      client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nab")
      sleep(6)
      client.send("c")
      #expect(try client.answer().text == "got it")
    }
  }
}
