internal import CInterposition
internal import CMicroHTTPD
internal import UnicodeText

extension Request {
  /// The value of the first header of this name.
  ///
  /// - Parameter name: The header's name, in any case.
  /// - Returns: The value without surrounding blanks, or nil when there is no such header.
  public func header(_ name: StaticString) -> String? {
    withHeader(name) { bytes in bytes.map(text) }
  }

  /// Gives the value of the first header of this name without copying it.
  ///
  /// - Parameters:
  ///   - name: The header's name, in any case.
  ///   - use: Called with the value without surrounding blanks, which is valid only during the call,
  ///     or with nil when there is no such header.
  /// - Returns: What `use` returns.
  /// - Throws: What `use` throws.
  public func withHeader<Result>(
    _ name: StaticString, _ use: (UnsafeRawBufferPointer?) throws -> Result
  ) rethrows -> Result {
    switch fields {
    case .received(let connection):
      var value: UnsafePointer<CChar>?
      var size = 0
      let found = name.withUTF8Buffer { bytes in
        bytes.withMemoryRebound(to: CChar.self) {
          interposed_header(connection, $0.baseAddress, $0.count, &value, &size)
        }
      }
      guard found, let value else { return try use(nil) }
      return try use(trimmed(UnsafeRawBufferPointer(start: value, count: size)))
    case .plain(let headers):
      let header = headers.first { header in
        name.withUTF8Buffer { equalIgnoringCase($0, header.name.utf8) }
      }
      guard var text = header?.value else { return try use(nil) }
      return try text.withUTF8 { try use(trimmed(UnsafeRawBufferPointer($0))) }
    }
  }

  /// Gives the values of all headers of this name, in the order in which they were sent, without
  /// copying them.
  ///
  /// - Parameters:
  ///   - name: The header's name, in any case.
  ///   - use: Called with the values without surrounding blanks, which are valid only during the
  ///     call; with none when there is no such header.
  /// - Returns: What `use` returns.
  /// - Throws: What `use` throws.
  public func withHeaderValues<Result>(
    _ name: StaticString, _ use: ([UnsafeRawBufferPointer]) throws -> Result
  ) rethrows -> Result {
    switch fields {
    case .received(let connection):
      var search = FieldSearch(name: name)
      withUnsafeMutablePointer(to: &search) { search in
        _ = MHD_get_connection_values_n(connection, .HEADER_KIND, findField, search)
      }
      return try use(search.found)
    case .plain(let headers):
      let values = headers.filter { header in
        name.withUTF8Buffer { equalIgnoringCase($0, header.name.utf8) }
      }.map { Array($0.value.utf8) }
      let bytes = values.flatMap { $0 }
      return try bytes.withUnsafeBytes { bytes in
        var start = 0
        return try use(
          values.map { value in
            defer { start += value.count }
            return trimmed(UnsafeRawBufferPointer(rebasing: bytes[start..<(start + value.count)]))
          })
      }
    }
  }

  /// Gives all headers in the order in which they were sent, without copying them.
  ///
  /// - Parameter use: Called with the headers, which are valid only during the call.
  /// - Throws: What `use` throws.
  public func withHeaders(_ use: (UnsafeBufferPointer<HeaderBytes>) throws -> Void) rethrows {
    switch fields {
    case .received(let connection):
      let count = MHD_get_connection_values_n(connection, .HEADER_KIND, nil, nil)
      try withUnsafeTemporaryAllocation(of: HeaderBytes.self, capacity: Int(count)) { room in
        var list = HeaderList(room: room)
        withUnsafeMutablePointer(to: &list) { list in
          _ = MHD_get_connection_values_n(connection, .HEADER_KIND, listField, list)
        }
        try use(UnsafeBufferPointer(rebasing: room[..<list.count]))
      }
    case .plain(let headers):
      let bytes = headers.flatMap { Array($0.name.utf8) + Array($0.value.utf8) }
      try bytes.withUnsafeBytes { bytes in
        var start = 0
        func next(_ text: String) -> UnsafeRawBufferPointer {
          defer { start += text.utf8.count }
          return UnsafeRawBufferPointer(rebasing: bytes[start..<(start + text.utf8.count)])
        }
        let list = headers.map { HeaderBytes(name: next($0.name), value: trimmed(next($0.value))) }
        try list.withUnsafeBufferPointer { try use($0) }
      }
    }
  }

  /// The values of all headers of this name, in the order in which they were sent.
  ///
  /// - Parameter name: The header's name, in any case.
  /// - Returns: The values without surrounding blanks; none when there is no such header.
  public func headerValues(_ name: StaticString) -> [String] {
    headers.filter { header in name.withUTF8Buffer { equalIgnoringCase($0, header.name.utf8) } }
      .map(\.value)
  }

  /// All headers in the order in which they were sent, values without surrounding blanks.
  public var headers: [(name: String, value: String)] {
    switch fields {
    case .plain(let headers):
      return headers
    case .received(let connection):
      var collected: [(name: String, value: String)] = []
      withUnsafeMutablePointer(to: &collected) { list in
        _ = MHD_get_connection_values_n(connection, .HEADER_KIND, collectField, list)
      }
      return collected
    }
  }
}

/// A header where the server received it.
public struct HeaderBytes {
  /// The name, in any case.
  public let name: UnsafeRawBufferPointer
  /// The value without surrounding blanks.
  public let value: UnsafeRawBufferPointer
}

extension Request {
  /// Whether the body is compressed or otherwise coded (RFC 9110 section 8.4).
  public var isEncoded: Bool {
    guard withHeader("content-encoding", { $0 != nil }) else { return false }
    return withHeaderValues("content-encoding") { values in
      !values.allSatisfy { $0.isEmpty || isWord("identity", $0) }
    }
  }
}

/// The headers found so far; there is room for all.
private struct HeaderList {
  let room: UnsafeMutableBufferPointer<HeaderBytes>
  var count = 0
}

private let listField: MHD_KeyValueIteratorN = { list, _, name, nameSize, value, valueSize in
  guard let list = list?.assumingMemoryBound(to: HeaderList.self),
    list.pointee.count < list.pointee.room.count
  else { return .NO }
  let value = UnsafeRawBufferPointer(start: value, count: value == nil ? 0 : valueSize)
  list.pointee.room.initializeElement(
    at: list.pointee.count,
    to: HeaderBytes(
      name: UnsafeRawBufferPointer(start: name, count: name == nil ? 0 : nameSize),
      value: trimmed(value)))
  list.pointee.count += 1
  return .YES
}

private let collectField: MHD_KeyValueIteratorN = { list, _, name, nameSize, value, valueSize in
  let name = UnsafeRawBufferPointer(start: name, count: name == nil ? 0 : nameSize)
  let value = UnsafeRawBufferPointer(start: value, count: value == nil ? 0 : valueSize)
  list?.assumingMemoryBound(to: [(name: String, value: String)].self).pointee.append(
    (text(name), text(trimmed(value))))
  return .YES
}

/// The text of a header; U+FFFD replaces what is not UTF-8 or not stream-safe.
private func text(_ bytes: UnsafeRawBufferPointer) -> String {
  String(decoding: bytes, as: UTF8.self).streamSafe
}

/// A search for all values of one name.
private struct FieldSearch {
  let name: StaticString
  var found: [UnsafeRawBufferPointer] = []
}

private let findField: MHD_KeyValueIteratorN = { search, _, name, nameSize, value, valueSize in
  guard let search = search?.assumingMemoryBound(to: FieldSearch.self), let name, let value,
    nameSize == search.pointee.name.utf8CodeUnitCount
  else { return .YES }
  let matches = search.pointee.name.withUTF8Buffer {
    equalIgnoringCase($0, UnsafeRawBufferPointer(start: name, count: nameSize))
  }
  if matches {
    search.pointee.found.append(
      trimmed(UnsafeRawBufferPointer(start: value, count: valueSize)))
  }
  return .YES
}

/// The value without spaces and tabs at both ends (RFC 9110 section 5.5).
private func trimmed(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
  var start = 0
  var end = bytes.count
  while start < end, isBlank(bytes[start]) { start += 1 }
  while start < end, isBlank(bytes[end - 1]) { end -= 1 }
  return UnsafeRawBufferPointer(rebasing: bytes[start..<end])
}

private func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
