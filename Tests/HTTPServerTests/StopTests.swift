import Dispatch
import Glibc
import HTTPServer
import Synchronization
import Testing

/// They connect to ports that no server has any more, and that the system may give to a server of
/// another test; so they keep to an address of their own and do not run side by side.
@Suite(.serialized) struct StopTests {
  private static let host: UInt32 = 0x7F00_0002

  private func connect(_ port: UInt16) throws -> RawClient {
    try RawClient(port: port, host: StopTests.host)
  }

  private static let routes: [Route<TestContext>] = [
    Route(.get, "/") { _, _ in text("fine") },
    Route(.post, "/", bodyLimit: 1000) { request, _ in text("\(request.body.count)") },
    Route(.get, "/large") { _, _ in
      Response(status: 200, body: [UInt8](repeating: 0x61, count: 20_000_000))
    },
  ]

  private func start(
    _ routes: [Route<TestContext>] = StopTests.routes, connectionLimit: Int = 100
  ) throws -> (server: Server, port: UInt16) {
    var configuration = Server.Configuration(address: try Address(parsing: "127.0.0.2:0"))
    configuration.workers = 2
    configuration.connectionLimit = connectionLimit
    let server = Server(
      configuration: configuration, router: Router(routes, reject: rejectText)
    ) { TestContext() }
    try server.start()
    return (server, try #require(server.boundPort))
  }

  /// Stops a server on another thread.
  private final class Stopping: Sendable {
    private let report = Mutex<Server.StopReport?>(nil)
    private let group = DispatchGroup()

    init(_ server: Server, deadline: Duration) {
      DispatchQueue.global().async(group: group) {
        let report = server.stop(deadline: deadline)
        self.report.withLock { $0 = report }
      }
    }

    var isOver: Bool { report.withLock { $0 != nil } }

    func wait() throws -> Server.StopReport {
      group.wait()
      return try #require(report.withLock { $0 })
    }
  }

  private func waitUntilRefused(_ port: UInt16) throws {
    while (try? connect(port)) != nil { usleep(1000) }
  }

  @Test func letsASlowBodyFinish() throws {
    let (server, port) = try start()
    let client = try connect(port)
    client.send("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 6\r\n\r\n")
    #expect(try client.answer().status == 100)
    let stopping = Stopping(server, deadline: .seconds(20))
    try waitUntilRefused(port)
    for _ in 0..<6 {
      usleep(50_000)
      #expect(!stopping.isOver)
      client.send("a")
    }
    let answer = try client.answer()
    #expect(answer.text == "6")
    #expect(answer.header("connection") == "close")
    #expect(client.isClosed())
    #expect(try stopping.wait().isClean)
  }

  @Test func letsASlowReaderFinish() throws {
    let (server, port) = try start()
    let client = try connect(port)
    client.send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(client.hasAnswer(within: 20_000))
    let stopping = Stopping(server, deadline: .seconds(20))
    try waitUntilRefused(port)
    #expect(try client.answer().body.count == 20_000_000)
    #expect(try stopping.wait().isClean)
  }

  @Test func answersThoseThatWaitedForAPlace() throws {
    let (server, port) = try start(connectionLimit: 1)
    let busy = try connect(port)
    busy.send("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n")
    #expect(try busy.answer().status == 100)
    let waiting = try connect(port)
    waiting.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    let stopping = Stopping(server, deadline: .seconds(20))
    #expect(try waiting.answer().text == "fine")
    busy.send("c")
    #expect(try busy.answer().text == "1")
    #expect(try stopping.wait().isClean)
  }

  @Test func endsIdleConnections() throws {
    let (server, port) = try start()
    let idle = try connect(port)
    idle.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(try idle.answer().status == 200)
    let silent = try connect(port)
    #expect(server.stop(deadline: .seconds(20)).isClean)
    #expect(idle.isClosed())
    #expect(silent.isClosed())
    #expect(server.boundPort == nil)
  }

  @Test func doesNotWaitForClientsThatHaveTheirAnswer() throws {
    let (server, port) = try start()
    let heads = [
      // Answered at the head, in the middle of a body, and with the head.
      "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 50\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 90000000\r\n\r\n\(String(repeating: "a", count: 5000))",
      "GET / HTTP/1.1\r\n\r\n\(String(repeating: "a", count: 5000))",
      "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 90000000\r\n\r\nabc",
    ]
    let clients = try heads.map { head in
      let client = try connect(port)
      client.send(head)
      _ = try client.answer()
      client.send("abc")
      return client
    }
    let before = ContinuousClock.now
    #expect(server.stop(deadline: .seconds(60)).isClean)
    // New connections are given two seconds, clients that go on sending five, requests all of the time.
    #expect(before.duration(to: .now) < .seconds(30))
    withExtendedLifetime(clients) {}
  }

  @Test func cutsOffWhatDoesNotFinishInTime() throws {
    let (server, port) = try start()
    let client = try connect(port)
    client.send("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 6\r\n\r\n")
    #expect(try client.answer().status == 100)
    let report = server.stop(deadline: .milliseconds(300))
    #expect(report == Server.StopReport(requestsCutOff: 1, leftThreadsBehind: false))
    #expect(client.isClosed())
    #expect(server.stop(deadline: .seconds(1)) == report)
  }

  @Test func reportsAHandlerThatDoesNotEnd() throws {
    let gate = DispatchSemaphore(value: 0)
    let hasBegun = DispatchSemaphore(value: 0)
    let (server, port) = try start([
      Route(.get, "/") { _, _ in
        hasBegun.signal()
        gate.wait()
        return text("late")
      }
    ])
    let client = try connect(port)
    client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    hasBegun.wait()
    let report = server.stop(deadline: .milliseconds(200))
    #expect(report == Server.StopReport(requestsCutOff: 1, leftThreadsBehind: true))
    gate.signal()
  }

  @Test func noAnswerIsLostUnderLoad() throws {
    for _ in 0..<5 {
      let (server, port) = try start()
      let served = Atomic(0)
      let lost = Atomic(0)
      let group = DispatchGroup()
      let goOn = Atomic(true)
      for _ in 0..<8 {
        DispatchQueue.global().async(group: group) {
          while goOn.load(ordering: .relaxed), let client = try? connect(port) {
            var answered = 0
            while true {
              client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n01")
              client.send("234")
              guard let answer = try? client.answer() else {
                // A connection that was never accepted counts as refused.
                if answered > 0 { lost.add(1, ordering: .relaxed) }
                break
              }
              answered += 1
              served.add(1, ordering: .relaxed)
              if answer.header("connection") == "close" { break }
            }
          }
        }
      }
      while served.load(ordering: .relaxed) < 200 { usleep(1000) }
      #expect(server.stop(deadline: .seconds(20)).isClean)
      goOn.store(false, ordering: .relaxed)
      group.wait()
      #expect(lost.load(ordering: .relaxed) == 0)
    }
  }

  @Test func startsOnlyOnce() throws {
    let (server, _) = try start()
    #expect(throws: ServerError.self) { try server.start() }
    #expect(server.stop(deadline: .seconds(20)).isClean)
    #expect(throws: ServerError.self) { try server.start() }
  }

  @Test func aServerThatNeverStartedStops() throws {
    let server = Server(
      configuration: Server.Configuration(address: try Address(parsing: "127.0.0.2:0")),
      router: Router(StopTests.routes, reject: rejectText)
    ) { TestContext() }
    #expect(server.stop(deadline: .seconds(1)).isClean)
  }
}
