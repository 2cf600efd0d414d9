import SQLite
import Testing

@Suite struct ErrorTests {
  let temporary: TemporaryDatabase
  let connection: Connection

  init() throws {
    temporary = try TemporaryDatabase()
    connection = try temporary.connect()
    try connection.script(
      """
      CREATE TABLE p (id INTEGER PRIMARY KEY) STRICT;
      CREATE TABLE c (
        id TEXT PRIMARY KEY, u TEXT UNIQUE, n INTEGER NOT NULL CHECK (n > 0),
        p INTEGER REFERENCES p (id)
      ) STRICT, WITHOUT ROWID;
      INSERT INTO p VALUES (1);
      INSERT INTO c VALUES ('a', 'u', 1, 1);
      """)
  }

  static let broken: [(sql: String, kind: SQLiteError.Kind)] = [
    ("INSERT INTO p VALUES (1)", .constraint(.primaryKey)),
    ("INSERT INTO c VALUES ('a', 'v', 1, 1)", .constraint(.primaryKey)),
    ("INSERT INTO c VALUES ('b', 'u', 1, 1)", .constraint(.unique)),
    ("INSERT INTO c VALUES ('b', 'v', NULL, 1)", .constraint(.notNull)),
    ("INSERT INTO c VALUES ('b', 'v', 0, 1)", .constraint(.check)),
    ("INSERT INTO c VALUES ('b', 'v', 1, 2)", .constraint(.foreignKey)),
    ("DELETE FROM p", .constraint(.foreignKey)),
    ("INSERT INTO c VALUES ('b', 'v', 'text', 1)", .constraint(.other)),
    ("SELEC 1", .other), ("SELECT * FROM missing", .other),
  ]

  @Test(arguments: broken) func tellsKindsApart(_ sql: String, _ kind: SQLiteError.Kind) throws {
    let refused = try error { try connection.run(sql) }
    #expect(refused.kind == kind)
    #expect(refused.sql == sql)
    #expect(refused.code == refused.extendedCode & 0xFF && refused.code != 0)
  }

  @Test func namesTheSQLAndNeverAValue() throws {
    let sql = "INSERT INTO c VALUES (?, ?, ?, ?)"
    try connection.run(sql, "llk_secret", "wk_secret", 1, 1)
    for values in [
      ["llk_secret", "x", 1, 1], ["x", "wk_secret", 1, 1],
      ["llk_secret", "wk_secret", "secret", 1],
    ] as [[(any Bindable)?]] {
      let refused = try error { try connection.run(sql, values: values) }
      #expect(refused.description.contains(sql))
      #expect(!refused.description.contains("secret"))
      #expect(!"\(String(reflecting: refused))".contains("secret"))
    }
    let unread = try error {
      _ = try connection.rows("SELECT u FROM c WHERE id = ?", "llk_secret") { try $0.int(0) }
    }
    #expect(!unread.description.contains("secret"))
  }
}
