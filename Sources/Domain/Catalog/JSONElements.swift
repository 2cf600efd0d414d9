internal import JSON

/// Splits a JSON text that is one array into its elements, one after another, so that the whole
/// text is never in memory.
struct JSONElements {
  /// The most bytes of an element; every allowed business is smaller.
  static let largestElement = 8 << 20

  private var bytes: ByteReader
  private var hasBegun = false

  init(_ bytes: ByteReader) {
    self.bytes = bytes
  }

  /// The next element, not yet parsed; nil at the end of the array and of the text.
  ///
  /// - Throws: `CatalogFault` where the text is no array, and what reading throws.
  mutating func next() throws -> JSONElement? {
    try skipBlanks()
    if !hasBegun {
      guard try bytes.peek() == UInt8(ascii: "[") else {
        throw fault(
          "This has to be an array of businesses; of an answer of GET /businesses take items.")
      }
      hasBegun = true
      bytes.advance()
      try skipBlanks()
      if try bytes.peek() == UInt8(ascii: "]") { return try end() }
    } else {
      switch try bytes.peek() {
      case UInt8(ascii: ","): bytes.advance()
      case UInt8(ascii: "]"): return try end()
      default: throw fault("A comma or ] is missing here.")
      }
      try skipBlanks()
    }
    return try element()
  }

  private mutating func end() throws -> JSONElement? {
    bytes.advance()
    try skipBlanks()
    if try bytes.peek() != nil { throw fault("Something stands behind the array.") }
    return nil
  }

  /// Reads everything up to the comma or bracket that ends the element, valid or not.
  private mutating func element() throws -> JSONElement {
    var element = JSONElement(line: bytes.line, column: bytes.column)
    var depth = 0
    var isInString = false
    while let byte = try bytes.peek() {
      switch byte {
      case UInt8(ascii: "\\") where isInString:
        element.bytes.append(byte)
        bytes.advance()
        guard let escaped = try bytes.peek() else { return element }
        element.bytes.append(escaped)
        bytes.advance()
        continue
      case UInt8(ascii: "\""): isInString.toggle()
      case _ where isInString: break
      case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
      case UInt8(ascii: ","), UInt8(ascii: "]"):
        if depth == 0 { return element }
        depth -= byte == UInt8(ascii: "]") ? 1 : 0
      case UInt8(ascii: "}"): depth = max(0, depth - 1)
      default: break
      }
      guard element.bytes.count < Self.largestElement else {
        throw CatalogFault(
          line: element.line, column: element.column, field: "",
          message: "A business of more than \(Self.largestElement >> 20) MiB; is a bracket missing?"
        )
      }
      element.bytes.append(byte)
      bytes.advance()
    }
    return element
  }

  private mutating func skipBlanks() throws {
    while let byte = try bytes.peek(), byte.isJSONBlank { bytes.advance() }
  }

  private func fault(_ message: String) -> CatalogFault {
    CatalogFault(line: bytes.line, column: bytes.column, field: "", message: message)
  }
}

/// One element of the array and its position.
struct JSONElement {
  var bytes: [UInt8] = []
  var line = 1
  var column = 1

  /// The value.
  ///
  /// - Throws: `CatalogFault` with its place in the whole text.
  func parsed() throws(CatalogFault) -> JSON {
    do throws(JSONError) {
      return try JSON.parse(bytes)
    } catch {
      let isUTF8 = String(validating: bytes, as: UTF8.self) != nil
      throw CatalogFault(
        line: line + error.line - 1,
        column: error.line == 1 ? column + error.column - 1 : error.column, field: "",
        message: isUTF8 ? error.message : ByteReader.notUTF8)
    }
  }

  /// The position in the whole text of a part of the value, or of what it would be part of; the
  /// first token of `pointer` (RFC 6901) is the index of the element.
  func place(of pointer: String) -> (line: Int, column: Int) {
    var walk = JSONWalk(bytes)
    for token in pointer.split(separator: "/").dropFirst() {
      let name = String(token).replacing("~1", with: "/").replacing("~0", with: "~")
      guard walk.descend(to: name) else { break }
    }
    var (line, column) = (line, column)
    for byte in bytes[..<walk.place] {
      if byte == UInt8(ascii: "\n") {
        (line, column) = (line + 1, 1)
      } else if byte & 0xC0 != 0x80 {
        column += 1
      }
    }
    return (line, column)
  }
}

/// A walk down into a JSON text that is known to be valid.
private struct JSONWalk {
  private let bytes: [UInt8]
  private var index = 0
  /// The position of the value that was reached.
  private(set) var place = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Moves to a member of the object, or an item of the array, that was reached; returns `false`
  /// and stays where there is none.
  mutating func descend(to name: String) -> Bool {
    index = place
    let opening = current
    guard opening == UInt8(ascii: "{") || opening == UInt8(ascii: "[") else { return false }
    var position = 0
    repeat {
      index += 1
      skipBlanks()
      var isWanted = String(position) == name
      if opening == UInt8(ascii: "{") {
        isWanted = memberName() == name
        skipBlanks()
        index += 1
        skipBlanks()
      }
      if isWanted {
        place = min(index, bytes.count)
        return true
      }
      skipValue()
      skipBlanks()
      position += 1
    } while current == UInt8(ascii: ",")
    return false
  }

  private var current: UInt8? { index < bytes.count ? bytes[index] : nil }

  private mutating func skipBlanks() {
    while current?.isJSONBlank == true { index += 1 }
  }

  private mutating func memberName() -> String? {
    let start = index
    skipString()
    // Parsing cannot fail: the whole text was parsed before.
    let name: JSON? = try? JSON.parse(Array(bytes[start..<min(index, bytes.count)]))
    return name?.stringValue
  }

  private mutating func skipString() {
    index += 1
    while let byte = current, byte != UInt8(ascii: "\"") {
      index += byte == UInt8(ascii: "\\") ? 2 : 1
    }
    index += 1
  }

  private mutating func skipValue() {
    var depth = 0
    while let byte = current {
      switch byte {
      case UInt8(ascii: "\""):
        skipString()
        continue
      case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
      case UInt8(ascii: "]"), UInt8(ascii: "}"):
        if depth == 0 { return }
        depth -= 1
      case UInt8(ascii: ","): if depth == 0 { return }
      default: break
      }
      index += 1
    }
  }
}

extension UInt8 {
  /// White space of JSON (RFC 8259 section 2).
  fileprivate var isJSONBlank: Bool {
    self == 0x20 || self == 0x0A || self == 0x0D || self == 0x09
  }
}
