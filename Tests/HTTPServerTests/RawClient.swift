import Glibc
import Testing

/// A client that sends exactly the bytes it is told to.
final class RawClient {
  private let descriptor: Int32
  private var buffer: [UInt8] = []

  enum Family { case ipv4, ipv6 }

  init(port: UInt16, family: Family = .ipv4, host: UInt32 = 0x7F00_0001) throws {
    descriptor = socket(
      family == .ipv4 ? AF_INET : AF_INET6, Int32(SOCK_STREAM.rawValue), 0)
    try #require(descriptor >= 0)
    // So that a test whose answer never comes fails rather than hangs.
    var patience = timeval(tv_sec: 20, tv_usec: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    // So that bytes sent one by one are not held back until an acknowledgement comes.
    var yes: Int32 = 1
    setsockopt(
      descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
    let result =
      switch family {
      case .ipv4: connectToLoopback4(port, host: host)
      case .ipv6: connectToLoopback6(port)
      }
    guard result == 0 else { throw ConnectionRefused() }
  }

  private func connectToLoopback4(_ port: UInt16, host: UInt32) -> Int32 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = host.bigEndian
    return connect(to: &address)
  }

  private func connectToLoopback6(_ port: UInt16) -> Int32 {
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    address.sin6_port = port.bigEndian
    address.sin6_addr = in6addr_loopback
    return connect(to: &address)
  }

  private func connect<Specific>(to address: inout Specific) -> Int32 {
    withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<Specific>.size))
      }
    }
  }

  deinit {
    close(descriptor)
  }

  struct ConnectionRefused: Error {}
  struct EndedTooEarly: Error {}

  /// Sends all bytes, or as many as the server takes; says whether it took all.
  @discardableResult
  func send(_ bytes: [UInt8]) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.send(
          descriptor, $0.baseAddress?.advanced(by: sent), bytes.count - sent, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }

  func send(_ text: String) { send(Array(text.utf8)) }

  /// Sends no more, but reads on.
  func endSending() { _ = shutdown(descriptor, Int32(SHUT_WR)) }

  /// Has the connection reset rather than ended when the client goes.
  func resetWhenClosed() {
    var option = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
  }

  /// Whether the server has closed the connection and sent nothing more.
  func isClosed() -> Bool { buffer.isEmpty && !fill() }

  /// Whether the server has ended the connection; does not wait.
  func hasEnded() -> Bool {
    var byte: UInt8 = 0
    let count = recv(descriptor, &byte, 1, Int32(MSG_DONTWAIT) | Int32(MSG_PEEK))
    return count == 0 || (count < 0 && errno != EAGAIN)
  }

  /// Whether something comes within these milliseconds.
  func hasAnswer(within milliseconds: Int32) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, milliseconds) == 1
  }

  /// What the server still sends before it closes the connection.
  func rest() -> String {
    while fill() {}
    defer { buffer = [] }
    return String(decoding: buffer, as: UTF8.self)
  }

  /// Reads more; false at the end of the connection or when patience is over.
  private func fill() -> Bool {
    var chunk = [UInt8](repeating: 0, count: 65536)
    let count = recv(descriptor, &chunk, chunk.count, 0)
    if count < 0, errno == EAGAIN { Issue.record("The server sent nothing and did not close.") }
    guard count > 0 else { return false }
    buffer += chunk[..<count]
    return true
  }

  private func line() throws -> String {
    while true {
      if let end = buffer.firstIndex(of: 0x0A) {
        let line = buffer[..<end]
        buffer.removeSubrange(...end)
        return String(decoding: line.dropLast(), as: UTF8.self)
      }
      guard fill() else { throw EndedTooEarly() }
    }
  }

  /// Reads the answer to a request of this method; one to HEAD has no body.
  func answer(to method: String = "GET") throws -> Answer {
    let status = try #require(Int(try line().split(separator: " ")[1]))
    var headers: [(name: String, value: String)] = []
    while true {
      let line = try line()
      if line.isEmpty { break }
      let parts = line.split(separator: ":", maxSplits: 1)
      headers.append((String(parts[0]).lowercased(), String(parts[1].dropFirst())))
    }
    var answer = Answer(status: status, headers: headers, body: [])
    guard method != "HEAD", status != 204, status != 100 else { return answer }
    let length = try #require(answer.header("content-length").flatMap { Int($0) })
    while buffer.count < length {
      guard fill() else { throw EndedTooEarly() }
    }
    answer.body = Array(buffer[..<length])
    buffer.removeFirst(length)
    return answer
  }
}

/// An answer as it came over the wire; names in lower case.
struct Answer {
  var status: Int
  var headers: [(name: String, value: String)]
  var body: [UInt8]

  var text: String { String(decoding: body, as: UTF8.self) }

  func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }
}
