import HTTPServer
import Testing

@Suite struct ServingTests {
  @Test func echoesABody() throws {
    let echo = Route<TestContext>(.post, "/echo", bodyLimit: 100) { request, _ in
      Response(status: 200, headers: [("Content-Type", "text/plain")], body: request.body)
    }
    try withServer([echo]) { port in
      let client = try RawClient(port: port)
      for body in ["", "a", "some more"] {
        client.send(
          "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
        let answer = try client.answer()
        #expect(answer.status == 200)
        #expect(answer.text == body)
        #expect(answer.header("content-type") == "text/plain")
        #expect(answer.header("x-request-id")?.isEmpty == false)
      }
    }
  }
}
