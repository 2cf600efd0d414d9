import Dispatch
import Glibc
import HTTPServer
import Platform
import Synchronization
import Testing

/// Answers that come later, as a client sees them; all servers have one event loop.
@Suite struct PromiseTests {
  private let desk = Desk()

  @Test func othersAreAnsweredMeanwhile() throws {
    try withServer(desk.routes()) { port in
      let parked = try RawClient(port: port)
      parked.ask("/later", id: "first")
      let keep = try desk.take(1)
      let other = try RawClient(port: port)
      for _ in 0..<100 {
        other.ask("/")
        #expect(try other.answer().text == "fine")
      }
      #expect(!parked.hasAnswer(within: 0))
      keep[0]("now")
      let answer = try parked.answer()
      #expect(answer.text == "now first 0")
      #expect(answer.header("connection") == nil)
    }
  }

  @Test func whatIsKeptAtOnceIsAnsweredAtOnce() throws {
    let routes: [Route<TestContext>] = [
      .promising(.post, "/", bodyLimit: 10) { request, _ in
        let promise = Promise(
          within: .seconds(60),
          begin: { keep in
            keep(1)
            keep(2)
          },
          finish: { (value: Int?) in text("\(value ?? 0) \(request.body.count)") })
        return .later(promise)
      }
    ]
    try withServer(routes) { port in
      let client = try RawClient(port: port)
      for _ in 0..<3 {
        client.ask("/", method: "POST", "Content-Length: 3\r\n", body: "abc")
        #expect(try client.answer().text == "1 3")
      }
    }
  }

  @Test func thousandsWaitAtOnce() throws {
    let count = 2000
    raiseDescriptorLimit()
    try withServer(desk.routes(), configure: { $0.connectionLimit = count + 10 }) { port in
      let clients = try (0..<count).map { number in
        let client = try RawClient(port: port)
        client.ask("/later", id: "\(number)")
        return client
      }
      let keeps = try desk.take(count)
      let other = try RawClient(port: port)
      other.ask("/")
      #expect(try other.answer().text == "fine")
      // From two threads, so that the loop meets the second half while it answers the first.
      DispatchQueue.concurrentPerform(iterations: 2) { half in
        for index in stride(from: half, to: count, by: 2) { keeps[index]("kept") }
      }
      for (number, client) in clients.enumerated() {
        #expect(try client.answer().text == "kept \(number) 0")
      }
      for client in clients { client.ask("/") }
      for client in clients { #expect(try client.answer().text == "fine") }
    }
  }

  private func raiseDescriptorLimit() {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    limit.rlim_cur = min(limit.rlim_max, max(limit.rlim_cur, 10_000))
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }

  @Test func aLimitEndsTheWaitWhenNothingElseHappens() throws {
    try withServer(desk.routes(within: .milliseconds(300))) { port in
      // The machine itself may keep a thread waiting, so that one punctual answer of some is enough.
      let isPunctual = try (0..<10).contains { _ in
        let client = try RawClient(port: port)
        let start = ContinuousClock.now
        client.ask("/later")
        #expect(try client.answer().text == "none a 0")
        let time = start.duration(to: .now)
        #expect(time >= .milliseconds(300))
        let late = try desk.take(1)
        late[0]("late")
        client.ask("/")
        #expect(try client.answer().text == "fine")
        return time < .milliseconds(350)
      }
      #expect(isPunctual)
    }
  }

  @Test func eachLimitIsKept() throws {
    let routes: [Route<TestContext>] = [
      .promising(.get, "/{milliseconds}") { request, _ in
        let limit = request.parameter("milliseconds").flatMap { Int($0) } ?? 0
        return desk.reply(to: request, within: .milliseconds(limit))
      }
    ]
    try withServer(routes) { port in
      let clients = try [1500, 300, 900, 0, 305, 60_000].map { limit in
        let client = try RawClient(port: port)
        client.ask("/\(limit)", id: "\(limit)")
        return client
      }
      let inOrder = ["none 0 0", "none 300 0", "none 305 0", "none 900 0", "none 1500 0"]
      #expect(desk.answers(5) == inOrder)
      try desk.keep(6)
      #expect(try clients[5].answer().text == "kept 60000 0")
    }
  }

  @Test func pipelinedRequestsAreAnsweredInOrder() throws {
    try withServer(desk.routes()) { port in
      let client = try RawClient(port: port)
      var requests = ""
      for number in 0..<20 {
        let path = number % 3 == 0 ? "/later" : "/"
        requests += "POST \(path) HTTP/1.1\r\nHost: a\r\nX-Request-Id: \(number)\r\n"
        requests += "Content-Length: 2\r\n\r\nab"
      }
      client.send(requests)
      for number in 0..<20 {
        guard number % 3 == 0 else {
          #expect(try client.answer().text == "2")
          continue
        }
        let keep = try desk.take(1)
        #expect(!client.hasAnswer(within: number == 0 ? 100 : 0))
        keep[0]("kept")
        #expect(try client.answer().text == "kept \(number) 2")
      }
    }
  }

  @Test func oneConnectionTakesManyOfBothKinds() throws {
    try withServer(desk.routes()) { port in
      let client = try RawClient(port: port)
      for number in 0..<200 {
        client.ask("/later", id: "\(number)")
        try desk.keep()
        #expect(try client.answer().text == "kept \(number) 0")
        client.ask("/", method: "POST", "Content-Length: 3\r\n", body: "abc")
        #expect(try client.answer().text == "3")
      }
    }
  }

  @Test(arguments: ["HEAD", "GET"]) func oldAndClosingClients(_ method: String) throws {
    try withServer(desk.routes()) { port in
      for (version, field) in [("1.0", ""), ("1.1", "Connection: close\r\n")] {
        let client = try RawClient(port: port)
        client.send(
          "\(method) /later HTTP/\(version)\r\nHost: a\r\n\(field)X-Request-Id: a\r\n\r\n")
        try desk.keep()
        let answer = try client.answer(to: method)
        #expect(answer.text == (method == "HEAD" ? "" : "kept a 0"))
        #expect(answer.header("content-length") == "8")
        #expect(client.isClosed())
      }
      let client = try RawClient(port: port)
      client.ask("/later", method: method)
      try desk.keep()
      #expect(try client.answer(to: method).status == 200)
      client.ask("/")
      #expect(try client.answer().text == "fine")
    }
  }

  @Test func anAnswerThatCannotBeSentIsReplaced() throws {
    let routes: [Route<TestContext>] = [
      .promising(.get, "/") { _, _ in
        .later(
          Promise(within: .seconds(60), begin: desk.add) { (_: String?) in
            Response(status: 200, headers: [("X", "a\nb")])
          })
      }
    ]
    try withServer(routes) { port in
      let client = try RawClient(port: port)
      client.ask("/")
      try desk.keep()
      #expect(try client.answer().text == "internal")
      #expect(client.isClosed())
    }
  }

  @Test func aPromiseIsNotRefusedForOverload() throws {
    let isBlocked = DispatchSemaphore(value: 0)
    let routes =
      desk.routes() + [
        Route(.get, "/slow") { _, _ in
          isBlocked.signal()
          usleep(400_000)
          return text("slow")
        }
      ]
    try withServer(routes, configure: { $0.longestWait = .milliseconds(50) }) { port in
      let parked = try RawClient(port: port)
      parked.ask("/later")
      let keep = try desk.take(1)
      let slow = try RawClient(port: port)
      slow.ask("/slow")
      isBlocked.wait()
      keep[0]("kept")
      #expect(try parked.answer().text == "kept a 0")
      #expect(try slow.answer().text == "slow")
    }
  }

  @Test func theHookSeesTheAnswerOnTheLoopsThread() throws {
    let seen = Locked<[(answer: String, thread: UInt, waited: Duration)]>([])
    let made = Locked<UInt>(0)
    let router = Router<ContinuousClock.Instant>(desk.routesOfClock) { _, _, _ in text("none") }
    var configuration = Server.Configuration(address: try Address(parsing: "127.0.0.1:0"))
    configuration.workers = 1
    let server = Server(configuration: configuration) {
      made.withLock { $0 = UInt(pthread_self()) }
      return router.handler(makeContext: { ContinuousClock.now }) { request, response, begun in
        let text = "\(request.path) \(String(decoding: response.body, as: UTF8.self))"
        seen.withLock { $0.append((text, UInt(pthread_self()), begun.duration(to: .now))) }
      }
    }
    try server.start()
    let client = try RawClient(port: try #require(server.boundPort))
    client.ask("/later")
    let keep = try desk.take(1)
    usleep(50_000)
    #expect(seen.withLock { $0.isEmpty })
    keep[0]("kept")
    #expect(try client.answer().text == "kept a 0")
    #expect(server.stop(deadline: .seconds(10)).isClean)
    let calls = seen.withLock { $0 }
    #expect(calls.map(\.answer) == ["/later kept a 0"])
    #expect(calls.map(\.thread) == [made.withLock { $0 }])
    #expect(calls.allSatisfy { $0.waited >= .milliseconds(50) })
  }

  /// Counts its copies in memory.
  private final class Counted: Sendable {
    static let alive = Atomic(0)
    init() { Counted.alive.add(1, ordering: .relaxed) }
    deinit { Counted.alive.subtract(1, ordering: .relaxed) }
  }

  @Test func nothingOfAnAnsweredPromiseIsKept() throws {
    let routes: [Route<TestContext>] = [
      .promising(.get, "/{limit}") { request, _ in
        let captured = Counted()
        let limit = request.parameter("limit").flatMap { Int($0) } ?? 0
        return .later(
          Promise(within: .milliseconds(limit), begin: desk.add) { (value: String?) in
            withExtendedLifetime(captured) { text(value ?? "none") }
          })
      }
    ]
    try withServer(routes) { port in
      let client = try RawClient(port: port)
      for _ in 0..<50 {
        client.ask("/60000")
        try desk.keep()
        #expect(try client.answer().text == "kept")
      }
      client.ask("/1")
      #expect(try client.answer().text == "none")
      client.ask("/1")
      #expect(try client.answer().text == "none")
      #expect(Counted.alive.load(ordering: .relaxed) == 0)
    }
  }

  @Test func aServerRespondsWhileRequestsWait() throws {
    var configuration = Server.Configuration(address: try Address(parsing: "127.0.0.1:0"))
    configuration.workers = 2
    let server = Server(
      configuration: configuration, router: Router(desk.routes(), reject: rejectText)
    ) { TestContext() }
    try server.start()
    let clients = try (0..<8).map { _ in
      try RawClient(port: try #require(server.boundPort))
    }
    for client in clients { client.ask("/later") }
    let keeps = try desk.take(8)
    #expect(server.isResponsive(within: .seconds(10)))
    for keep in keeps { keep("kept") }
    for client in clients { #expect(try client.answer().status == 200) }
    #expect(server.stop(deadline: .seconds(10)).isClean)
  }

  @Test func aHandlerWithoutAServerWaitsForItsPromise() {
    let handler = Router(
      [
        Route<TestContext>.promising(.get, "/{limit}") { request, _ in
          let limit = request.parameter("limit").flatMap { Int($0) } ?? 0
          let promise = Promise(within: .milliseconds(limit)) { keep in
            DispatchQueue.global().asyncAfter(deadline: .now() + 0.1) { keep("kept") }
          } finish: { (value: String?) in
            text(value ?? "none")
          }
          return .later(promise)
        }
      ], reject: rejectText
    ).handler(makeContext: { TestContext() })
    #expect(handler.answer(Request(.get, "/20000")).body == Array("kept".utf8))
    #expect(handler.answer(Request(.get, "/1")).body == Array("none".utf8))
  }
}

extension Desk {
  fileprivate var routesOfClock: [Route<ContinuousClock.Instant>] {
    [.promising(.get, "/later") { request, _ in self.reply(to: request) }]
  }
}
