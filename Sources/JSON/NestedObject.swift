/// Reads an object of plain strings, truth values and objects of plain strings without jansson.
///
/// It accepts only a safe part of JSON: objects of 1 to 32 members with different names, one inside
/// the other; names of ASCII without escapes; strings of ASCII without control characters and without
/// escapes but that of a quotation mark. Any other text, valid or not, is left to jansson.
extension FlatObject {
  private static let largestNestedCount = 32

  /// Passes the members to `take` in their order until it returns false; those of an inner object
  /// follow it.
  ///
  /// - Returns: whether the text is such an object and `take` accepted all of it.
  static func forEachNestedMember(
    of bytes: UnsafeRawBufferPointer, _ take: (JSON.NestedMember) -> Bool
  ) -> Bool {
    var reader = FlatObject(bytes)
    guard reader.readMembers(of: nil, take) else { return false }
    reader.skipBlanks()
    return reader.position == bytes.count
  }

  private mutating func readMembers(
    of object: UnsafeRawBufferPointer?, _ take: (JSON.NestedMember) -> Bool
  ) -> Bool {
    guard self.take("{") else { return false }
    return withUnsafeTemporaryAllocation(
      of: UnsafeRawBufferPointer.self, capacity: Self.largestNestedCount
    ) { names in
      var count = 0
      repeat {
        guard count < names.count, let name = markedString(), !name.hasMarks,
          !Self.contains(name.text, UnsafeBufferPointer(rebasing: names[..<count])), self.take(":")
        else { return false }
        names.initializeElement(at: count, to: name.text)
        count += 1
        guard readValue(of: name.text, in: object, take) else { return false }
      } while self.take(",")
      return self.take("}")
    }
  }

  private mutating func readValue(
    of name: UnsafeRawBufferPointer, in object: UnsafeRawBufferPointer?,
    _ take: (JSON.NestedMember) -> Bool
  ) -> Bool {
    skipBlanks()
    guard position < bytes.count else { return false }
    switch bytes[position] {
    case UInt8(ascii: "\""):
      guard let (text, hasMarks) = markedString() else { return false }
      return take(.init(object: object, name: name, value: .string(text, hasMarks: hasMarks)))
    case UInt8(ascii: "t"):
      return skip("true") && take(.init(object: object, name: name, value: .bool(true)))
    case UInt8(ascii: "f"):
      return skip("false") && take(.init(object: object, name: name, value: .bool(false)))
    case UInt8(ascii: "{"):
      return object == nil && take(.init(object: nil, name: name, value: .object))
        && readMembers(of: name, take)
    default:
      return false
    }
  }

  /// A string as it is written, and whether there are escaped quotation marks in it.
  private mutating func markedString() -> (text: UnsafeRawBufferPointer, hasMarks: Bool)? {
    guard take("\"") else { return nil }
    let start = position
    var hasMarks = false
    while true {
      position = JSON.endOfPlainASCII(bytes, from: position)
      guard position < bytes.count else { return nil }
      switch bytes[position] {
      case UInt8(ascii: "\""):
        defer { position += 1 }
        return (UnsafeRawBufferPointer(rebasing: bytes[start..<position]), hasMarks)
      case UInt8(ascii: "\\"):
        guard position + 1 < bytes.count, bytes[position + 1] == UInt8(ascii: "\"") else {
          return nil
        }
        hasMarks = true
        position += 2
      default: return nil
      }
    }
  }

  private mutating func skip(_ word: StaticString) -> Bool {
    let count = word.utf8CodeUnitCount
    guard count <= bytes.count - position else { return false }
    for index in 0..<count where bytes[position + index] != word.utf8Start[index] { return false }
    position += count
    return true
  }

  private static func contains(
    _ name: UnsafeRawBufferPointer, _ names: UnsafeBufferPointer<UnsafeRawBufferPointer>
  ) -> Bool {
    names.contains { $0.count == name.count && $0.elementsEqual(name) }
  }
}

extension JSON {
  /// A member of an object or of an object inside it; its bytes point into the text.
  public struct NestedMember {
    /// The name of the inner object that it belongs to; nil for a member of the outer one.
    public let object: UnsafeRawBufferPointer?
    /// Its name.
    public let name: UnsafeRawBufferPointer
    /// Its value.
    public let value: NestedValue
  }

  /// A member's value that is left as it is written.
  public enum NestedValue {
    /// A string of ASCII; with `hasMarks`, it has quotation marks, and each has its backslash.
    case string(UnsafeRawBufferPointer, hasMarks: Bool)
    /// A truth value.
    case bool(Bool)
    /// An object of at least one member, which follow.
    case object
  }

  /// Reads an object of plain strings, truth values and such objects without building values.
  ///
  /// Any other text, valid or not, is left to ``parse(_:)``.
  ///
  /// - Parameters:
  ///   - bytes: The whole text.
  ///   - take: Receives each member and returns whether to go on.
  /// - Returns: Whether the text is such an object and `take` accepted every member.
  public static func readNestedObject(
    _ bytes: UnsafeRawBufferPointer, _ take: (NestedMember) -> Bool
  ) -> Bool {
    FlatObject.forEachNestedMember(of: bytes, take)
  }
}
