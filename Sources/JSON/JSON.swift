/// A JSON value (RFC 8259) whose objects keep the order of their members.
///
/// Strings are equal only where their bytes are; Swift's own `==` takes precomposed and decomposed
/// letters for equal.
public enum JSON: Sendable {
  /// The literal `null`.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// A number without fraction and exponent.
  case integer(Int64)
  /// A number with a fraction or an exponent.
  case number(Double)
  /// A string.
  case string(String)
  /// An array.
  case array([JSON])
  /// An object, its members in order.
  case object([Member])

  /// One member of an object.
  public struct Member: Sendable {
    /// The member's name, free of escapes.
    public var name: String
    /// The member's value.
    public var value: JSON

    /// Makes a member.
    public init(name: String, value: JSON) {
      self.name = name
      self.value = value
    }
  }

  /// The value of an object's member with exactly this name; `nil` for what is not an object.
  ///
  /// Of members with the same name, which parsing never returns, the first counts.
  public subscript(name: String) -> JSON? {
    guard case .object(let members) = self else { return nil }
    for member in members where hasSameBytes(member.name, name) { return member.value }
    return nil
  }

  /// Whether this is the literal `null`.
  public var isNull: Bool {
    if case .null = self { true } else { false }
  }

  /// The truth value, if this is one.
  public var boolValue: Bool? {
    if case .bool(let value) = self { value } else { nil }
  }

  /// The integer, if this is a number without fraction and exponent.
  public var integerValue: Int64? {
    if case .integer(let value) = self { value } else { nil }
  }

  /// The number, whether written as an integer or not.
  public var doubleValue: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .number(let value): value
    default: nil
    }
  }

  /// The text, if this is a string.
  public var stringValue: String? {
    if case .string(let value) = self { value } else { nil }
  }

  /// The items, if this is an array.
  public var arrayValue: [JSON]? {
    if case .array(let items) = self { items } else { nil }
  }

  /// The members in order, if this is an object.
  public var objectValue: [Member]? {
    if case .object(let members) = self { members } else { nil }
  }
}

extension JSON: Equatable {
  /// Whether both are the same value with the same members in the same order, strings compared as
  /// bytes.
  public static func == (a: JSON, b: JSON) -> Bool {
    switch (a, b) {
    case (.null, .null): true
    case (.bool(let a), .bool(let b)): a == b
    case (.integer(let a), .integer(let b)): a == b
    case (.number(let a), .number(let b)): a == b
    case (.string(let a), .string(let b)): hasSameBytes(a, b)
    case (.array(let a), .array(let b)): a == b
    case (.object(let a), .object(let b)): a == b
    default: false
    }
  }
}

extension JSON.Member: Equatable {
  /// Whether name, compared as bytes, and value are the same.
  public static func == (a: JSON.Member, b: JSON.Member) -> Bool {
    hasSameBytes(a.name, b.name) && a.value == b.value
  }
}

private func hasSameBytes(_ a: String, _ b: String) -> Bool {
  a.utf8.count == b.utf8.count && a.utf8.elementsEqual(b.utf8)
}
