import HTTPServer
import Testing

@Suite struct AddressTests {
  @Test(arguments: ["127.0.0.1:8080", "0.0.0.0:0", "[::1]:8080", "[::]:65535", "[fe80::1]:1"])
  func readsAddresses(text: String) throws {
    #expect(try Address(parsing: text).description == text)
  }

  @Test(
    arguments: [
      "", ":", "8080", ":8080", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1",
      "127.0.0.1:+1", "127.0.0.1:8080x", "127.0.0:80", "localhost:8080", "::1:8080", "[::1]",
      "[]:1",
      "[127.0.0.1]:80", "[::1:80", "256.0.0.1:80", " 127.0.0.1:80",
    ])
  func refusesWhatIsNoAddress(text: String) {
    #expect(throws: AddressError.self) { try Address(parsing: text) }
  }

  @Test func tellsLoopbackApart() throws {
    for text in [
      "127.0.0.1:1", "127.9.9.9:1", "[::1]:1", "[0:0:0:0:0:0:0:1]:1", "[::ffff:127.0.0.1]:1",
    ] {
      #expect(try Address(parsing: text).isLoopback, "\(text)")
    }
    for text in [
      "0.0.0.0:1", "128.0.0.1:1", "[::]:1", "[::2]:1", "[127::1]:1", "[::ffff:1.2.3.4]:1",
    ] {
      #expect(try !Address(parsing: text).isLoopback, "\(text)")
    }
  }

  private func server(_ address: String) throws -> Server {
    Server(
      configuration: Server.Configuration(address: try Address(parsing: address)),
      router: Router<TestContext>(
        [Route(.get, "/") { _, _ in text("fine") }], reject: rejectText)
    ) { TestContext() }
  }

  @Test func servesIPv6() throws {
    let server = try server("[::1]:0")
    try server.start()
    let client = try RawClient(port: try #require(server.boundPort), family: .ipv6)
    client.send("GET / HTTP/1.1\r\nHost: [::1]\r\n\r\n")
    #expect(try client.answer().text == "fine")
    #expect(server.stop(deadline: .seconds(20)).isClean)
  }

  @Test func saysThatAnAddressIsInUse() throws {
    try withServer([]) { port in
      let address = try Address(parsing: "127.0.0.1:\(port)")
      #expect(throws: ServerError.addressInUse(address)) { try server("127.0.0.1:\(port)").start() }
    }
  }

  @Test func saysThatTheMachineHasNoSuchAddress() throws {
    // RFC 5737: an address for documentation, which no machine has.
    let address = try Address(parsing: "192.0.2.1:0")
    #expect(throws: ServerError.addressNotAvailable(address)) { try server("192.0.2.1:0").start() }
  }

  @Test func errorsNameTheAddressAndWhatToDo() throws {
    let address = try Address(parsing: "127.0.0.1:80")
    for error in [ServerError.addressInUse(address), .permissionDenied(address)] {
      #expect("\(error)".contains("127.0.0.1:80") && "\(error)".contains("choose"))
    }
  }
}
