import HTTPServer
import Testing

/// What frames a chunked body (RFC 9112 section 7.1): it has limits.
struct ChunkFramingTests {
  private static let routes: [Route<TestContext>] = [
    Route(.post, "/", bodyLimit: 16384) { request, _ in
      request.bodyTooLarge
        ? text("too large", status: 413) : Response(status: 200, body: request.body)
    },
    Route(
      .post, "/refused", bodyLimit: 16384, admission: { _, _ in text("who", status: 401) },
      answer: { _, _ in text("who", status: 401) }),
    Route(.get, "/") { _, _ in text("fine") },
  ]

  private static func head(_ path: String = "/", _ fields: String = "") -> String {
    "POST \(path) HTTP/1.1\r\nHost: a\r\n\(fields)Transfer-Encoding: chunked\r\n\r\n"
  }

  private static func filler(_ size: Int) -> String { String(repeating: "0", count: size) }

  /// Parts of the framing that are larger than the library's buffer and not whole.
  static let unfinished = [
    Case("a chunk extension", "1;x=\(filler(17_000))"),
    Case("a size with leading zeros", filler(17_000)),
    Case("an extension behind a chunk", "1\r\na\r\n1;x=\(filler(17_000))"),
    Case(
      "an extension behind many chunks",
      String(repeating: "1\r\na\r\n", count: 100) + "1;\(filler(17_000))"),
    Case("a trailer", "0\r\nX: \(filler(17_000))"),
    Case("many trailers", "0\r\n" + String(repeating: "X: \(filler(200))\r\n", count: 100)),
  ]

  @Test("a part of the framing that never ends is refused", arguments: unfinished)
  func refusesUnfinished(_ item: Case) throws {
    try withServer(Self.routes) { port in
      for fields in ["", "X: \(Self.filler(5_000))\r\n", "X: \(Self.filler(10_500))\r\n"] {
        let client = try RawClient(port: port)
        client.send(Array(Self.head("/", fields).utf8) + item.bytes)
        let answer = try client.answer()
        #expect([413, 431].contains(answer.status))
        #expect(answer.header("connection") == "close")
        #expect(client.isClosed())
      }
    }
  }

  @Test("framing counts towards the limit of the body's size")
  func countsFraming() throws {
    try withServer(Self.routes) { port in
      for (size, count, status) in [
        (10, 20, 200), (150, 90, 200), (150, 130, 413), (2_000, 12, 413),
      ] {
        let client = try RawClient(port: port)
        let chunk = "1;x=\(Self.filler(size))\r\na\r\n"
        client.send(Self.head() + String(repeating: chunk, count: count) + "0\r\n\r\n")
        let answer = try client.answer()
        #expect(answer.status == status)
        guard status == 200 else {
          #expect(client.isClosed())
          continue
        }
        #expect(answer.body.count == count)
        client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try client.answer().status == 200)
      }
    }
  }

  @Test(
    "a body of the whole size passes in chunks of any usual size", arguments: [1 << 14, 4_096, 128])
  func takesWholeBodies(_ size: Int) throws {
    try withServer(Self.routes) { port in
      let client = try RawClient(port: port)
      let chunk = String(size, radix: 16) + "\r\n" + Self.filler(size) + "\r\n"
      client.send(Self.head() + String(repeating: chunk, count: (1 << 14) / size) + "0\r\n\r\n")
      let answer = try client.answer()
      #expect(answer.status == 200 && answer.body.count == 1 << 14)
    }
  }

  @Test("a body in very many pieces is the same as in one")
  func takesPieces() throws {
    try withServer(Self.routes) { port in
      let client = try RawClient(port: port)
      for byte in (Self.head() + "3;a=b\r\nabc\r\n2\r\nde\r\n0;c\r\nX: y\r\n\r\n").utf8 {
        client.send([byte])
      }
      #expect(try client.answer().text == "abcde")
    }
  }

  @Test(
    "endless extensions are cut off, whoever sends them", arguments: ["/", "/refused", "/nowhere"])
  func cutsOffEndlessExtensions(_ path: String) throws {
    try withServer(Self.routes) { port in
      let client = try RawClient(port: port)
      client.send(Self.head(path))
      let chunk = Array("1;x=\(Self.filler(4_000))\r\n \r\n".utf8)
      var sent = 0
      // The system's socket buffers alone may take 36 MiB (tcp_rmem and tcp_wmem) before the end is seen.
      while sent < 128 << 20, client.send(chunk) { sent += chunk.count }
      #expect(sent < 48 << 20)
    }
  }
}
