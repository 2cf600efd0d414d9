import Glibc
import HTTPServer
import Synchronization

/// The bytes of a connection to a live server: each request is refused or seen whole, and the server
/// lives on.
struct HeadTarget: FuzzTarget {
  private let server: Server

  init() throws {
    var configuration = Server.Configuration(address: try Address(parsing: "127.0.0.1:0"))
    configuration.headerLimit = 4096
    let routes: [Route<Void>] = [Method.get, .post].map { method in
      Route(method, "/x/{name}", bodyLimit: 64) { request, _ in Self.answer(request) }
    }
    let router = Router(routes) { rejection, request, _ in
      Response(status: rejection.status, body: Array("\(request.path) \(request.headers)".utf8))
    }
    server = Server(configuration: configuration, router: router, makeContext: {})
    try server.start()
  }

  private static func answer(_ request: Request) -> Response {
    for (name, value) in request.headers {
      require(
        !(name + value).utf8.contains { $0 == 0 || $0 == 0x0A || $0 == 0x0D }, "\(name): \(value)")
    }
    require(request.headerValues("host").count <= 1, "two hosts")
    require(request.headerValues("content-length").count <= 1, "two lengths")
    require(
      request.header("content-length") == nil || request.header("transfer-encoding") == nil,
      "two framings")
    require(request.body.count <= 64 || request.bodyTooLarge, "\(request.body.count) bytes")
    let items = request.queryItems()?.count ?? 0
    return Response(
      status: 200, body: Array("\(request.parameter("name") ?? "") \(items)".utf8))
  }

  func run(_ input: [UInt8]) throws {
    let answers = try exchange(input, patience: 1)
    require(answers.isEmpty || answers.starts(with: "HTTP/1.1 ".utf8), answers.text)
    let good = try exchange(
      Array("GET /x/alive HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".utf8))
    require(
      good.starts(with: "HTTP/1.1 200 ".utf8) && good.text.hasSuffix("alive 0"), good.text)
  }

  /// Sends the bytes, and takes what comes back until the server closes the connection, or for as
  /// many milliseconds as it is silent: an unfinished request is not answered.
  private func exchange(_ bytes: [UInt8], patience: CInt = -1) throws -> [UInt8] {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    require(descriptor >= 0, "no socket")
    // Without lingering, so that the ports of closed connections are free at once.
    var linger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = need(server.boundPort, "a port").bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let connected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    require(connected == 0, "refused: errno \(errno)")
    _ = bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    var answer: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&waiting, 1, patience) > 0 else { return answer }
      let count = recv(descriptor, &buffer, buffer.count, 0)
      // A connection that is reset ends like one that is closed.
      guard count > 0 else { return answer }
      answer += buffer[..<count]
    }
  }
}
