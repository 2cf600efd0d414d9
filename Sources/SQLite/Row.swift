import CSQLite

/// The current row of a statement, read by position from 0.
///
/// It is only ever borrowed, so it cannot be kept for longer than the step that it belongs to.
/// A read throws ``SQLiteError`` of kind `unexpectedValue` where the column holds another type.
public struct Row: ~Copyable {
  private let statement: Statement

  init(_ statement: Statement) { self.statement = statement }

  /// The number of columns.
  public var columnCount: Int { Int(sqlite3_column_count(statement.handle)) }

  /// An integer.
  public func int(_ column: Int) throws(SQLiteError) -> Int {
    try require(SQLITE_INTEGER, column)
    return Int(sqlite3_column_int64(statement.handle, Int32(column)))
  }

  /// An integer, or `nil` for NULL.
  public func optionalInt(_ column: Int) throws(SQLiteError) -> Int? {
    isNull(column) ? nil : try int(column)
  }

  /// A truth value: the integer 0 or 1 and nothing else.
  public func bool(_ column: Int) throws(SQLiteError) -> Bool {
    switch try int(column) {
    case 0: false
    case 1: true
    default: throw unexpected(column, "holds neither 0 nor 1")
    }
  }

  /// A truth value, or `nil` for NULL.
  public func optionalBool(_ column: Int) throws(SQLiteError) -> Bool? {
    isNull(column) ? nil : try bool(column)
  }

  /// A floating-point number; an integer is converted.
  public func double(_ column: Int) throws(SQLiteError) -> Double {
    if type(column) != SQLITE_INTEGER { try require(SQLITE_FLOAT, column) }
    return sqlite3_column_double(statement.handle, Int32(column))
  }

  /// A floating-point number, or `nil` for NULL.
  public func optionalDouble(_ column: Int) throws(SQLiteError) -> Double? {
    isNull(column) ? nil : try double(column)
  }

  /// A text, U+0000 within it kept; bytes that are not UTF-8 are refused, not mended.
  public func text(_ column: Int) throws(SQLiteError) -> String {
    try require(SQLITE_TEXT, column)
    let start = sqlite3_column_text(statement.handle, Int32(column))
    let count = Int(sqlite3_column_bytes(statement.handle, Int32(column)))
    let bytes = UnsafeBufferPointer(start: start, count: count)
    // `String(validating:as:)` is slower: it is generic, and not specialised for this.
    do {
      return String(copying: try UTF8Span(validating: bytes.span))
    } catch {
      throw unexpected(column, "is not valid UTF-8")
    }
  }

  /// A text, or `nil` for NULL.
  public func optionalText(_ column: Int) throws(SQLiteError) -> String? {
    isNull(column) ? nil : try text(column)
  }

  /// A blob.
  public func blob(_ column: Int) throws(SQLiteError) -> [UInt8] {
    try withBlob(column) { Array($0) }
  }

  /// A blob, or `nil` for NULL.
  public func optionalBlob(_ column: Int) throws(SQLiteError) -> [UInt8]? {
    isNull(column) ? nil : try blob(column)
  }

  /// Lends a blob without copying it; the pointer is valid only inside `body`.
  public func withBlob<Result>(
    _ column: Int, _ body: (UnsafeRawBufferPointer) -> Result
  ) throws(SQLiteError) -> Result {
    try require(SQLITE_BLOB, column)
    let start = sqlite3_column_blob(statement.handle, Int32(column))
    let count = Int(sqlite3_column_bytes(statement.handle, Int32(column)))
    return body(UnsafeRawBufferPointer(start: start, count: count))
  }

  /// Whatever the column holds.
  public func value(_ column: Int) throws(SQLiteError) -> Value {
    switch type(column) {
    case SQLITE_INTEGER: .integer(Int64(try int(column)))
    case SQLITE_FLOAT: .real(try double(column))
    case SQLITE_TEXT: .text(try text(column))
    case SQLITE_BLOB: .blob(try blob(column))
    default: .null
    }
  }

  /// Whether the column holds NULL.
  public func isNull(_ column: Int) -> Bool { type(column) == SQLITE_NULL }

  private func type(_ column: Int) -> Int32 {
    precondition(column >= 0 && column < columnCount, "the row has no column \(column)")
    return sqlite3_column_type(statement.handle, Int32(column))
  }

  private func require(_ expected: Int32, _ column: Int) throws(SQLiteError) {
    let found = type(column)
    guard found != expected else { return }
    throw unexpected(column, "holds \(Self.name(found)), not \(Self.name(expected))")
  }

  private func unexpected(_ column: Int, _ what: String) -> SQLiteError {
    let name = sqlite3_column_name(statement.handle, Int32(column)).map { String(cString: $0) }
    return SQLiteError(
      SQLITE_MISMATCH, message: "column \(column) (\(name ?? "?")) \(what)", sql: statement.sql)
  }

  private static func name(_ type: Int32) -> String {
    switch type {
    case SQLITE_INTEGER: "an integer"
    case SQLITE_FLOAT: "a real"
    case SQLITE_TEXT: "text"
    case SQLITE_BLOB: "a blob"
    default: "NULL"
    }
  }
}
