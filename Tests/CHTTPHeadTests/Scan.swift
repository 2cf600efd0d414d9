import CHTTPHead
import Testing

/// What the scan makes of a head.
struct Scan {
  /// What is wrong; nil where nothing is.
  let fault: String?
  /// The head as it was scanned; its pointers lead nowhere any more.
  let head: http_head
  /// The caller's request id.
  let requestID: String?
  /// How many bytes the head has.
  let size: Int

  /// Scans a head as a lenient parser gives it out: lines end in LF with or without CR before it, a colon
  /// with blanks behind it ends a name, and a NUL ends a value.
  ///
  /// - Parameters:
  ///   - text: the head, with its empty line.
  ///   - layout: whether the scan looks at where the parts lie.
  ///   - limit: the connection's memory.
  ///   - record: what the parser keeps of each field.
  init(_ text: String, layout: Bool = true, limit: Int = 0, record: Int = 0) {
    self.init(Array(text.utf8), layout: layout, limit: limit, record: record)
  }

  init(_ bytes: [UInt8], layout: Bool = true, limit: Int = 0, record: Int = 0) {
    size = bytes.count
    let lines = Self.lines(of: bytes)
    (head, fault, requestID) = bytes.withUnsafeBufferPointer { buffer in
      var head = http_head()
      head.size = buffer.count
      func pointer(_ range: Range<Int>) -> UnsafePointer<CChar>? {
        buffer.baseAddress.map { UnsafeRawPointer($0 + range.lowerBound) }?
          .assumingMemoryBound(to: CChar.self)
      }
      func finish() -> (http_head, String?, String?) {
        let id = head.request_id.map { start in
          String(
            decoding: UnsafeRawBufferPointer(start: start, count: head.request_id_size),
            as: UTF8.self)
        }
        return (head, head.fault.map { String(cString: $0) }, id)
      }
      let parts = Self.words(of: lines[0], in: bytes)
      let target = http_target_split(pointer(parts[1]), parts[1].count)
      var line = http_request_line()
      (line.method, line.method_size) = (pointer(parts[0]), parts[0].count)
      (line.received_target, line.received_target_size) = (pointer(parts[1]), parts[1].count)
      (line.target, line.target_size, line.target_fault) = (
        target.path, target.path_size, target.fault
      )
      (line.version, line.version_size) = (pointer(parts[2]), parts[2].count)
      guard http_head_begin(&head, &line, layout) else { return finish() }
      for field in lines.dropFirst() {
        let colon = bytes[field].firstIndex(of: UInt8(ascii: ":")) ?? field.upperBound
        let rest = min(colon + 1, field.upperBound)..<field.upperBound
        let start = bytes[rest].firstIndex { $0 != 0x20 && $0 != 0x09 } ?? rest.upperBound
        let value = start..<(bytes[start..<field.upperBound].firstIndex(of: 0) ?? field.upperBound)
        guard
          http_head_add(
            &head, pointer(field), colon - field.lowerBound, pointer(value), value.count)
        else { return finish() }
      }
      _ = http_head_end(&head, limit, record)
      return finish()
    }
  }

  /// The lines before the empty one, without their ends.
  private static func lines(of bytes: [UInt8]) -> [Range<Int>] {
    var lines: [Range<Int>] = []
    var start = 0
    while let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
      let last = end > start && bytes[end - 1] == UInt8(ascii: "\r") ? end - 1 : end
      if last == start { return lines }
      lines.append(start..<last)
      start = end + 1
    }
    return lines
  }

  /// The three words of a request line, any number of spaces between them.
  private static func words(of line: Range<Int>, in bytes: [UInt8]) -> [Range<Int>] {
    bytes[line].split(separator: UInt8(ascii: " ")).map { $0.startIndex..<$0.endIndex }
  }

  /// Scans a head with one more field besides Host.
  static func field(_ name: String, _ value: [UInt8]) -> Scan {
    Scan(Array("GET / HTTP/1.1\r\nHost: a\r\n\(name): ".utf8) + value + Array("\r\n\r\n".utf8))
  }

  /// Scans a head whose Host field is `host`.
  static func host(_ host: String) -> Scan { Scan("GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n") }

  /// Scans a head of HTTP/1.1 with Host and some more fields.
  static func fields(_ fields: String...) -> Scan {
    Scan("POST / HTTP/1.1\r\nHost: a\r\n" + fields.map { $0 + "\r\n" }.joined() + "\r\n")
  }
}
