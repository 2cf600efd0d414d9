import Foundation
import Glibc
import Serving
import Synchronization
import Testing

@testable import CLI

@Suite("serve")
struct ServeCommandTests {
  /// Serves on free ports and calls `use` with them while it does.
  func serve(
    _ installation: Installation, _ more: [String] = [],
    use: @escaping @Sendable (_ api: UInt16, _ operations: UInt16) -> Void
  ) -> Run {
    let errors = Mutex("")
    let signals = ServerSignals(
      hold: {},
      next: {
        let lines = errors.withLock { $0 }.split(separator: "\n")
        let ports = lines.compactMap { $0.split(separator: ":").last.flatMap { UInt16($0) } }
        #expect(lines.first?.hasPrefix("listening on http://127.0.0.1:") == true)
        #expect(lines.last?.hasPrefix("operations listening on http://127.0.0.1:") == true)
        if ports.count == 2 { use(ports[0], ports[1]) }
        return .stop
      })
    return installation.run(
      ["serve", "--listen", "127.0.0.1:0", "--operations-listen", "127.0.0.1:0"] + more,
      signals: signals, onError: { text in errors.withLock { $0 += text } })
  }

  @Test("answers on both listeners until it is told to stop, then exits with 0")
  func answers() throws {
    let installation = try Installation.withProject()
    let key = try installation.run(
      "key", "create", "--scope", "launch", "--project", Installation.project, "--output", "json"
    ).json()
    let (secret, keyID) = (try #require(key.text("api_key")), try #require(key.text("key_id")))
    let run = serve(installation, ["--workers", "2"]) { api, operations in
      #expect(get("/readyz", port: operations).hasPrefix("HTTP/1.1 200 "))
      #expect(get("/readyz", port: api).hasPrefix("HTTP/1.1 404 "))
      #expect(get("/whoami", port: api).hasPrefix("HTTP/1.1 401 "))
      #expect(get("/whoami", port: operations).hasPrefix("HTTP/1.1 404 "))
      let known = get("/whoami", port: api, key: secret)
      #expect(known.hasPrefix("HTTP/1.1 200 "))
      #expect(known.contains(Installation.project))
      // A command that runs beside the server counts for its very next request.
      installation.run("key", "revoke", keyID, "--yes").expect(.success)
      #expect(get("/whoami", port: api, key: secret).contains("revoked_api_key"))
    }
    run.expect(.success, "stopping")
    #expect(run.output.isEmpty)
  }

  @Test("does not start on an address that is taken, wrong or open to the network")
  func addresses() throws {
    let installation = try Installation.made()
    let run = serve(installation) { api, operations in
      for taken in [api, operations] {
        installation.run(
          "serve", "--listen", "127.0.0.1:\(taken)", "--operations-listen", "127.0.0.1:0"
        )
        .expect(.unavailable, "127.0.0.1:\(taken)")
        installation.run(
          "serve", "--listen", "127.0.0.1:0", "--operations-listen", "127.0.0.1:\(taken)"
        )
        .expect(.unavailable, "127.0.0.1:\(taken)")
      }
    }
    run.expect(.success)
    installation.run("serve", "--listen", "localhost:80").expect(.configuration, "--listen")
    installation.run("serve", "--listen", "0.0.0.0:0").expect(.configuration, "allow_plaintext")
    installation.run("serve", "--workers", "0").expect(.configuration, "--workers")
  }

  @Test("listens on neither address where it cannot listen on both")
  func both() throws {
    let installation = try Installation.made()
    // An address of the test's own, where nothing else can have the port.
    let address = "127.9.8.7"
    serve(installation) { api, _ in
      installation.run(
        "serve", "--listen", "\(address):\(api)", "--operations-listen", "127.0.0.1:\(api)"
      ).expect(.unavailable, "127.0.0.1:\(api)")
      #expect(get("/whoami", host: address, port: api) == "no connection")
    }.expect(.success)
  }

  @Test("says what to do where there is no data directory")
  func missing() throws {
    try Installation().run("serve").expect(.configuration, "launchlink init")
  }
}

/// Asks over a socket of its own, for an answer that ends with the connection.
private func get(
  _ path: String, host: String = "127.0.0.1", port: UInt16, key: String? = nil
) -> String {
  let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  defer { close(descriptor) }
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = port.bigEndian
  inet_pton(AF_INET, host, &address.sin_addr)
  let isConnected = withUnsafePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
    }
  }
  guard isConnected else { return "no connection" }
  let credentials = key.map { "Authorization: Bearer \($0)\r\n" } ?? ""
  let request = Array(
    "GET \(path) HTTP/1.1\r\nHost: a\r\n\(credentials)Connection: close\r\n\r\n".utf8)
  guard write(descriptor, request, request.count) == request.count else { return "not sent" }
  var answer: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 4096)
  while true {
    let count = read(descriptor, &buffer, buffer.count)
    guard count > 0 else { return String(decoding: answer, as: UTF8.self) }
    answer += buffer[..<count]
  }
}
