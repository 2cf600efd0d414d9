import CHTTPHead
import Testing

@Suite("The request line and the head as a whole") struct RequestLineTests {
  @Test("HTTP/1.1 needs a Host, HTTP/1.0 none", arguments: [true, false])
  func versions(layout: Bool) {
    #expect(Scan("GET / HTTP/1.1\r\nHost: a\r\n\r\n", layout: layout).fault == nil)
    #expect(Scan("GET / HTTP/1.0\r\n\r\n", layout: layout).fault == nil)
    #expect(Scan("GET / HTTP/1.1\r\n\r\n", layout: layout).fault == "There is no Host header.")
    for version in ["HTTP/1.2", "HTTP/1.10", "HTTP/2.0", "http/1.1", "HTTP/1."] {
      #expect(
        Scan("GET / \(version)\r\nHost: a\r\n\r\n", layout: layout).fault
          == "The version is neither HTTP/1.1 nor HTTP/1.0.", "\(version)")
    }
  }

  @Test("a method is a token")
  func methods() {
    #expect(Scan("M-SEARCH / HTTP/1.1\r\nHost: a\r\n\r\n").fault == nil)
    #expect(
      Scan("G(T / HTTP/1.1\r\nHost: a\r\n\r\n").fault
        == "The method holds a character that is not allowed there.")
  }

  @Test("a target is a path whose characters need no encoding")
  func targets() {
    for target in ["/", "/a?b=c", "/%2f?x=/?", "/~!$&'()*+,;=:@"] {
      #expect(Scan("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n").fault == nil, "\(target)")
    }
    for target in ["*", "a", "?x", "ftp://a/", "a:80"] {
      #expect(
        Scan("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n").fault
          == "The request target is not a path that begins with a slash.", "\(target)")
    }
    for target in ["/a#b", "/ä", "/a\u{7F}", "/a\tb"] {
      #expect(
        Scan("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n").fault
          == "The request target holds a character that must be percent-encoded.", "\(target)")
    }
  }

  @Test(
    "a target in absolute form is cut behind its authority",
    arguments: [
      ("http://a/b?c", "/b?c"), ("HTTPS://a:443/b", "/b"), ("http://a", ""), ("http://a?b", "?b"),
      ("http://[::1]:80/b", "/b"), ("/http://a", "/http://a"), ("http:/a", "http:/a"), ("", ""),
      ("http://a#b", "#b"),
    ])
  func absoluteForms(target: String, path: String) {
    target.withCString { start in
      let split = http_target_split(start, target.utf8.count)
      let rest = UnsafeRawBufferPointer(start: split.path, count: split.path_size)
      #expect(String(decoding: rest, as: UTF8.self) == path)
      #expect(split.size == target.utf8.count && split.fault == nil)
    }
  }

  @Test(
    "the authority of an absolute form is a host",
    arguments: ["http://", "http:///a", "https://u@a/", "http://a:b/", "http://?a"])
  func noAuthorities(target: String) {
    #expect(
      Scan("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n").fault
        == "The host in the request target is empty or malformed.")
  }

  @Test(
    "gaps between the lines show where the layout is looked at",
    arguments: [
      "GET / HTTP/1.1\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\nX: b\nHost: a\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: a\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\n\n",
      "GET / HTTP/1.1\nHost: a\n\n",
      "GET / HTTP/1.1\r\nX: a\0b\r\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\0\r\n\r\n",
    ])
  func gaps(head: String) {
    #expect(
      Scan(head).fault == "A line of the head does not end in CR LF, is folded or holds a NUL.")
    #expect(Scan(head, layout: false).fault == nil)
  }

  @Test("doubled spaces in the request line show too")
  func doubledSpaces() {
    for line in ["GET  / HTTP/1.1", "GET /  HTTP/1.1"] {
      #expect(Scan(line + "\r\nHost: a\r\n\r\n").fault == "The request line is malformed.")
    }
  }

  @Test("the memory is half of the limit or the head's, and a record of each field and cookie")
  func memory() {
    let short = "GET / HTTP/1.1\r\nHost: a\r\nCookie: a=1; b=2;c=3\r\n\r\n"
    #expect(Scan(short, limit: 32768, record: 64).head.memory == 16384 + 4 * 64)
    let long = "GET /" + String(repeating: "a", count: 20000) + " HTTP/1.1\r\nHost: a\r\n\r\n"
    let scan = Scan(long, limit: 32768, record: 64)
    #expect(scan.head.memory == scan.size + 256 + 64)
  }

  @Test("a head at fault has no memory reckoned")
  func faulty() {
    #expect(Scan("GET / HTTP/1.1\r\nHost:\r\n\r\n", limit: 32768, record: 64).head.memory == 0)
  }
}
