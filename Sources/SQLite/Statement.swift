import CSQLite

/// A prepared statement of one connection; it never leaves this module.
final class Statement {
  let sql: String
  let handle: OpaquePointer
  let isReadOnly: Bool
  /// Whether somebody is between `bind` and `reset`.
  var isInUse = false
  /// When it was taken from the cache last, counted in uses of the cache.
  var lastUse = 0
  private let database: OpaquePointer

  /// Prepares `sql`, which must be exactly one statement.
  init(_ sql: String, on database: OpaquePointer, isKept: Bool) throws(SQLiteError) {
    var statements: [OpaquePointer] = []
    do throws(SQLiteError) {
      try Self.forEach(in: sql, on: database, isKept: isKept) { (handle) throws(SQLiteError) in
        statements.append(handle)
        if statements.count > 1 {
          throw SQLiteError(SQLITE_MISUSE, message: "more than one statement", sql: sql)
        }
      }
      guard let handle = statements.first else {
        throw SQLiteError(SQLITE_MISUSE, message: "no statement", sql: sql)
      }
      self.handle = handle
    } catch {
      for handle in statements { sqlite3_finalize(handle) }
      throw error
    }
    self.sql = sql
    self.database = database
    isReadOnly = sqlite3_stmt_readonly(handle) != 0
  }

  deinit { sqlite3_finalize(handle) }

  /// Prepares the statements of `sql` one after another and hands each over to `body` to keep.
  static func forEach(
    in sql: String, on database: OpaquePointer, isKept: Bool,
    _ body: (OpaquePointer) throws(SQLiteError) -> Void
  ) throws(SQLiteError) {
    let text = Array(sql.utf8CString)
    // SQLite would stop reading at a NUL and leave the rest undone.
    guard !text.dropLast().contains(0) else {
      throw SQLiteError(SQLITE_MISUSE, message: "a NUL character in the SQL", sql: sql)
    }
    let flags = isKept ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0
    var start = 0
    while start < text.count - 1 {
      var handle: OpaquePointer?
      let (result, length) = text.withUnsafeBufferPointer { buffer in
        let rest = UnsafeBufferPointer(rebasing: buffer[start...])
        var end: UnsafePointer<CChar>?
        let result = sqlite3_prepare_v3(
          database, rest.baseAddress, Int32(clamping: rest.count), flags, &handle, &end)
        let length = end.flatMap { end in rest.baseAddress.map { end - $0 } } ?? rest.count
        return (result, length)
      }
      guard result == SQLITE_OK else { throw SQLiteError(result, of: database, sql: sql) }
      start += length
      // Only white space or a comment was left.
      guard let handle else { continue }
      try body(handle)
    }
  }

  /// Binds `values` to the parameters, of which there must be as many.
  func bind(_ values: [(any Bindable)?]) throws(SQLiteError) {
    guard values.count == Int(sqlite3_bind_parameter_count(handle)) else {
      throw SQLiteError(
        SQLITE_MISUSE,
        message: "\(sqlite3_bind_parameter_count(handle)) parameters, \(values.count) values",
        sql: sql)
    }
    var index: Int32 = 0
    for value in values {
      index += 1
      let result = bind(value?.databaseValue ?? .null, at: index)
      guard result == SQLITE_OK else { throw error(result) }
    }
  }

  private func bind(_ value: Value, at index: Int32) -> Int32 {
    switch value {
    case .null: sqlite3_bind_null(handle, index)
    case .integer(let value): sqlite3_bind_int64(handle, index, value)
    case .real(let value): sqlite3_bind_double(handle, index, value)
    case .text(var value):
      value.withUTF8 { shim_bind_text(handle, index, $0.baseAddress, UInt64($0.count)) }
    case .blob(let value):
      value.withUnsafeBytes { shim_bind_blob(handle, index, $0.baseAddress, UInt64($0.count)) }
    }
  }

  /// Goes on to the next row; `false` at the end.
  func step() throws(SQLiteError) -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: true
    case SQLITE_DONE: false
    case let result: throw error(result)
    }
  }

  /// Ends the use: releases its locks and the bound values.
  func reset() {
    // A failure reported here is that of the last step, which was thrown already.
    sqlite3_reset(handle)
    sqlite3_clear_bindings(handle)
  }

  func error(_ result: Int32) -> SQLiteError {
    SQLiteError(result, of: database, sql: sql)
  }
}
