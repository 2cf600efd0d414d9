import CHTTPHead
import Testing

@Suite("Fields of a head") struct FieldTests {
  @Test(
    "hosts with and without a port",
    arguments: [
      "a", "a.example", "A-b_c~d.example:8080", "127.0.0.1", "[::1]", "[::1]:80", "[v1.x:y]:80",
      "a:", "%61", "a \t",
    ])
  func hosts(host: String) {
    #expect(Scan.host(host).fault == nil)
  }

  @Test(
    "what is no host",
    arguments: [
      "", " ", "a/b", "u@a", "a b", "a,b", "a:b", "a:1:2", ":80", "[::1", "[]", "[]:80", "[::1]x",
      "[a b]", "a?b", "a#b", "a!", "런치.example",
    ])
  func noHosts(host: String) {
    #expect(Scan.host(host).fault == "The Host header is empty or malformed.")
  }

  @Test("names are tokens: of each byte it is known whether it may stand there")
  func names() {
    let marks = Array("!#$%&'*+-.^_`|~".utf8)
    for byte in UInt8.min...UInt8.max where ![0x0A, 0x0D, 0x3A].contains(byte) {
      let scan = Scan(
        Array("GET / HTTP/1.1\r\nHost: a\r\nX".utf8) + [byte] + Array("Y: b\r\n\r\n".utf8))
      let isLetterOrDigit =
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte | 0x20 ^ 0x20)
        || (0x61...0x7A).contains(byte)
      #expect((scan.fault == nil) == (isLetterOrDigit || marks.contains(byte)), "\(byte)")
    }
    #expect(
      Scan("GET / HTTP/1.1\r\nHost: a\r\n: b\r\n\r\n").fault == "A header has no name.")
  }

  @Test("values hold no control character but the tab, wherever it stands")
  func values() {
    for byte in UInt8.min...UInt8.max where byte != 0x0A && byte != 0x0D {
      for length in [0, 1, 7, 8, 9, 20] {
        for place in [0, length / 2, length] {
          var value = [UInt8](repeating: UInt8(ascii: "v"), count: length)
          value.insert(byte, at: place)
          let isControl = (byte < 0x20 && byte != 0x09) || byte == 0x7F
          #expect((Scan.field("X", value).fault != nil) == isControl, "\(byte) at \(place)")
        }
      }
    }
  }

  @Test(
    "a header that two readers could read differently stands once",
    arguments: [
      ("Host", "a", "a"), ("Content-Length", "1", "1"),
      ("Transfer-Encoding", "chunked", "chunked"), ("Content-Type", "a/b", "a/b"),
      ("Authorization", "Bearer a", "Bearer b"),
    ])
  func duplicates(name: String, first: String, second: String) {
    let rest = name == "Host" ? "" : "Host: a\r\n"
    let scan = Scan(
      "POST / HTTP/1.1\r\n\(rest)\(name): \(first)\r\nX: y\r\n\(name.uppercased()): \(second)\r\n\r\n"
    )
    #expect(scan.fault == "There are two \(name) headers; send one.")
  }

  @Test("other headers may stand twice")
  func repeated() {
    #expect(Scan.fields("Accept: a", "Accept: b", "Cookie: a=1", "Cookie: b=2").fault == nil)
  }

  @Test(
    "Content-Length is a number of at most 18 digits",
    arguments: [
      ("0", 0), ("5", 5), ("007", 7), ("5 \t", 5), ("999999999999999999", 999_999_999_999_999_999),
    ])
  func lengths(value: String, length: UInt64) {
    let scan = Scan.fields("content-LENGTH: \(value)")
    #expect(scan.fault == nil && scan.head.content_length == length && !scan.head.chunked)
  }

  @Test(
    "what is no Content-Length",
    arguments: ["", "+5", "-1", "5,5", "0x5", "5 5", "5a", "1234567890123456789"])
  func noLengths(value: String) {
    #expect(Scan.fields("Content-Length: \(value)").fault == "Content-Length is not a number.")
  }

  @Test("Transfer-Encoding is chunked in any case, and nothing else")
  func codings() {
    for value in ["chunked", "Chunked", "CHUNKED "] {
      let scan = Scan.fields("Transfer-Encoding: \(value)")
      #expect(scan.fault == nil && scan.head.chunked)
    }
    for value in ["", "gzip", "gzip, chunked", "chunked, chunked", "identity", "chunked;a=b"] {
      #expect(
        Scan.fields("Transfer-Encoding: \(value)").fault
          == "Transfer-Encoding may only be chunked.")
    }
    #expect(
      Scan("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n").fault
        == "HTTP/1.0 has no Transfer-Encoding.")
  }

  @Test("Content-Length and Transfer-Encoding exclude each other in either order")
  func twoFramings() {
    let fields = ["Content-Length: 0", "Transfer-Encoding: chunked"]
    for (first, second) in [(fields[0], fields[1]), (fields[1], fields[0])] {
      #expect(
        Scan.fields(first, second).fault
          == "There are both Content-Length and Transfer-Encoding; send one.")
    }
  }

  @Test("only HTTP/1.1 waits for 100")
  func expectations() {
    #expect(Scan.fields("Expect: 100-Continue").head.expects_continue)
    #expect(!Scan.fields("Expect: 100-continues").head.expects_continue)
    #expect(!Scan("POST / HTTP/1.0\r\nExpect: 100-continue\r\n\r\n").head.expects_continue)
  }

  @Test("the first request id of 1 to 128 visible characters is the caller's")
  func requestIDs() {
    let longest = String(repeating: "x", count: 128)
    #expect(Scan.fields("X-Request-ID: \(longest)").requestID == longest)
    #expect(Scan.fields("X-Request-ID: \(longest)x").requestID == nil)
    #expect(
      Scan.fields("X-Request-ID: a b", "x-request-id: c ", "X-Request-ID: d").requestID == "c")
    #expect(Scan.fields("X-Request-ID: ", "X-Request-ID: ä").requestID == nil)
  }
}
