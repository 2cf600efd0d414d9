import Foundation
import HTTPServer
import Testing

/// Promised answers through TLS, as the client of OpenSSL reads them.
@Suite struct PromiseTLSTests {
  private let desk = Desk()

  /// Starts openssl(1); Foundation's `Process` leaks memory, which the address sanitizer reports.
  private func start(
    _ arguments: [String], input: FileHandle? = nil, output: FileHandle? = nil
  ) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (number, file) in [input, output, nil].enumerated() {
      if let file {
        posix_spawn_file_actions_adddup2(&actions, file.fileDescriptor, Int32(number))
      } else {
        posix_spawn_file_actions_addopen(&actions, Int32(number), "/dev/null", O_RDWR, 0)
      }
    }
    var strings = (["openssl"] + arguments).map { strdup($0) } + [nil]
    defer { for string in strings { free(string) } }
    var child: pid_t = 0
    try #require(posix_spawn(&child, "/usr/bin/openssl", &actions, nil, &strings, environ) == 0)
    return child
  }

  private func makeIdentity() throws -> TLSIdentity {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let certificate = folder.appendingPathComponent("certificate")
    let key = folder.appendingPathComponent("key")
    let child = try start([
      "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
      "-subj", "/CN=localhost", "-days", "2", "-keyout", key.path, "-out", certificate.path,
    ])
    waitpid(child, nil, 0)
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
      let (input, output) = (Pipe(), Pipe())
      let child = try start(
        ["s_client", "-quiet", "-connect", "127.0.0.1:\(port)"],
        input: input.fileHandleForReading, output: output.fileHandleForWriting)
      try input.fileHandleForReading.close()
      try output.fileHandleForWriting.close()
      defer {
        // It ignores SIGTERM where the test's process does.
        kill(child, SIGKILL)
        waitpid(child, nil, 0)
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
