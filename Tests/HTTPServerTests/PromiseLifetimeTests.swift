import Dispatch
import Glibc
import HTTPServer
import Platform
import Testing

/// What ends connections and servers, and what it does to requests whose answers are promised.
@Suite struct PromiseLifetimeTests {
  private let desk = Desk()

  /// An address of its own, since another server may get the port of one that has stopped.
  private static let host: UInt32 = 0x7F00_0003

  private func start(
    at host: String = "127.0.0.1", configure: (inout Server.Configuration) -> Void = { _ in }
  ) throws -> (server: Server, port: UInt16) {
    var configuration = Server.Configuration(address: try Address(parsing: "\(host):0"))
    configure(&configuration)
    let server = Server(
      configuration: configuration, router: Router(desk.routes(), reject: rejectText)
    ) { TestContext() }
    try server.start()
    return (server, try #require(server.boundPort))
  }

  /// Waits until the server counts this many connections.
  private func expectConnections(_ count: Int, of server: Server) {
    for _ in 0..<10_000 where server.connectionCount != count { usleep(1000) }
    #expect(server.connectionCount == count)
  }

  /// Seven seconds: the library's own time-out is five with these.
  @Test func timeoutsDoNotCountWhileAnAnswerIsPromised() throws {
    let shorten: (inout Server.Configuration) -> Void = {
      $0.idleTimeout = .milliseconds(200)
      $0.requestTimeout = .milliseconds(200)
    }
    try withServer(desk.routes(), configure: shorten) { port in
      let clients = try (0..<3).map { _ in try RawClient(port: port) }
      clients[0].ask("/later")
      clients[1].ask("/later", method: "POST", "Content-Length: 3\r\n", body: "abc")
      clients[2].ask("/later", "Content-Length: 50\r\n")
      let keeps = try desk.take(3)
      sleep(7)
      for client in clients { #expect(!client.hasEnded()) }
      for keep in keeps { keep("kept") }
      for client in clients { #expect(try client.answer().status == 200) }
      // Idle again, they run into the time-out and not into the clients' patience.
      for client in clients { #expect(client.isClosed()) }
    }
  }

  @Test func anAnswerThatIsNotReadRunsIntoTheTimeout() throws {
    let routes: [Route<TestContext>] = [
      .promising(.get, "/") { [desk] _, _ in
        .later(
          Promise(within: .seconds(60), begin: desk.add) { (_: String?) in
            Response(status: 200, body: [UInt8](repeating: 0x61, count: 50_000_000))
          })
      }
    ]
    try withServer(routes, configure: { $0.requestTimeout = .seconds(1) }) { port in
      let client = try RawClient(port: port)
      client.ask("/")
      try desk.keep()
      sleep(4)
      #expect(client.rest().utf8.count < 50_000_000)
    }
  }

  @Test func aParkedRequestKeepsItsPlaceAtTheLimit() throws {
    try withServer(desk.routes(), configure: { $0.connectionLimit = 1 }) { port in
      let parked = try RawClient(port: port)
      parked.ask("/later")
      let keep = try desk.take(1)
      let waiting = try RawClient(port: port)
      waiting.ask("/")
      #expect(!waiting.hasAnswer(within: 300))
      #expect(!parked.hasEnded())
      keep[0]("kept")
      #expect(try parked.answer().text == "kept a 0")
      // Idle now, the first makes room.
      #expect(try waiting.answer().text == "fine")
    }
  }

  private func promiseToAClientThatLeaves(
    _ port: UInt16, id: Int, resets: Bool
  ) throws -> @Sendable (String) -> Void {
    let client = try RawClient(port: port)
    client.ask("/later", id: "\(id)")
    let keep = try desk.take(1)
    if resets { client.resetWhenClosed() }
    return keep[0]
  }

  @Test(arguments: [false, true]) func aClientThatLeavesBreaksNothing(_ resets: Bool) throws {
    let (server, port) = try start()
    for number in 1...20 {
      let keep = try promiseToAClientThatLeaves(port, id: number, resets: resets)
      usleep(10_000)
      #expect(server.connectionCount == 1)
      keep("kept")
      #expect(desk.answers(number).last == "kept \(number) 0")
      expectConnections(0, of: server)
    }
    #expect(desk.answers(20).count == 20)
    let other = try RawClient(port: port)
    other.ask("/")
    #expect(try other.answer().text == "fine")
    #expect(server.stop(deadline: .seconds(10)) == .clean)
  }

  @Test func aClientThatOnlyReadsOnGetsItsAnswer() throws {
    let (server, port) = try start()
    // The library reads only those again whom another connection is older than.
    let older = try RawClient(port: port)
    for fields in ["", "Content-Length: 50\r\n"] {
      let client = try RawClient(port: port)
      client.ask("/later", fields)
      let keep = try desk.take(1)
      client.endSending()
      // Twice the time after which a client is taken for gone.
      sleep(2)
      #expect(!client.hasEnded())
      keep[0]("kept")
      #expect(try client.answer().text == "kept a 0")
      #expect(client.isClosed())
    }
    expectConnections(1, of: server)
    #expect(!older.hasEnded())
    #expect(server.stop(deadline: .seconds(10)) == .clean)
  }

  @Test func aStopWaitsForPromisedAnswers() throws {
    let (server, port) = try start(at: "127.0.0.3")
    let clients = try (0..<3).map { _ in try RawClient(port: port, host: Self.host) }
    for client in clients { client.ask("/later") }
    let keeps = try desk.take(3)
    let report = Locked<Server.StopReport?>(nil)
    let group = DispatchGroup()
    DispatchQueue.global().async(group: group) {
      let stopped = server.stop(deadline: .seconds(20))
      report.withLock { $0 = stopped }
    }
    while (try? RawClient(port: port, host: Self.host)) != nil { usleep(1000) }
    usleep(100_000)
    #expect(report.withLock { $0 } == nil)
    for keep in keeps { keep("kept") }
    for client in clients {
      let answer = try client.answer()
      #expect(answer.text == "kept a 0")
      #expect(answer.header("connection") == "close")
      #expect(client.isClosed())
    }
    group.wait()
    #expect(report.withLock { $0 } == .clean)
  }

  @Test func aStopCutsOffWhatIsNotKeptInTime() throws {
    let (server, port) = try start()
    let clients = try (0..<3).map { _ in try RawClient(port: port) }
    clients[0].ask("/later")
    clients[1].ask("/later", method: "POST", "Content-Length: 3\r\n", body: "abc")
    clients[2].ask("/later", "Content-Length: 50\r\n")
    let keeps = try desk.take(3)
    let report = server.stop(deadline: .milliseconds(300))
    #expect(report == Server.StopReport(requestsCutOff: 3, leftThreadsBehind: false))
    for client in clients { #expect(client.isClosed()) }
    // The work was begun, so each is counted and logged.
    #expect(desk.answers(3).sorted() == ["none a 0", "none a 0", "none a 3"])
    for keep in keeps { keep("late") }
    #expect(desk.answers(3).count == 3)
  }

  @Test func promisesAreKeptWhileAServerStops() throws {
    for _ in 0..<20 {
      let (server, port) = try start { $0.workers = 2 }
      let clients = try (0..<20).map { _ in try RawClient(port: port) }
      for client in clients { client.ask("/later") }
      let keeps = try desk.take(20)
      let group = DispatchGroup()
      DispatchQueue.global().async(group: group) { for keep in keeps { keep("kept") } }
      let report = server.stop(deadline: .zero)
      #expect(!report.leftThreadsBehind)
      group.wait()
      withExtendedLifetime(clients) {}
    }
    #expect(desk.answers(400).count == 400)
  }
}

extension Server.StopReport {
  fileprivate static let clean = Server.StopReport(requestsCutOff: 0, leftThreadsBehind: false)
}
