import Glibc
import HTTPServer
import Testing

/// Requests with bodies whose answers are promised.
@Suite struct PromiseBodyTests {
  private let desk = Desk()

  private static let chunked = "Transfer-Encoding: chunked\r\n"

  /// Whole bodies, however they come.
  @Test(arguments: [
    ("Content-Length: 5\r\n", ["abcde"]),
    ("Content-Length: 5\r\n", ["", "ab", "cde"]),
    ("Content-Length: 5\r\nExpect: 100-continue\r\n", ["", "abcde"]),
    (chunked, ["2\r\nab\r\n3\r\ncde\r\n0\r\n\r\n"]),
    (chunked, ["2\r\nab", "\r\n3\r\nc", "de\r\n0\r\nX: y\r\n", "\r\n"]),
  ])
  func bodiesAreThereUntilTheAnswer(_ fields: String, _ pieces: [String]) throws {
    let bodies = BodyMemory(limit: 1 << 20)
    try withServer(desk.routes(), configure: { $0.bodyMemory = bodies }) { port in
      let client = try RawClient(port: port)
      for _ in 0..<3 {
        client.ask("/later", method: "POST", fields, body: pieces[0])
        if fields.contains("Expect") { #expect(try client.answer().status == 100) }
        for piece in pieces.dropFirst() {
          usleep(20_000)
          client.send(piece)
        }
        let keep = try desk.take(1)
        #expect(bodies.held >= 5)
        // Bodies of others go through the loop's buffer meanwhile.
        let other = try RawClient(port: port)
        for _ in 0..<3 {
          other.ask("/", method: "POST", "Content-Length: 9\r\n", body: "123456789")
          #expect(try other.answer().text == "9")
        }
        keep[0]("kept")
        #expect(try client.answer().text == "kept a 5")
      }
      client.ask("/")
      #expect(try client.answer().text == "fine")
      #expect(bodies.held == 0)
    }
  }

  @Test func eachParkedRequestHasItsOwnBody() throws {
    let routes: [Route<TestContext>] = [
      .promising(.post, "/", bodyLimit: 10) { request, _ in
        .later(
          Promise(within: .seconds(60), begin: desk.add) { (_: String?) in
            text(String(decoding: request.body, as: UTF8.self))
          })
      }
    ]
    let bodies = BodyMemory(limit: 8)
    try withServer(routes, configure: { $0.bodyMemory = bodies }) { port in
      let clients = try (0..<5).map { number in
        let client = try RawClient(port: port)
        client.ask("/", method: "POST", "Content-Length: 2\r\n", body: "\(number)\(number)")
        return client
      }
      let keeps = try desk.take(5)
      // Two more than the limit: the work has begun, so others wait.
      #expect(bodies.held == 10)
      let refused = try RawClient(port: port)
      refused.ask("/", method: "POST", "Content-Length: 2\r\n")
      #expect(try refused.answer().status == 503)
      for keep in keeps { keep("kept") }
      for (number, client) in clients.enumerated() {
        #expect(try client.answer().text == "\(number)\(number)")
      }
      for _ in 0..<5000 where bodies.held != 0 { usleep(1000) }
      #expect(bodies.held == 0)
    }
  }

  /// The answer comes before the body, which is discarded.
  @Test(arguments: [
    ("GET", "Content-Length: 100\r\n"), ("GET", chunked),
    ("GET", "Content-Length: 100\r\nExpect: 100-continue\r\n"),
    ("POST", "Content-Length: 5000\r\n"),
  ])
  func anAnswerBeforeTheBodyClosesTheConnection(_ method: String, _ fields: String) throws {
    try withServer(desk.routes()) { port in
      let client = try RawClient(port: port)
      client.ask("/later", method: method, fields)
      let keep = try desk.take(1)
      #expect(!client.hasAnswer(within: 50))
      keep[0]("kept")
      let answer = try client.answer()
      #expect(answer.text == "kept a 0")
      #expect(answer.header("connection") == "close")
      // What comes all the same is thrown away, so that nobody's connection is reset.
      client.send([UInt8](repeating: 0x61, count: 4000))
      client.endSending()
      #expect(client.isClosed())
    }
  }

  @Test func aBodyThatGrowsTooLargeIsAnsweredLater() throws {
    try withServer(desk.routes()) { port in
      let client = try RawClient(port: port)
      client.ask("/later", method: "POST", Self.chunked, body: "5\r\nabcde\r\n")
      usleep(20_000)
      let piece = "400\r\n\(String(repeating: "a", count: 1024))\r\n"
      client.send(piece + piece + piece)
      let keep = try desk.take(1)
      client.send(piece + "0\r\n\r\n")
      #expect(!client.hasAnswer(within: 50))
      keep[0]("kept")
      #expect(try client.answer().text == "kept a 0")
      #expect(client.isClosed())
    }
  }

  @Test func framingThatDoesNotEndIsAnsweredAtOnce() throws {
    try withServer(desk.routes()) { port in
      let client = try RawClient(port: port)
      client.ask("/later", method: "POST", Self.chunked)
      client.send(String(repeating: "0", count: 20_000))
      #expect(try client.answer().text == "none a 0")
      #expect(client.isClosed())
      try desk.keep()
    }
  }

  @Test func aRefusalByTheHeadPromisesNothing() throws {
    let routes: [Route<TestContext>] = [
      .promising(
        .post, "/", bodyLimit: 1000, admission: { _, _ in text("who", status: 401) },
        answer: { request, _ in desk.reply(to: request) })
    ]
    try withServer(routes) { port in
      let client = try RawClient(port: port)
      client.ask("/", method: "POST", "Content-Length: 5\r\n")
      #expect(try client.answer().status == 401)
      #expect(desk.answers(0).isEmpty)
    }
  }
}
