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

  /// A request of 1820 bytes.
  private func request(_ path: String, _ id: Int) -> String {
    let head =
      "POST \(path) HTTP/1.1\r\nHost: a\r\nX-Request-Id: \(100 + id)\r\nContent-Length: 900\r\n"
    let body = String(repeating: "x", count: 900)
    let filler = String(repeating: "y", count: 1820 - head.utf8.count - body.utf8.count - 6)
    return "\(head)Y:\(filler)\r\n\r\n\(body)"
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
      // They come in two records of 8192 and 8188 bytes. For the end of the second the library's buffer has no room
      // behind what is left of the first: it waits in GnuTLS, and the socket is empty. Number 4 is the one that is
      // read for and then resumed.
      let requests = (0..<9).map { request($0 % 4 == 0 ? "/later" : "/", $0) }
      input.write(Data(requests.joined().utf8))
      for number in stride(from: 0, to: 9, by: 4) {
        try desk.keep()
        #expect(read("kept \(100 + number) 900", from: output).contains("HTTP/1.1 200 OK"))
      }
      // The connection goes on.
      input.write(Data(request("/later", 99).utf8))
      try desk.keep()
      #expect(read("kept 199 900", from: output).hasSuffix("kept 199 900"))
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
