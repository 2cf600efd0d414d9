import Foundation
import HTTPServer
import Testing

/// Promised answers through TLS, as the client of OpenSSL reads them.
@Suite struct PromiseTLSTests {
  private let desk = Desk()

  private func run(_ arguments: [String]) throws -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
    process.arguments = arguments
    process.standardError = FileHandle.nullDevice
    return process
  }

  private func makeIdentity() throws -> TLSIdentity {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let certificate = folder.appendingPathComponent("certificate")
    let key = folder.appendingPathComponent("key")
    let process = try run([
      "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
      "-subj", "/CN=localhost", "-days", "2", "-keyout", key.path, "-out", certificate.path,
    ])
    try process.run()
    process.waitUntilExit()
    return try TLSIdentity(
      certificate: Array(try Data(contentsOf: certificate)), key: Array(try Data(contentsOf: key)))
  }

  /// A request as text.
  private func request(_ path: String, _ id: Int, body: String = "") -> String {
    "POST \(path) HTTP/1.1\r\nHost: a\r\nX-Request-Id: \(id)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
  }

  private func withClient(_ use: (FileHandle, FileHandle) throws -> Void) throws {
    let identity = try makeIdentity()
    try withServer(desk.routes(), configure: { $0.identity = identity }) { port in
      // The library reads only those again whom another connection is older than.
      let older = try RawClient(port: port)
      defer { #expect(!older.hasEnded()) }
      let process = try run(["s_client", "-quiet", "-connect", "127.0.0.1:\(port)"])
      let (input, output) = (Pipe(), Pipe())
      process.standardInput = input
      process.standardOutput = output
      try process.run()
      defer {
        // It ignores SIGTERM where the test's process does.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
      }
      try use(input.fileHandleForWriting, output.fileHandleForReading)
    }
  }

  /// Reads until this text has come.
  private func read(_ text: String, from output: FileHandle) -> String {
    var received = ""
    while !received.contains(text) {
      let data = output.availableData
      if data.isEmpty { break }
      received += String(decoding: data, as: UTF8.self)
    }
    return received
  }

  @Test(.timeLimit(.minutes(1))) func answersComeInOrder() throws {
    try withClient { input, output in
      // More than the library's buffer holds, in one record: the rest waits in GnuTLS while the first is parked.
      let filler = String(repeating: "x", count: 900)
      let requests = (0..<14).map { request($0 % 2 == 0 ? "/later" : "/", $0, body: filler) }
      input.write(Data(requests.joined().utf8))
      for number in stride(from: 0, to: 14, by: 2) {
        try desk.keep()
        #expect(read("kept \(number) 900", from: output).contains("HTTP/1.1 200 OK"))
      }
      // The connection goes on.
      input.write(Data(request("/later", 99).utf8))
      try desk.keep()
      #expect(read("kept 99 0", from: output).hasSuffix("kept 99 0"))
    }
  }

  @Test(.timeLimit(.minutes(1))) func aBodyThatGrowsTooLargeIsAnsweredLater() throws {
    try withClient { input, output in
      let piece = "400\r\n\(String(repeating: "a", count: 1024))\r\n"
      input.write(
        Data(
          "POST /later HTTP/1.1\r\nHost: a\r\nX-Request-Id: a\r\nTransfer-Encoding: chunked\r\n\r\n\(piece)\(piece)\(piece)"
            .utf8))
      try desk.keep()
      #expect(read("kept a 0", from: output).contains("Connection: close"))
    }
  }
}
