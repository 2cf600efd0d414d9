import HTTPServer
import Platform
import Synchronization
import Testing

@Suite struct ServingTests {
  private let routes: [Route<TestContext>] = [
    Route(.get, "/") { _, _ in text("fine") },
    Route(.get, "/id") { request, _ in text(request.id) },
    Route(.get, "/client") { request, _ in text(request.clientAddress ?? "none") },
    Route(.get, "/close") { _, _ in
      Response(status: 200, body: [1], closesConnection: true)
    },
    Route(.get, "/header") { request, _ in
      let size = request.withHeader("x-one") { $0?.count ?? -1 }
      let values = request.headerValues("X-MANY").joined(separator: "|")
      return text("\(request.header("X-One") ?? "none") \(size) \(values) \(request.headers.count)")
    },
    Route(.get, "/invalid") { _, _ in
      Response(status: 200, headers: [("X-Split", "a\r\nX-Evil: b")])
    },
    Route(.post, "/echo", bodyLimit: 100_000) { request, _ in
      Response(status: 200, body: request.body)
    },
  ]

  @Test func echoesBodiesOnOneConnection() throws {
    try withServer(routes) { port in
      let client = try RawClient(port: port)
      for size in [0, 1, 70_000, 3, 100_000] {
        let body = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: \(size)\r\n\r\n")
        client.send(body)
        #expect(try client.answer().body == body)
      }
    }
  }

  @Test func answersPipelinedRequestsInOrder() throws {
    try withServer(routes) { port in
      let client = try RawClient(port: port)
      let requests = (0..<50).map { number in
        let body = "body \(number)"
        return "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
      }
      client.send(requests.joined())
      for number in 0..<50 { #expect(try client.answer().text == "body \(number)") }
    }
  }

  @Test func closesWhenAskedTo() throws {
    try withServer(routes) { port in
      for request in [
        "GET /close HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", "GET / HTTP/1.0\r\n\r\n",
      ] {
        let client = try RawClient(port: port)
        client.send(request)
        #expect(try client.answer().status == 200)
        #expect(client.isClosed())
      }
    }
  }

  @Test func givesHeaders() throws {
    try withServer(routes) { port in
      let client = try RawClient(port: port)
      client.send(
        "GET /header HTTP/1.1\r\nHost: a\r\nx-ONE: \t b c \r\nX-Many: 1\r\nx-many:2\r\nX-One: z\r\n\r\n"
      )
      #expect(try client.answer().text == "b c 3 1|2 5")
      client.send("GET /header HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(try client.answer().text == "none -1  1")
    }
  }

  @Test func givesTheClientsAddress() throws {
    for (address, family) in [
      ("127.0.0.1:0", RawClient.Family.ipv4), ("[::1]:0", .ipv6), ("[::]:0", .ipv4),
    ] {
      try withServer(routes, configure: { $0.address = try Address(parsing: address) }) { port in
        let client = try RawClient(port: port, family: family)
        client.send("GET /client HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try client.answer().text == (family == .ipv4 ? "127.0.0.1" : "::1"))
      }
    }
    #expect(Request(.get, "/").clientAddress == nil)
  }

  @Test func replacesAnAnswerThatCannotBeSent() throws {
    try withServer(routes) { port in
      let client = try RawClient(port: port)
      client.send("GET /invalid HTTP/1.1\r\nHost: a\r\n\r\n")
      let answer = try client.answer()
      #expect(answer.status == 500)
      #expect(answer.text == "internal")
      #expect(answer.header("x-evil") == nil)
    }
  }

  @Test(arguments: ["a", "!~", String(repeating: "x", count: 128)])
  func keepsTheCallersRequestID(id: String) throws {
    try withServer(routes) { port in
      let client = try RawClient(port: port)
      client.send("GET /id HTTP/1.1\r\nHost: a\r\nX-Request-Id: \(id)\r\n\r\n")
      let answer = try client.answer()
      #expect(answer.text == id)
      #expect(answer.header("x-request-id") == id)
    }
  }

  @Test(arguments: ["", "a b", "ä", "a\tb", String(repeating: "x", count: 129)])
  func replacesAnUnusableRequestID(id: String) throws {
    try withServer(routes) { port in
      let client = try RawClient(port: port)
      client.send("GET /id HTTP/1.1\r\nHost: a\r\nX-Request-Id: \(id)\r\n\r\n")
      let answer = try client.answer()
      #expect(answer.text != id)
      #expect(answer.header("x-request-id") == answer.text)
    }
  }

  @Test func makesRequestIDsThatDiffer() throws {
    var ids: Set<String> = []
    for _ in 0..<2 {
      try withServer(routes) { port in
        let client = try RawClient(port: port)
        for _ in 0..<300 {
          client.send("GET /id HTTP/1.1\r\nHost: a\r\n\r\n")
          let id = try client.answer().text
          #expect(!id.isEmpty && id.utf8.allSatisfy { (0x21...0x7E).contains($0) })
          ids.insert(id)
        }
      }
    }
    #expect(ids.count == 600)
  }

  @Test func everyAnswerOfTheServerCarriesTheRequestID() throws {
    try withServer(routes) { port in
      for (target, status) in [("/nothing", 404), ("/echo", 405), ("/invalid", 500)] {
        let client = try RawClient(port: port)
        client.send("GET \(target) HTTP/1.1\r\nHost: a\r\nX-Request-Id: mine\r\n\r\n")
        let answer = try client.answer()
        #expect(answer.status == status)
        #expect(answer.header("x-request-id") == "mine")
      }
    }
  }

  @Test func makesOneHandlerForEachWorkerAndReleasesIt() throws {
    final class Counted {
      static let alive = Atomic(0)
      static let made = Atomic(0)
      init() {
        Counted.alive.add(1, ordering: .relaxed)
        Counted.made.add(1, ordering: .relaxed)
      }
      deinit { Counted.alive.subtract(1, ordering: .relaxed) }
    }
    var configuration = Server.Configuration(address: try Address(parsing: "127.0.0.1:0"))
    configuration.workers = 3
    let router = Router<Counted>([Route(.get, "/") { _, _ in text("fine") }]) { rejection, _, _ in
      Response(status: rejection.status)
    }
    let server = Server(configuration: configuration) {
      let counted = Counted()
      return router.handler(makeContext: { counted })
    }
    try server.start()
    let port = try #require(server.boundPort)
    // New connections go to the worker that has the fewest.
    let clients = try (0..<6).map { _ in try RawClient(port: port) }
    for _ in 0..<5 {
      for client in clients {
        client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try client.answer().status == 200)
      }
    }
    #expect(Counted.made.load(ordering: .relaxed) == 3)
    #expect(server.stop(deadline: .seconds(10)).isClean)
    #expect(Counted.alive.load(ordering: .relaxed) == 0)
  }

  @Test("a request has a context of its own, which goes with it and sees the answer")
  func contextOfARequest() throws {
    final class Counted {
      static let alive = Atomic(0)
      static let answers = Locked<[String]>([])
      var said = ""
      init() { Counted.alive.add(1, ordering: .relaxed) }
      deinit { Counted.alive.subtract(1, ordering: .relaxed) }
    }
    let router = Router<Counted>([
      Route(.get, "/{name}") { request, context in
        context.said += request.parameter("name") ?? ""
        return text("fine")
      }
    ]) { rejection, _, context in
      context.said += "rejected"
      return Response(status: rejection.status)
    }
    let server = Server(
      configuration: Server.Configuration(address: try Address(parsing: "127.0.0.1:0"))
    ) {
      router.handler(makeContext: { Counted() }) { _, response, context in
        Counted.answers.withLock { $0.append("\(response.status) \(context.said)") }
      }
    }
    try server.start()
    let client = try RawClient(port: try #require(server.boundPort))
    for target in ["/a", "/b", "/", "/c"] {
      client.send("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n")
      _ = try client.answer()
      #expect(Counted.alive.load(ordering: .relaxed) == 0)
    }
    #expect(Counted.answers.withLock { $0 } == ["200 a", "200 b", "404 rejected", "200 c"])
    #expect(server.stop(deadline: .seconds(10)).isClean)
  }

  @Test func twoServersRunInOneProcess() throws {
    try withServer([Route(.get, "/") { _, _ in text("first") }]) { first in
      try withServer([Route(.get, "/") { _, _ in text("second") }]) { second in
        for (port, name) in [(first, "first"), (second, "second")] {
          let client = try RawClient(port: port)
          client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
          #expect(try client.answer().text == name)
        }
      }
    }
  }
}
