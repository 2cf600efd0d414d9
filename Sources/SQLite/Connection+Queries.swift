import CSQLite

extension Connection {
  /// Runs one statement to its end.
  ///
  /// - Parameters:
  ///   - sql: One statement, its parameters written `?` or `?1`.
  ///   - values: The parameters' values, `nil` for NULL.
  /// - Returns: The number of rows that it inserted, changed or deleted, triggers not counted.
  /// - Throws: ``SQLiteError``.
  @discardableResult
  public func run(_ sql: String, _ values: (any Bindable)?...) throws(SQLiteError) -> Int {
    try run(sql, values: values)
  }

  /// Runs one statement to its end, with its values in an array.
  ///
  /// - Parameters:
  ///   - sql: One statement, its parameters written `?` or `?1`.
  ///   - values: The parameters' values, `nil` for NULL.
  /// - Returns: The number of rows that it inserted, changed or deleted, triggers not counted.
  /// - Throws: ``SQLiteError``.
  @discardableResult
  public func run(_ sql: String, values: [(any Bindable)?]) throws(SQLiteError) -> Int {
    let before = sqlite3_total_changes64(database)
    let statement = try begin(sql, values)
    defer { end(statement) }
    while try statement.step() {}
    // A statement that changes no rows leaves the count of the one before it.
    guard sqlite3_total_changes64(database) != before else { return 0 }
    return Int(sqlite3_changes64(database))
  }

  /// All rows of a query, each made into a value.
  public func rows<T>(
    _ sql: String, _ values: (any Bindable)?..., make: (borrowing Row) throws -> T
  ) throws -> [T] {
    try rows(sql, values: values, make: make)
  }

  /// All rows of a query, each made into a value, with the parameters' values in an array.
  public func rows<T>(
    _ sql: String, values: [(any Bindable)?], make: (borrowing Row) throws -> T
  ) throws -> [T] {
    var result: [T] = []
    try forEach(sql, values: values) { row in result.append(try make(row)) }
    return result
  }

  /// The first row of a query made into a value, `nil` if there is none.
  public func first<T>(
    _ sql: String, _ values: (any Bindable)?..., make: (borrowing Row) throws -> T
  ) throws -> T? {
    try first(sql, values: values, make: make)
  }

  /// The first row of a query made into a value, with the parameters' values in an array.
  public func first<T>(
    _ sql: String, values: [(any Bindable)?], make: (borrowing Row) throws -> T
  ) throws -> T? {
    let statement = try begin(sql, values)
    defer { end(statement) }
    guard try statement.step() else { return nil }
    let result = try make(Row(statement))
    // A statement that writes (INSERT … RETURNING) is done only after its last step.
    if !statement.isReadOnly { while try statement.step() {} }
    return result
  }

  /// Hands the rows of a query to `body` one by one, never holding more than one in memory.
  ///
  /// `body` may run other statements, the same one too. The write-ahead log grows while a read takes long.
  public func forEach(
    _ sql: String, _ values: (any Bindable)?..., body: (borrowing Row) throws -> Void
  ) throws {
    try forEach(sql, values: values, body: body)
  }

  /// Hands the rows of a query to `body` one by one, with the parameters' values in an array.
  public func forEach(
    _ sql: String, values: [(any Bindable)?], body: (borrowing Row) throws -> Void
  ) throws {
    let statement = try begin(sql, values)
    defer { end(statement) }
    let row = Row(statement)
    while try statement.step() { try body(row) }
  }

  /// Runs any number of statements, separated by `;`, up to the first that fails.
  ///
  /// They are not one transaction by themselves.
  public func script(_ sql: String) throws(SQLiteError) {
    try Statement.forEach(in: sql, on: database, isKept: false) { (handle) throws(SQLiteError) in
      defer { sqlite3_finalize(handle) }
      var result = sqlite3_step(handle)
      while result == SQLITE_ROW { result = sqlite3_step(handle) }
      guard result != SQLITE_DONE else { return }
      let failed = sqlite3_sql(handle).map { String(cString: $0) }
      throw SQLiteError(result, of: database, sql: failed)
    }
  }

  /// A statement with its values bound, from the cache where it is there and free.
  private func begin(_ sql: String, _ values: [(any Bindable)?]) throws(SQLiteError) -> Statement {
    let statement: Statement
    if let kept = cache.statement(for: sql) {
      statement = kept
    } else {
      statement = try Statement(sql, on: database, isKept: true)
      cache.insert(statement)
    }
    statement.isInUse = true
    do {
      try statement.bind(values)
    } catch {
      end(statement)
      throw error
    }
    return statement
  }

  private func end(_ statement: Statement) {
    statement.reset()
    statement.isInUse = false
  }
}
