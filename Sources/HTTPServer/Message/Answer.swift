internal import CMicroHTTPD
internal import Glibc

/// Queues an answer with the library.
///
/// - Returns: False when the library refuses it, such as for an invalid header.
func queue(_ response: Response, id: [UInt8], closes: Bool, on connection: OpaquePointer) -> Bool {
  guard let answer = makeAnswer(response.body) else { return false }
  defer { MHD_destroy_response(answer) }
  for (name, value) in response.headers {
    let added = name.withCString { name in
      value.withCString { MHD_add_response_header(answer, name, $0) }
    }
    guard added == .YES else { return false }
  }
  guard add("X-Request-Id", id, to: answer) else { return false }
  if closes || response.closesConnection {
    guard MHD_add_response_header(answer, "Connection", "close") == .YES else { return false }
  }
  return MHD_queue_response(connection, UInt32(clamping: response.status), answer) == .YES
}

/// The smallest body that is lent to the library, in bytes; copying a smaller one is faster.
private let leastLoan = 16384

/// Makes the library's response for a body.
///
/// A large body is not copied, so that any number of slow clients that are sent the same bytes hold them once.
private func makeAnswer(_ body: [UInt8]) -> OpaquePointer? {
  guard body.count >= leastLoan else {
    return body.withUnsafeBytes {
      MHD_create_response_from_buffer(
        $0.count, UnsafeMutableRawPointer(mutating: $0.baseAddress), .RESPMEM_MUST_COPY)
    }
  }
  let loan = Unmanaged.passRetained(Loan(body))
  // The loan holds the array and nobody changes it, so its bytes stay in place.
  let bytes = loan._withUnsafeGuaranteedRef { $0.bytes.withUnsafeBytes { $0 } }
  let answer = MHD_create_response_from_buffer_with_free_callback_cls(
    bytes.count, UnsafeMutableRawPointer(mutating: bytes.baseAddress),
    { loan in
      guard let loan else { return }
      Unmanaged<Loan>.fromOpaque(loan).release()
    }, loan.toOpaque())
  if answer == nil { loan.release() }
  return answer
}

/// A body that the library reads from until it is sent.
private final class Loan {
  let bytes: [UInt8]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }
}

private func add(_ name: StaticString, _ value: [UInt8], to answer: OpaquePointer) -> Bool {
  withUnsafeTemporaryAllocation(of: UInt8.self, capacity: value.count + 1) { text in
    _ = text.initialize(from: value)
    text[value.count] = 0
    return name.withUTF8Buffer { name in
      name.withMemoryRebound(to: CChar.self) { name in
        text.withMemoryRebound(to: CChar.self) {
          MHD_add_response_header(answer, name.baseAddress, $0.baseAddress) == .YES
        }
      }
    }
  }
}

/// Whether the library accepts the headers of an answer.
func isSendable(_ response: Response) -> Bool {
  response.headers.allSatisfy { name, value in
    !name.isEmpty && !value.isEmpty
      && name.utf8.allSatisfy { (0x21...0x7E).contains($0) }
      && value.utf8.allSatisfy { $0 >= 0x20 || $0 == 0x09 }
  }
}

/// The largest size of an answer's head in bytes, with the lines that the library adds.
func headSize(of response: Response, id: [UInt8]) -> Int {
  // Status, Date, Connection and Content-Length, and X-Request-Id.
  response.headers.reduce(256 + id.count) { size, header in
    size + header.name.utf8.count + header.value.utf8.count + 4
  }
}

/// Serializes an answer as HTTP/1.1 (RFC 9112 section 4), with `Connection: close`.
func serialize(_ response: Response, id: [UInt8], withBody: Bool) -> [UInt8] {
  let reason = MHD_get_reason_phrase_for(UInt32(clamping: response.status))
  var head = "HTTP/1.1 \(response.status) \(reason.map { String(cString: $0) } ?? "")\r\n"
  head += "Date: \(currentDate())\r\nConnection: close\r\n"
  head += "Content-Length: \(response.body.count)\r\n"
  for (name, value) in response.headers { head += "\(name): \(value)\r\n" }
  return Array((head + "X-Request-Id: ").utf8) + id + Array("\r\n\r\n".utf8)
    + (withBody ? response.body : [])
}

/// The current time in the format of `Date` (RFC 9110 section 5.6.7).
private func currentDate() -> String {
  let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]
  var now = time(nil)
  var parts = tm()
  gmtime_r(&now, &parts)
  func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
  return "\(days[Int(parts.tm_wday)]), \(two(parts.tm_mday)) \(months[Int(parts.tm_mon)])"
    + " \(parts.tm_year + 1900) \(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)) GMT"
}
