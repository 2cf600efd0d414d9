import HTTPServer
import Testing

@testable import LaunchAPI

@Suite struct TrustedProxiesTests {
  @Test(arguments: [
    ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.0", false),
    ("192.0.2.7", "192.0.2.7", true), ("192.0.2.7", "192.0.2.8", false),
    ("0.0.0.0/0", "203.0.113.9", true), ("0.0.0.0/0", "::1", false),
    ("::/0", "2001:db8::1", true), ("::/0", "192.0.2.7", false),
    ("2001:db8::/33", "2001:db8:7fff::1", true), ("2001:db8::/33", "2001:db8:8000::1", false),
    ("2001:db8:0:0:8000::/65", "2001:db8::8000:0:0:1", true),
    ("2001:db8:0:0:8000::/65", "2001:db8::1", false),
    ("127.0.0.1", "::ffff:127.0.0.1", true), ("::ffff:10.0.0.0/104", "10.1.2.3", true),
    ("::ffff:10.0.0.0/104", "11.1.2.3", false),
  ])
  func blockContains(_ block: String, _ address: String, _ expected: Bool) throws {
    #expect(
      try AddressBlock(parsing: block).contains(#require(IPAddress(address))) == expected)
  }

  @Test(arguments: [
    "", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/08", "10.0.0.0/+8", "10.0.0.0/8/8",
    "10.0.0.1/8",
    "2001:db8::1/32", "::/129", "localhost", "10.0.0", "010.0.0.1", "[::1]", "fe80::1%eth0",
    "::ffff:10.0.0.1/96/1", " 10.0.0.1", "10.0.0.1\u{0}",
  ])
  func refusedBlock(_ text: String) {
    #expect(throws: AddressBlockError(text: text)) { try AddressBlock(parsing: text) }
  }

  @Test(arguments: [
    ("127.0.0.1", [], "127.0.0.1"),
    ("127.0.0.1", ["192.0.2.1"], "192.0.2.1"),
    ("127.0.0.1", ["198.51.100.9, 192.0.2.1"], "192.0.2.1"),
    ("127.0.0.1", ["198.51.100.9,192.0.2.1 ,\t10.0.0.3"], "192.0.2.1"),
    ("127.0.0.1", ["198.51.100.9", "192.0.2.1", "10.0.0.3"], "192.0.2.1"),
    ("127.0.0.1", ["10.0.0.5, 10.0.0.4"], "10.0.0.5"),
    ("192.0.2.66", ["198.51.100.9"], "192.0.2.66"),
    ("::ffff:127.0.0.1", ["192.0.2.1:4711"], "192.0.2.1"),
    ("127.0.0.1", ["[2001:db8::7]:4711"], "2001:db8::7"),
    ("127.0.0.1", ["2001:DB8:0:0::7"], "2001:db8::7"),
    ("127.0.0.1", ["192.0.2.1, unknown, 10.0.0.3"], "10.0.0.3"),
    ("127.0.0.1", ["192.0.2.1,"], "127.0.0.1"), ("127.0.0.1", [""], "127.0.0.1"),
    ("127.0.0.1", ["192.0.2.1\",\"x\":\""], "127.0.0.1"),
    ("127.0.0.1", ["[::1"], "127.0.0.1"), ("127.0.0.1", ["192.0.2.1%0a"], "127.0.0.1"),
  ])
  func client(_ peer: String, _ forwarded: [String], _ expected: String) throws {
    let proxies = TrustedProxies([
      try AddressBlock(parsing: "127.0.0.1"), try AddressBlock(parsing: "10.0.0.0/8"),
    ])
    let request = Request(.get, "/", headers: forwarded.map { ("x-forwarded-FOR", $0) })
    let peer = try #require(IPAddress(peer))
    let found = request.withHeaderValues("X-Forwarded-For") {
      proxies.client(peer: peer, forwarded: $0)
    }
    #expect(found.description == expected)
  }

  @Test func nobodyIsTrustedUnlessNamed() throws {
    #expect(!TrustedProxies().trusts(try #require(IPAddress("127.0.0.1"))))
  }
}
