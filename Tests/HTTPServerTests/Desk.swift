import Glibc
import HTTPServer
import Platform
import Testing

/// Holds promises until a test keeps them, from its own thread.
final class Desk: Sendable {
  private let promises = Locked<[@Sendable (String) -> Void]>([])
  private let answers = Locked<[String]>([])

  func add(_ keep: @escaping @Sendable (String) -> Void) { promises.withLock { $0.append(keep) } }

  /// Takes the promises out once there are this many; what still waits after 20 seconds fails the test.
  func take(_ count: Int) throws -> [@Sendable (String) -> Void] {
    for _ in 0..<20_000 {
      let taken = promises.withLock { promises in
        defer { if promises.count >= count { promises = [] } }
        return promises.count >= count ? promises : []
      }
      if !taken.isEmpty { return taken }
      usleep(1000)
    }
    throw NotPromised()
  }

  /// Keeps the promises once there are this many.
  func keep(_ count: Int = 1, _ value: String = "kept") throws {
    for keep in try take(count) { keep(value) }
  }

  func note(_ answer: String) { answers.withLock { $0.append(answer) } }

  /// The answers that were made once there are this many.
  func answers(_ count: Int) -> [String] {
    for _ in 0..<20_000 where answers.withLock({ $0.count }) < count { usleep(1000) }
    return answers.withLock { $0 }
  }

  struct NotPromised: Error {}

  /// A reply that is kept by the test; the answer has the value, the request's id and the size of its body.
  func reply(to request: Request, within limit: Duration = .seconds(60)) -> Reply {
    .later(
      Promise(within: limit, begin: add) { [self] (value: String?) in
        let answer = "\(value ?? "none") \(request.id) \(request.body.count)"
        note(answer)
        return text(answer, status: value == nil ? 503 : 200)
      })
  }

  /// Routes that promise and routes that answer at once.
  func routes(within limit: Duration = .seconds(60)) -> [Route<TestContext>] {
    [
      Route(.get, "/") { _, _ in text("fine") },
      Route(.post, "/", bodyLimit: 1000) { request, _ in text("\(request.body.count)") },
      .promising(.get, "/later") { request, _ in self.reply(to: request, within: limit) },
      .promising(.post, "/later", bodyLimit: 1000) { request, _ in
        self.reply(to: request, within: limit)
      },
    ]
  }
}

extension RawClient {
  /// Asks with a request id, which tells the answers apart.
  func ask(
    _ path: String, id: String = "a", method: String = "GET", _ fields: String = "",
    body: String = ""
  ) {
    send("\(method) \(path) HTTP/1.1\r\nHost: a\r\nX-Request-Id: \(id)\r\n\(fields)\r\n\(body)")
  }
}
