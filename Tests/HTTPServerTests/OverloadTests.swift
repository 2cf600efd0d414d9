import Glibc
import HTTPServer
import Testing

@Suite struct OverloadTests {
  @Test func whoeverWaitedTooLongIsRefusedAndTheNextAreServed() throws {
    let slow = [
      Route<TestContext>(.get, "/") { _, _ in
        usleep(1_500_000)
        return text("fine")
      }
    ]
    try withServer(slow, configure: { $0.longestWait = .seconds(1) }) { port in
      let clients = try (0..<6).map { _ in try RawClient(port: port) }
      for client in clients { client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n") }
      let answers = try clients.map { try $0.answer() }
      #expect(answers.allSatisfy { [200, 503].contains($0.status) })
      #expect(answers.contains { $0.status == 200 })
      // All but the first came to wait behind one another.
      #expect(answers.contains { $0.status == 503 && $0.text == "overloaded" })
      // Alone it waits for nobody, unless the machine itself keeps the worker waiting.
      let isServed = try (0..<20).contains { _ in
        let client = try RawClient(port: port)
        client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        return try client.answer().status == 200
      }
      #expect(isServed)
    }
  }
}
