import HTTPServer
import Testing

/// A request and what is wrong or right with it.
struct Case: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let bytes: [UInt8]

  init(_ description: String, _ text: String) {
    testDescription = description
    bytes = Array(text.utf8)
  }

  init(_ description: String, _ bytes: [UInt8]) {
    testDescription = description
    self.bytes = bytes
  }
}

@Suite struct FramingTests {
  private static let routes: [Route<TestContext>] = [
    Route(.get, "/") { _, _ in text("fine") },
    Route(.post, "/", bodyLimit: 100) { request, _ in
      Response(status: 200, body: request.body)
    },
  ]

  /// What the server itself refuses, through the problem closure.
  static let refused: [Case] = [
    Case(
      "Content-Length with Transfer-Encoding",
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    ),
    Case(
      "Transfer-Encoding with Content-Length",
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n"
    ),
    Case(
      "two Content-Lengths",
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"),
    Case(
      "two equal Content-Lengths",
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\ncontent-length: 1\r\n\r\na"),
    Case("a Content-Length of +5", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +5\r\n\r\nabcde"),
    Case("a Content-Length of -1", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\nabcde"),
    Case(
      "a list of Content-Lengths", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5,5\r\n\r\nabcde"),
    Case(
      "a hexadecimal Content-Length",
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length:  0x5\r\n\r\nabcde"),
    Case(
      "a Content-Length with a blank in it",
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5 5\r\n\r\nabcde"),
    Case("a Content-Length of 5a", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5a\r\n\r\nabcde"),
    Case("an empty Content-Length", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length:\r\n\r\n"),
    Case(
      "a Content-Length that no integer holds",
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 18446744073709551618\r\n\r\nab"),
    Case("two Hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"),
    Case("two equal Hosts", "GET / HTTP/1.1\r\nHost: a\r\nhost: a\r\n\r\n"),
    Case(
      "two Authorizations",
      "GET / HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer a\r\nauthorization: Bearer b\r\n\r\n"),
    Case(
      "two Content-Types",
      "GET / HTTP/1.1\r\nHost: a\r\nContent-Type: a/b\r\nContent-Type: a/b\r\n\r\n"),
    Case("no Host", "GET / HTTP/1.1\r\nAccept: */*\r\n\r\n"),
    Case("no header at all", "GET / HTTP/1.1\r\n\r\n"),
    Case("an empty Host", "GET / HTTP/1.1\r\nHost:\r\n\r\n"),
    Case("a blank Host", "GET / HTTP/1.1\r\nHost:  \t \r\n\r\n"),
    Case("a Host with a path", "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n"),
    Case("a Host with a user", "GET / HTTP/1.1\r\nHost: u@a\r\n\r\n"),
    Case("a Host with a blank", "GET / HTTP/1.1\r\nHost: a b\r\n\r\n"),
    Case("a Host with a comma", "GET / HTTP/1.1\r\nHost: a,b\r\n\r\n"),
    Case("a Host with a bad port", "GET / HTTP/1.1\r\nHost: a:b\r\n\r\n"),
    Case("a Host with two ports", "GET / HTTP/1.1\r\nHost: a:1:2\r\n\r\n"),
    Case("a Host that is a port", "GET / HTTP/1.1\r\nHost: :80\r\n\r\n"),
    Case("a Host with an open bracket", "GET / HTTP/1.1\r\nHost: [::1\r\n\r\n"),
    Case("a malformed Host in HTTP/1.0", "GET / HTTP/1.0\r\nHost: a b\r\n\r\n"),
    Case("a NUL in a value", "GET / HTTP/1.1\r\nHost: a\r\nX: a\0b\r\n\r\n"),
    Case("a NUL in a value before others", "GET / HTTP/1.1\r\nX: a\0b\r\nHost: a\r\n\r\n"),
    Case("a NUL that begins a value", "GET / HTTP/1.1\r\nX: \0b\r\nHost: a\r\n\r\n"),
    Case("a NUL that ends a value", "GET / HTTP/1.1\r\nX: b\0\r\nHost: a\r\n\r\n"),
    Case("a NUL that ends the last value", "GET / HTTP/1.1\r\nHost: a\0\r\n\r\n"),
    Case("a bare CR in a value", "GET / HTTP/1.1\r\nHost: a\r\nX: a\rb\r\n\r\n"),
    Case("a bare CR that ends a value", "GET / HTTP/1.1\r\nHost: a\r\nX: a\r\r\n\r\n"),
    Case("a control character in a value", "GET / HTTP/1.1\r\nHost: a\r\nX: a\u{1}b\r\n\r\n"),
    Case("a DEL in a value", "GET / HTTP/1.1\r\nHost: a\r\nX: 0123456789\u{7F}b\r\n\r\n"),
    Case(
      "a control character in a long value",
      "GET / HTTP/1.1\r\nHost: a\r\nX: 0123456789ab\u{B}cdef\r\n\r\n"),
    Case("a bare CR in a name", "GET / HTTP/1.1\r\nHost: a\r\nX\rY: b\r\n\r\n"),
    Case("a control character in a name", "GET / HTTP/1.1\r\nHost: a\r\nX\u{1}: b\r\n\r\n"),
    Case("a byte over ASCII in a name", "GET / HTTP/1.1\r\nHost: a\r\nÄ: b\r\n\r\n"),
    Case("a space before the colon", "GET / HTTP/1.1\r\nHost: a\r\nX : b\r\n\r\n"),
    Case("a tab before the colon", "GET / HTTP/1.1\r\nHost: a\r\nX\t: b\r\n\r\n"),
    Case(
      "a space before the colon of Content-Length",
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length : 1\r\n\r\na"),
    Case("an empty name", "GET / HTTP/1.1\r\nHost: a\r\n: b\r\n\r\n"),
    Case("a leading blank on the first header", "GET / HTTP/1.1\r\n Host: a\r\n\r\n"),
    Case("a folded header", "GET / HTTP/1.1\r\nHost: a\r\nX: b\r\n c\r\n\r\n"),
    Case("a folded header in the middle", "GET / HTTP/1.1\r\nX: b\r\n\tc\r\nHost: a\r\n\r\n"),
    Case("a bare LF after the request line", "GET / HTTP/1.1\nHost: a\r\n\r\n"),
    Case("a bare LF after a header", "GET / HTTP/1.1\r\nX: b\nHost: a\r\n\r\n"),
    Case("a bare LF after the last header", "GET / HTTP/1.1\r\nHost: a\n\r\n"),
    Case("a bare LF as the empty line", "GET / HTTP/1.1\r\nHost: a\r\n\n"),
    Case("bare LFs only", "GET / HTTP/1.1\nHost: a\n\n"),
    Case("HTTP/1.2", "GET / HTTP/1.2\r\nHost: a\r\n\r\n"),
    Case("HTTP/1.9", "GET / HTTP/1.9\r\nHost: a\r\n\r\n"),
    Case(
      "an unknown transfer coding", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n"),
    Case(
      "gzip, chunked",
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"),
    Case(
      "chunked, chunked",
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n"),
    Case("identity", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: identity\r\n\r\n"),
    Case("an empty transfer coding", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding:\r\n\r\n"),
    Case(
      "chunked with a vertical tab",
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: \u{B}chunked\r\n\r\n0\r\n\r\n"),
    Case(
      "two Transfer-Encodings",
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    ),
    Case(
      "Transfer-Encoding in HTTP/1.0",
      "POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
    Case("an absolute target of another scheme", "GET ftp://a/ HTTP/1.1\r\nHost: a\r\n\r\n"),
    Case("an absolute target without a host", "GET http:///a HTTP/1.1\r\nHost: a\r\n\r\n"),
    Case("an absolute target with a user", "GET http://u@a/ HTTP/1.1\r\nHost: a\r\n\r\n"),
    Case("an absolute target with a bad port", "GET http://a:b/ HTTP/1.1\r\nHost: a\r\n\r\n"),
    Case("an absolute target with a fragment", "GET http://a#b HTTP/1.1\r\nHost: a\r\n\r\n"),
    Case("an absolute target without Host", "GET http://a/ HTTP/1.1\r\n\r\n"),
    Case("a target without a slash", "GET a HTTP/1.1\r\nHost: a\r\n\r\n"),
    Case("a target that is an authority", "CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n"),
    Case("OPTIONS *", "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n"),
    Case("a target with a fragment", "GET /#a HTTP/1.1\r\nHost: a\r\n\r\n"),
    Case("a space in the target", "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n"),
    Case("a tab in the target", "GET /a\tb HTTP/1.1\r\nHost: a\r\n\r\n"),
    Case("a NUL in the target", "GET /a\0b HTTP/1.1\r\nHost: a\r\n\r\n"),
    Case("a NUL that ends the target", "GET /\0 HTTP/1.1\r\nHost: a\r\n\r\n"),
    Case("a NUL in the query", "GET /?a=b\0c HTTP/1.1\r\nHost: a\r\n\r\n"),
    Case("a bare CR in the target", "GET /a\rb HTTP/1.1\r\nHost: a\r\n\r\n"),
    Case("a control character in the query", "GET /?\u{1} HTTP/1.1\r\nHost: a\r\n\r\n"),
    Case("a byte over ASCII in the target", "GET /ä HTTP/1.1\r\nHost: a\r\n\r\n"),
    Case("two spaces after the method", "GET  / HTTP/1.1\r\nHost: a\r\n\r\n"),
    Case("two spaces before the version", "GET /  HTTP/1.1\r\nHost: a\r\n\r\n"),
    Case("a tab in the method", "GE\tT / HTTP/1.1\r\nHost: a\r\n\r\n"),
    Case("a NUL in the method", "GE\0T / HTTP/1.1\r\nHost: a\r\n\r\n"),
  ]

  /// What the library refuses by itself before it calls the server.
  static let refusedByLibrary: [Case] = [
    Case("no version", "GET /\r\nHost: a\r\n\r\n"),
    Case("a malformed version", "GET / HTTP/1.1.1\r\nHost: a\r\n\r\n"),
    Case("a lower-case version", "GET / http/1.1\r\nHost: a\r\n\r\n"),
    Case("a space after the version", "GET / HTTP/1.1 \r\nHost: a\r\n\r\n"),
    Case("a header without a colon", "GET / HTTP/1.1\r\nHost: a\r\nnonsense\r\n\r\n"),
    Case("a NUL in a name", "GET / HTTP/1.1\r\nHost: a\r\nX\0Y: b\r\n\r\n"),
    Case(
      "a malformed chunk", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n"),
  ]

  @Test(arguments: refused) func refuses(_ item: Case) throws {
    try withServer(FramingTests.routes) { port in
      let client = try RawClient(port: port)
      // What follows must never be taken for a request of its own.
      client.send(item.bytes + Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
      let answer = try client.answer()
      #expect(answer.status == 400)
      #expect(answer.text.hasPrefix("malformed: "))
      #expect(answer.header("connection") == "close")
      #expect(answer.header("x-request-id") != nil)
      #expect(client.isClosed())
    }
  }

  @Test(arguments: refusedByLibrary) func isRefusedByTheLibrary(_ item: Case) throws {
    try withServer(FramingTests.routes) { port in
      let client = try RawClient(port: port)
      client.send(item.bytes + Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
      let answer = try client.answer()
      #expect(answer.status == 400)
      #expect(answer.header("connection") == "close")
      #expect(!(answer.text + client.rest()).contains("HTTP/1.1"))
    }
  }

  /// What is unusual and still right.
  static let accepted: [Case] = [
    Case("an absolute target", "GET http://b.example:80/ HTTP/1.1\r\nHost: a\r\n\r\n"),
    Case("an absolute target in capitals", "GET HTTPS://[::1]/ HTTP/1.1\r\nHost: a\r\n\r\n"),
    Case("an absolute target without a path", "GET http://a HTTP/1.1\r\nHost: a\r\n\r\n"),
    Case("an absolute target with a query alone", "GET http://a?x=/y HTTP/1.1\r\nHost: a\r\n\r\n"),
    Case(
      "an absolute target and a body",
      "POST http://a/ HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc"),
    Case(
      "blanks behind Content-Length",
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \t 3 \t\r\n\r\nabc"),
    Case("HTTP/1.0 without a Host", "GET / HTTP/1.0\r\n\r\n"),
    Case("HTTP/1.0 with a Host", "GET / HTTP/1.0\r\nHost: a\r\n\r\n"),
    Case("a Host with a port", "GET / HTTP/1.1\r\nHost: a.example:8080\r\n\r\n"),
    Case("a Host that is an IPv6 address", "GET / HTTP/1.1\r\nHost: [::1]:8080\r\n\r\n"),
    Case("blanks around values", "GET / HTTP/1.1\r\nHost: \t a \t\r\nX:b\r\nY:\r\n\r\n"),
    Case("a tab in a value", "GET / HTTP/1.1\r\nHost: a\r\nX: 0123456\t789\r\n\r\n"),
    Case("bytes over ASCII in a value", "GET / HTTP/1.1\r\nHost: a\r\nX: 뷰티 ünïcödé\r\n\r\n"),
    Case("cookies", "GET / HTTP/1.1\r\nCookie: a=b; c=\"d e\"\r\nHost: a\r\nCookie: f=g\r\n\r\n"),
    Case(
      "a query with everything",
      "GET /?a=b&a=%20+&&=&c?/:@!$'()*,;[]{}|^`\"<>\\~ HTTP/1.1\r\nHost: a\r\n\r\n"),
    Case("empty lines before the request", "\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n"),
    Case(
      "a chunked body",
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"),
    Case(
      "chunks with extensions and a trailer",
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3;a=b\r\nabc\r\n0\r\nX: y\r\n\r\n"
    ),
    Case("a body with HTTP/1.0", "POST / HTTP/1.0\r\nContent-Length: 3\r\n\r\nabc"),
  ]

  @Test(arguments: accepted) func accepts(_ item: Case) throws {
    try withServer(FramingTests.routes) { port in
      let client = try RawClient(port: port)
      client.send(item.bytes)
      #expect(try client.answer().status == 200)
    }
  }

  @Test func acceptsAHeadInSmallPieces() throws {
    try withServer(FramingTests.routes) { port in
      let client = try RawClient(port: port)
      for byte in "GET /?x HTTP/1.1\r\nHost: a\r\nX: y\r\n\r\n".utf8 { client.send([byte]) }
      #expect(try client.answer().status == 200)
    }
  }

  @Test func acceptsManyLargeHeadsOnOneConnection() throws {
    try withServer(FramingTests.routes) { port in
      let client = try RawClient(port: port)
      for (count, size) in [(1, 10), (100, 10), (50, 210), (1, 11900), (10, 1100), (50, 220)] {
        let value = String(repeating: "v", count: size)
        let fields = (0..<count).map { "X-Number-\($0): \(value)\r\n" }
        client.send("GET /?\(value.prefix(100)) HTTP/1.1\r\nHost: a\r\n\(fields.joined())\r\n")
        #expect(try client.answer().status == 200)
      }
    }
  }

  @Test func refusesHeadsOverTheLimit() throws {
    try withServer(FramingTests.routes) { port in
      let head = "GET / HTTP/1.1\r\nHost: a\r\nX: "
      for (excess, status) in [(0, 200), (1, 431)] {
        let client = try RawClient(port: port)
        let filler = String(repeating: "v", count: 12288 - head.utf8.count - 4 + excess)
        client.send(head + filler + "\r\n\r\n")
        let answer = try client.answer()
        #expect(answer.status == status)
        #expect(answer.text == (status == 200 ? "fine" : "headers over 12288"))
        if status == 431 { #expect(client.isClosed()) }
      }
    }
  }

  @Test func refusesHeadsThatTheLibraryCannotHold() throws {
    try withServer(FramingTests.routes) { port in
      let client = try RawClient(port: port)
      client.send(
        "GET / HTTP/1.1\r\nHost: a\r\nX: " + String(repeating: "v", count: 100_000) + "\r\n\r\n")
      #expect(try client.answer().status == 431)
      #expect(client.isClosed())
    }
  }
}
