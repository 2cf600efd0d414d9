/// A value as SQLite stores it.
public enum Value: Sendable {
  /// The absence of a value.
  case null
  /// A 64-bit integer.
  case integer(Int64)
  /// A 64-bit floating-point number.
  case real(Double)
  /// Text; it may hold U+0000.
  case text(String)
  /// Bytes.
  case blob([UInt8])
}

extension Value: Equatable {
  /// Whether both hold the same type and the same content, texts byte by byte.
  public static func == (a: Value, b: Value) -> Bool {
    switch (a, b) {
    case (.null, .null): true
    case (.integer(let a), .integer(let b)): a == b
    case (.real(let a), .real(let b)): a == b
    case (.text(let a), .text(let b)): a.utf8.elementsEqual(b.utf8)
    case (.blob(let a), .blob(let b)): a == b
    default: false
    }
  }
}

/// What can be bound to a parameter of a statement.
public protocol Bindable {
  /// The value that is stored.
  var databaseValue: Value { get }
}

extension Value: Bindable {
  /// The value itself.
  public var databaseValue: Value { self }
}

extension Int: Bindable {
  /// An integer.
  public var databaseValue: Value { .integer(Int64(self)) }
}

extension Int64: Bindable {
  /// An integer.
  public var databaseValue: Value { .integer(self) }
}

extension Bool: Bindable {
  /// 1 for true, 0 for false.
  public var databaseValue: Value { .integer(self ? 1 : 0) }
}

extension Double: Bindable {
  /// A floating-point number.
  ///
  /// SQLite stores not-a-number as NULL.
  public var databaseValue: Value { .real(self) }
}

extension String: Bindable {
  /// Text.
  public var databaseValue: Value { .text(self) }
}

extension [UInt8]: Bindable {
  /// A blob, also where the bytes are those of a text.
  public var databaseValue: Value { .blob(self) }
}

extension Optional: Bindable where Wrapped: Bindable {
  /// NULL, or the wrapped value.
  public var databaseValue: Value { self?.databaseValue ?? .null }
}
