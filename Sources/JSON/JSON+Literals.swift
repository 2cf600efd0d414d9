// JSON has no `nil` literal, since `nil` would silently become `.null` where a `JSON?` is expected.

extension JSON: ExpressibleByBooleanLiteral {
  /// Writes a truth value as a literal.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension JSON: ExpressibleByIntegerLiteral {
  /// Writes an integer as a literal.
  public init(integerLiteral value: Int64) { self = .integer(value) }
}

extension JSON: ExpressibleByFloatLiteral {
  /// Writes a number with a fraction as a literal.
  public init(floatLiteral value: Double) { self = .number(value) }
}

extension JSON: ExpressibleByStringInterpolation {
  /// Writes a string as a literal.
  public init(stringLiteral value: String) { self = .string(value) }
}

extension JSON {
  /// Makes a string of a text, `null` where there is none.
  public init(_ text: String?) {
    self = text.map(JSON.string) ?? .null
  }
}

extension JSON: ExpressibleByArrayLiteral {
  /// Writes an array as a literal.
  public init(arrayLiteral items: JSON...) { self = .array(items) }
}

extension JSON: ExpressibleByDictionaryLiteral {
  /// Writes an object as a literal; the members keep their order.
  public init(dictionaryLiteral members: (String, JSON)...) {
    self = .object(members.map { Member(name: $0.0, value: $0.1) })
  }
}
