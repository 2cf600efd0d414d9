import CJansson
import Glibc

extension JSON {
  /// How deep arrays and objects may nest.
  ///
  /// Parsing and all traversals of a value are recursive and run on small thread stacks.
  public static let maximumDepth = 64

  /// Parses one JSON text (RFC 8259) in UTF-8, with any value at its top.
  ///
  /// It also refuses repeated member names, even where escapes hide them, a byte order mark,
  /// unpaired surrogates, numbers beyond 64-bit integers and doubles, NUL in member names, nesting
  /// over ``maximumDepth``, and text with more than `CombiningRun.longest` combining characters in
  /// a row (RFC 8259 section 9 allows limits).
  ///
  /// - Parameters:
  ///   - bytes: The whole text.
  ///   - isOwn: Whether the program itself wrote the text, which may then hold any characters.
  /// - Returns: The value.
  /// - Throws: ``JSONError`` with line and column.
  public static func parse(_ bytes: [UInt8], isOwn: Bool = false) throws(JSONError) -> JSON {
    if let members = bytes.withUnsafeBytes({ FlatObject.members(of: $0) }) {
      return .object(members)
    }
    try checkStart(bytes)
    try checkDepth(bytes)
    var error = json_error_t()
    let flags = Int(JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_ALLOW_NUL)
    let root = bytes.withUnsafeBytes { buffer in
      json_loadb(
        buffer.assumingMemoryBound(to: CChar.self).baseAddress, buffer.count, flags, &error)
    }
    guard let root else { throw JSONError(error) }
    defer { json_decref(root) }
    try refuseNUL(bytes)
    if !isOwn { try refuseOverlongRuns(bytes) }
    return JSON(copying: root)
  }

  /// Refuses a NUL after a number or a literal, where jansson skips one.
  ///
  /// Elsewhere jansson refuses it.
  private static func refuseNUL(_ bytes: [UInt8]) throws(JSONError) {
    let isThere = bytes.withUnsafeBytes { buffer in
      buffer.baseAddress.map { memchr($0, 0, buffer.count) != nil } ?? false
    }
    guard isThere else { return }
    let before = bytes.prefix { $0 != 0 }
    let lines = before.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let column = (lines.last ?? []).count { $0 & 0xC0 != 0x80 } + 1
    throw JSONError(line: max(1, lines.count), column: column, message: "a NUL character")
  }

  private static func checkStart(_ bytes: [UInt8]) throws(JSONError) {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
      throw JSONError(line: 1, column: 1, message: "the text starts with a byte order mark")
    }
    let whiteSpace: [UInt8] = [0x20, 0x09, 0x0A, 0x0D]
    if bytes.allSatisfy({ whiteSpace.contains($0) }) {
      throw JSONError(line: 1, column: 1, message: "the text is empty")
    }
  }

  /// Refuses deep nesting before jansson parses the text, since jansson allows a recursion of
  /// 2,048.
  private static func checkDepth(_ bytes: [UInt8]) throws(JSONError) {
    // '[' and '{' differ in one bit. Few texts have enough of them to need a closer look.
    let isOpening = { (byte: UInt8) in byte | 0x20 == UInt8(ascii: "{") }
    guard bytes.count(where: isOpening) > maximumDepth else { return }
    var depth = 0
    var line = 1
    var column = 0
    var isInString = false
    var isEscaped = false
    for byte in bytes {
      if byte & 0xC0 != 0x80 { column += 1 }
      if isInString {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isInString = false
        }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""): isInString = true
      case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
      case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
      case UInt8(ascii: "\n"): (line, column) = (line + 1, 0)
      default: break
      }
      if depth > maximumDepth {
        throw JSONError(
          line: line, column: column, message: "nested more than \(maximumDepth) levels deep")
      }
    }
  }

  private init(copying value: UnsafeMutablePointer<json_t>) {
    switch value.pointee.type {
    case JSON_STRING: self = .string(Self.text(json_string_value(value), json_string_length(value)))
    case JSON_INTEGER: self = .integer(json_integer_value(value))
    case JSON_REAL: self = .number(json_real_value(value))
    case JSON_TRUE: self = .bool(true)
    case JSON_FALSE: self = .bool(false)
    case JSON_ARRAY: self = .array(Self.items(of: value))
    case JSON_OBJECT: self = .object(Self.members(of: value))
    default: self = .null
    }
  }

  private static func items(of array: UnsafeMutablePointer<json_t>) -> [JSON] {
    let count = json_array_size(array)
    var items: [JSON] = []
    items.reserveCapacity(count)
    for index in 0..<count {
      guard let item = json_array_get(array, index) else { break }
      items.append(JSON(copying: item))
    }
    return items
  }

  private static func members(of object: UnsafeMutablePointer<json_t>) -> [Member] {
    var members: [Member] = []
    members.reserveCapacity(json_object_size(object))
    var iterator = json_object_iter(object)
    while let member = iterator {
      guard let value = json_object_iter_value(member) else { break }
      let name = text(json_object_iter_key(member), json_object_iter_key_len(member))
      members.append(Member(name: name, value: JSON(copying: value)))
      iterator = json_object_iter_next(object, member)
    }
    return members
  }

  /// Made from its length, since it may hold NUL; jansson has checked that it is UTF-8.
  private static func text(_ start: UnsafePointer<CChar>?, _ length: Int) -> String {
    String(
      decoding: UnsafeRawBufferPointer(start: start, count: length), as: UTF8.self)
  }
}
