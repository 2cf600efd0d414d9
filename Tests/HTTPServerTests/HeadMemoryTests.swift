import HTTPServer
import Synchronization
import Testing

/// Heads that fill the memory that the library has for a request and the head of its answer.
@Suite struct HeadMemoryTests {
  /// A kind of head, made larger and larger around the size at which there is no room for an answer.
  struct Growth: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let sizes: StrideTo<Int>
    let request: @Sendable (Int) -> String
  }

  private static func get(_ fields: String, path: String = "/") -> String {
    "GET \(path) HTTP/1.1\r\nHost: a\r\n\(fields)\r\n"
  }

  private static func filler(_ size: Int) -> String { String(repeating: "v", count: size) }

  static let growths = [
    Growth(testDescription: "one long header", sizes: stride(from: 11_900, to: 16_800, by: 70)) {
      get("X: \(filler($0))\r\n")
    },
    Growth(testDescription: "one long cookie", sizes: stride(from: 6_000, to: 9_000, by: 50)) {
      get("Cookie: a=\(filler($0))\r\n")
    },
    Growth(testDescription: "many cookies", sizes: stride(from: 60, to: 260, by: 3)) {
      get(
        "Cookie: \((0..<$0).map { "name-\($0)=0123456789-0123456789" }.joined(separator: "; "))\r\n"
      )
    },
    Growth(testDescription: "many headers", sizes: stride(from: 40, to: 260, by: 3)) { count in
      get((0..<count).map { "X-Some-Header: \($0)\r\n" }.joined())
    },
    Growth(testDescription: "many short headers", sizes: stride(from: 100, to: 260, by: 3)) {
      count in
      get(String(repeating: "a: b\r\n", count: count))
    },
    Growth(testDescription: "a long path", sizes: stride(from: 11_900, to: 16_800, by: 70)) {
      get("", path: "/\(filler($0))")
    },
    Growth(testDescription: "a long query", sizes: stride(from: 11_900, to: 16_800, by: 70)) {
      get("", path: "/?\(filler($0))")
    },
    Growth(testDescription: "a long trailer", sizes: stride(from: 100, to: 16_800, by: 400)) {
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nX: \(filler($0))\r\n\r\n"
    },
    Growth(testDescription: "many trailers", sizes: stride(from: 1, to: 240, by: 8)) { count in
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n"
        + String(repeating: "a: b\r\n", count: count) + "\r\n"
    },
    Growth(
      testDescription: "a long header, and a body", sizes: stride(from: 6_000, to: 14_000, by: 150)
    ) {
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 90\r\nCookie: a=\(filler($0 / 2))\r\nX: \(filler($0 / 2))\r\n\r\n"
        + filler(90)
    },
  ]

  @Test("what is carried out is answered, and what cannot be is refused", arguments: growths)
  func answers(_ growth: Growth) throws {
    let carriedOut = Mutex(0)
    let answer = { @Sendable () -> Response in
      carriedOut.withLock { $0 += 1 }
      return Response(
        status: 200, headers: (0..<8).map { ("X-Answer-\($0)", Self.filler(40)) }, body: [0x61])
    }
    let routes: [Route<TestContext>] = [
      Route(.get, "/") { _, _ in answer() }, Route(.post, "/", bodyLimit: 100) { _, _ in answer() },
    ]
    try withServer(routes) { port in
      var answered = 0
      for size in growth.sizes {
        let client = try RawClient(port: port)
        client.send(growth.request(size))
        let status = try #require(try? client.answer().status, "no answer to \(size)")
        #expect([200, 404, 413, 414, 431].contains(status))
        if status == 200 { answered += 1 }
      }
      #expect(answered == carriedOut.withLock { $0 })
    }
  }

  @Test("an answer that does not fit beside the head of its request is sent all the same")
  func largeAnswers() throws {
    let routes: [Route<TestContext>] = [
      Route(.get, "/") { _, _ in
        Response(status: 200, headers: [("X-Answer", Self.filler(9_000))], body: [0x61])
      }
    ]
    try withServer(routes) { port in
      for size in stride(from: 0, to: 11_000, by: 500) {
        let client = try RawClient(port: port)
        client.send(Self.get("X: \(Self.filler(size))\r\n"))
        let answer = try client.answer()
        #expect(answer.status == 200 && answer.header("x-answer")?.utf8.count == 9_000)
        #expect(answer.header("x-request-id") != nil)
      }
    }
  }
}
