import HTTPServer
import Testing

@Suite struct BodyLimitTests {
  private let routes: [Route<TestContext>] = [
    Route(.post, "/small", bodyLimit: 10) { request, _ in
      // As an API would: the caller is checked before the size.
      guard request.header("Authorization") != nil else { return text("who", status: 401) }
      return request.bodyTooLarge
        ? text("too large", status: 413) : Response(status: 200, body: request.body)
    }
  ]

  private static let head = "POST /small HTTP/1.1\r\nHost: a\r\nAuthorization: x\r\n"

  private func chunk(_ body: String) -> String {
    String(body.utf8.count, radix: 16) + "\r\n\(body)\r\n"
  }

  @Test func keepsTheConnectionAfterABodyThatIsThereAndTooLarge() throws {
    try withServer(routes) { port in
      let client = try RawClient(port: port)
      for (size, status) in [(10, 200), (11, 413), (1_000, 413), (10, 200)] {
        let body = String(repeating: "a", count: size)
        client.send(BodyLimitTests.head + "Content-Length: \(size)\r\n\r\n" + body)
        #expect(try client.answer().status == status)
      }
    }
  }

  @Test(
    "what is too large is answered when that is known",
    arguments: [
      "Content-Length: 11\r\n\r\n", "Content-Length: 200000\r\n\r\n0123456789a",
      "Transfer-Encoding: chunked\r\n\r\nfffff\r\n0123456789a",
      "Transfer-Encoding: chunked\r\n\r\na\r\n0123456789\r\n2\r\nab",
    ])
  func waitsForNothingMore(_ rest: String) throws {
    try withServer(routes) { port in
      let client = try RawClient(port: port)
      client.send(BodyLimitTests.head + rest)
      let answer = try client.answer()
      #expect(answer.status == 413)
      #expect(answer.header("connection") == "close")
      #expect(client.isClosed())
    }
  }

  @Test func theHandlerDecidesWhatATooLargeBodyMeans() throws {
    try withServer(routes) { port in
      let client = try RawClient(port: port)
      client.send("POST /small HTTP/1.1\r\nHost: a\r\nContent-Length: 11\r\n\r\n01234567890")
      #expect(try client.answer().status == 401)
    }
  }

  @Test func takesChunkedBodies() throws {
    try withServer(routes) { port in
      for (parts, status) in [
        (["0123456789"], 200), (["01234", "5", "6789"], 200), (["01234", "567890"], 413), ([], 200),
        ([String(repeating: "x", count: 100_000)], 413), (["0"], 200),
      ] {
        let client = try RawClient(port: port)
        client.send(BodyLimitTests.head + "Transfer-Encoding: chunked\r\n\r\n")
        client.send(parts.map(chunk).joined() + "0\r\n\r\n")
        let answer = try client.answer()
        #expect(answer.status == status)
        if status == 200 { #expect(answer.text == parts.joined()) }
      }
    }
  }

  @Test func answersAtOnceWhereTheLengthIsFarTooLarge() throws {
    try withServer(routes) { port in
      let client = try RawClient(port: port)
      client.send(BodyLimitTests.head + "Content-Length: 99999999999\r\n\r\n")
      let answer = try client.answer()
      #expect(answer.status == 413)
      #expect(answer.header("connection") == "close")
      #expect(client.isClosed())
    }
  }

  @Test func aClientThatGoesOnSendingIsNotReset() throws {
    try withServer(routes) { port in
      let client = try RawClient(port: port)
      client.send(BodyLimitTests.head + "Content-Length: 99999999999\r\n\r\n")
      #expect(client.hasAnswer(within: 20_000))
      let piece = [UInt8](repeating: 0x61, count: 16384)
      let sent = (0..<40).count { _ in client.send(piece) }
      #expect(sent == 40)
      #expect(try client.answer().status == 413)
      #expect(client.isClosed())
    }
  }

  @Test func answersInTheMiddleOfAnEndlessChunkedBody() throws {
    try withServer(routes) { port in
      let client = try RawClient(port: port)
      client.send(BodyLimitTests.head + "X-Request-Id: mine\r\nTransfer-Encoding: chunked\r\n\r\n")
      let part = chunk(String(repeating: "x", count: 65536))
      for _ in 0..<20 { client.send(part) }
      let answer = try client.answer()
      #expect(answer.status == 413)
      #expect(answer.text == "too large")
      #expect(answer.header("connection") == "close")
      #expect(answer.header("content-type") == "text/plain")
      #expect(answer.header("date")?.hasSuffix(" GMT") == true)
      #expect(answer.header("x-request-id") == "mine")
      #expect(client.isClosed())
    }
  }

  @Test func asksForABodyThatIsExpectedToFit() throws {
    try withServer(routes) { port in
      let client = try RawClient(port: port)
      client.send(BodyLimitTests.head + "Expect: 100-continue\r\nContent-Length: 3\r\n\r\n")
      #expect(try client.answer().status == 100)
      client.send("abc")
      #expect(try client.answer().text == "abc")
    }
  }

  @Test func doesNotAskForABodyThatIsTooLarge() throws {
    try withServer(routes) { port in
      let client = try RawClient(port: port)
      client.send(BodyLimitTests.head + "Expect: 100-Continue\r\nContent-Length: 11\r\n\r\n")
      let answer = try client.answer()
      #expect(answer.status == 413)
      #expect(answer.header("connection") == "close")
      #expect(client.isClosed())
    }
  }

  @Test func aBodyThatNoRouteTakesIsDiscarded() throws {
    try withServer(routes) { port in
      let client = try RawClient(port: port)
      for _ in 0..<2 {
        let head = "POST /nothing HTTP/1.1\r\nHost: a\r\nContent-Length: 5000\r\n\r\n"
        client.send(Array(head.utf8) + [UInt8](repeating: 0x61, count: 5000))
        #expect(try client.answer().status == 404)
      }
    }
  }
}
