import SQLite
import Testing

@Suite struct MigratorTests {
  static let steps = [
    Migration("a log", sql: "CREATE TABLE log (step INTEGER) STRICT; INSERT INTO log VALUES (1)"),
    Migration("by code") { try $0.run("INSERT INTO log VALUES (?)", 2) },
    Migration("a third", sql: "INSERT INTO log VALUES (3)"),
  ]
  static let applicationID: Int32 = 0x4C4C_4B31

  let temporary: TemporaryDatabase
  let migrator = Migrator(applicationID: applicationID, migrations: steps)

  init() throws { temporary = try TemporaryDatabase() }

  func log(_ connection: Connection) throws -> [Int] {
    try connection.rows("SELECT step FROM log ORDER BY rowid") { try $0.int(0) }
  }

  @Test func bringsAnEmptyDatabaseUpToDate() throws {
    let connection = try temporary.connect()
    #expect(try migrator.currentVersion(of: connection) == 0)
    #expect(try !migrator.isCurrent(connection))
    for _ in 0..<2 {
      try migrator.migrate(connection)
      #expect(try log(connection) == [1, 2, 3])
    }
    #expect(try migrator.isCurrent(connection))
    #expect(try connection.pragma("application_id") == .integer(Int64(Self.applicationID)))
    #expect(try connection.pragma("user_version") == .integer(3))
    #expect(migrator.latestVersion == 3)
  }

  @Test func appliesOnlyWhatIsMissing() throws {
    let connection = try temporary.connect()
    let earlier = Migrator(applicationID: Self.applicationID, migrations: [Self.steps[0]])
    try earlier.migrate(connection)
    #expect(try migrator.currentVersion(of: connection) == 1)
    try migrator.migrate(connection)
    #expect(try log(connection) == [1, 2, 3])
  }

  @Test func rollsBackAllWhereOneFails() throws {
    let connection = try temporary.connect()
    try Migrator(applicationID: Self.applicationID, migrations: [Self.steps[0]]).migrate(connection)
    let faulty = Migrator(
      applicationID: Self.applicationID,
      migrations: [
        Self.steps[0], Self.steps[1],
        Migration("faulty", sql: "INSERT INTO log VALUES (2); INSERT INTO missing VALUES (1)"),
      ])
    #expect(throws: SQLiteError.self) { try faulty.migrate(connection) }
    #expect(try log(connection) == [1])
    #expect(try faulty.currentVersion(of: connection) == 1)
    try migrator.migrate(connection)
    #expect(try log(connection) == [1, 2, 3])
  }

  @Test(arguments: [
    ("PRAGMA application_id = 7", 7), ("PRAGMA application_id = -7; CREATE TABLE x (y)", -7),
    ("CREATE TABLE x (y)", 0), ("PRAGMA user_version = 1", 0),
  ])
  func refusesAnotherProgramsDatabase(_ script: String, _ found: Int) throws {
    let connection = try temporary.connect()
    try connection.script(script)
    let expected = MigrationError.foreignDatabase(applicationID: Int32(found))
    #expect(throws: expected) { try migrator.migrate(connection) }
    #expect(throws: expected) { try migrator.currentVersion(of: connection) }
    #expect(throws: expected) { try migrator.isCurrent(connection) }
    #expect(try connection.pragma("application_id") == .integer(Int64(found)))
    #expect(
      try connection.first("SELECT 1 FROM sqlite_schema WHERE name = 'log'") { _ in true } == nil)
  }

  @Test func refusesANewerDatabase() throws {
    let connection = try temporary.connect()
    try migrator.migrate(connection)
    let older = Migrator(applicationID: Self.applicationID, migrations: [Self.steps[0]])
    #expect(throws: MigrationError.newerVersion(found: 3, known: 1)) {
      try older.migrate(connection)
    }
    #expect(throws: MigrationError.newerVersion(found: 3, known: 1)) {
      try older.isCurrent(connection)
    }
    #expect(try log(connection) == [1, 2, 3])
  }

  @Test func appliesEachOnceWhenManyBeginAtOnce() throws {
    for _ in 0..<5 {
      let own = try TemporaryDatabase()
      let workers = (0..<8).map { _ in
        Background { [migrator] in try migrator.migrate(try own.connect()) }
      }
      for worker in workers { try worker.wait() }
      #expect(try log(own.connect()) == [1, 2, 3])
    }
  }

  @Test func appliesEachOnceForTwoProcesses() async throws {
    let path = temporary.path
    await withTaskGroup { group in
      for _ in 0..<2 {
        group.addTask {
          await #expect(processExitsWith: .success) { [path = path as String] in
            let own = try Connection(path: path, mode: .readWriteCreate, busyTimeout: .seconds(60))
            try Migrator(applicationID: Self.applicationID, migrations: Self.steps).migrate(own)
          }
        }
      }
    }
    #expect(try log(temporary.connect()) == [1, 2, 3])
  }
}
