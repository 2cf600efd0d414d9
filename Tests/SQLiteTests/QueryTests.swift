import Testing
@testable import SQLite

@Suite struct QueryTests {
  let temporary: TemporaryDatabase
  let connection: Connection

  init() throws {
    temporary = try TemporaryDatabase()
    connection = try temporary.connectWithTable()
  }

  @Test func countsTheRowsThatChanged() throws {
    #expect(try connection.run("INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c')") == 3)
    #expect(try connection.run("CREATE INDEX i ON t (name)") == 0)
    #expect(try connection.run("UPDATE t SET name = name || 'x' WHERE id > ?", 1) == 2)
    #expect(try connection.run("SELECT * FROM t") == 0)
    #expect(try connection.run("DELETE FROM t WHERE id = ?", values: [9]) == 0)
  }

  @Test func readsRowsInOrder() throws {
    try connection.run("INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, NULL)")
    let sql = "SELECT name FROM t WHERE id >= ? ORDER BY id DESC"
    #expect(try connection.rows(sql, 2) { try $0.optionalText(0) } == [nil, "b"])
    #expect(try connection.rows(sql, values: [4]) { try $0.text(0) } == [])
    #expect(try connection.first(sql, 1) { $0.isNull(0) } == true)
    #expect(try connection.first(sql, values: [4]) { try $0.text(0) } == nil)
  }

  @Test func finishesAWriteThatReturnsRows() throws {
    let sql = "INSERT INTO t (name) VALUES ('a'), ('b') RETURNING id"
    #expect(try connection.first(sql) { try $0.int(0) } == 1)
    #expect(try temporary.connect().count() == 2)
    // Nothing holds the write lock any longer.
    try temporary.connect(busyTimeout: .zero).run("DELETE FROM t")
  }

  @Test func reportsAWriteThatReturnsRowsAndFailsAtItsEnd() throws {
    try connection.script(
      "CREATE TABLE c (t INTEGER REFERENCES t (id) DEFERRABLE INITIALLY DEFERRED) STRICT")
    let refused = try error {
      try connection.first("INSERT INTO c VALUES (9) RETURNING t") { try $0.int(0) }
    }
    #expect(refused.kind == .constraint(.foreignKey))
    #expect(try connection.count("c") == 0)
  }

  @Test func runsTheSameQueryInsideItself() throws {
    try connection.run("INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c')")
    let sql = "SELECT id FROM t WHERE id > ? ORDER BY id"
    var seen: [[Int]] = []
    try connection.forEach(sql, 0) { outer in
      let id = try outer.int(0)
      seen.append([id] + (try connection.rows(sql, id) { try $0.int(0) }))
    }
    #expect(seen == [[1, 2, 3], [2, 3], [3]])
  }

  @Test func usesAStatementAgainAfterAFailure() throws {
    let sql = "INSERT INTO t VALUES (?, ?)"
    for id in 1...3 {
      try connection.run(sql, id, "name \(id)")
      let refused = try error { try connection.run(sql, id, "another name") }
      #expect(refused.kind == .constraint(.primaryKey))
    }
    #expect(throws: SQLiteError.self) { try connection.run(sql, 4) }
    try connection.run(sql, 4, nil)
    #expect(try connection.first("SELECT name FROM t WHERE id = 4") { $0.isNull(0) } == true)
  }

  @Test func letsGoOfItsLocksWhenTheBodyThrows() throws {
    struct Stop: Error {}
    try connection.run("INSERT INTO t VALUES (1, 'a'), (2, 'b')")
    let other = try temporary.connect(busyTimeout: .zero)
    #expect(throws: Stop.self) { try connection.forEach("SELECT * FROM t") { _ in throw Stop() } }
    #expect(throws: Stop.self) { try connection.first("SELECT * FROM t") { _ in throw Stop() } }
    try other.run("INSERT INTO t VALUES (3, 'c')")
    // It can empty the log only if nobody reads.
    try other.checkpoint()
  }

  @Test func keepsABoundedNumberOfStatements() throws {
    for number in 0..<1_000 {
      #expect(try connection.first("SELECT \(number)") { try $0.int(0) } == number)
    }
    #expect(connection.cache.count == StatementCache.capacity)
    // The latest ones are kept, the earlier ones went.
    #expect(connection.cache.statement(for: "SELECT 999") != nil)
    #expect(connection.cache.statement(for: "SELECT 1") == nil)
  }

  @Test func tellsDifferentlyComposedSQLApart() throws {
    for letter in ["\u{E9}", "e\u{301}", "\u{E9}"] {
      let found = try connection.first("SELECT '\(letter)'") { try $0.text(0) }
      #expect(found.map { Array($0.utf8) } == Array(letter.utf8))
    }
  }

  @Test(arguments: [
    "", "  -- nothing\n", "SELECT 1; SELECT 2", "SELECT ?", "SELECT 1\0", "DELETE FROM t;\0",
  ])
  func refusesWhatIsNotOneWholeStatement(_ sql: String) throws {
    #expect(try error { try connection.run(sql) }.kind == .misuse)
  }

  @Test func takesATrailingSemicolonAndComment() throws {
    #expect(try connection.first("SELECT 1; -- one") { try $0.int(0) } == 1)
  }

  @Test func refusesSurplusValues() throws {
    #expect(try error { try connection.run("SELECT 1", 1) }.kind == .misuse)
  }

  @Test func runsScriptsUpToTheFirstFailure() throws {
    try connection.script("")
    let refused = try error {
      try connection.script(
        """
        INSERT INTO t VALUES (1, 'a'); -- one; still a comment
        INSERT INTO t VALUES (2, 'b;c');
        SELECT * FROM t;
        INSERT INTO t VALUES (1, 'again');
        INSERT INTO t VALUES (3, 'never');
        """)
    }
    #expect(refused.kind == .constraint(.primaryKey))
    #expect(refused.sql?.contains("again") == true && refused.sql?.contains("b;c") == false)
    #expect(try connection.rows("SELECT name FROM t") { try $0.text(0) } == ["a", "b;c"])
  }
}
