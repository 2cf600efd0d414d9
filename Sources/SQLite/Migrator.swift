/// One step in the history of a schema; once released it is never changed.
public struct Migration: Sendable {
  /// Its purpose, for readers of the list.
  public let name: String
  let apply: @Sendable (Connection) throws -> Void

  /// A step that consists of statements only.
  public init(_ name: String, sql: String) {
    self.init(name) { try $0.script(sql) }
  }

  /// A step that needs code; it runs inside a transaction and must not begin one.
  public init(_ name: String, apply: @escaping @Sendable (Connection) throws -> Void) {
    self.name = name
    self.apply = apply
  }
}

/// Why a database is not brought up to date.
public enum MigrationError: Error, Equatable, CustomStringConvertible {
  /// The file belongs to another program.
  case foreignDatabase(applicationID: Int32)
  /// The file was written by a newer version of this program.
  case newerVersion(found: Int, known: Int)

  /// What is wrong, for an operator.
  public var description: String {
    switch self {
    case .foreignDatabase: "the database belongs to another program"
    case .newerVersion(let found, let known):
      "the database has schema version \(found), this program knows versions up to \(known)"
    }
  }
}

/// Brings a database to the schema of this program.
///
/// The file's `application_id` names the program, its `user_version` the number of migrations that it has had.
public struct Migrator: Sendable {
  private let applicationID: Int32
  private let migrations: [Migration]

  /// Takes the program's mark, which is not 0, and its migrations from the first on.
  public init(applicationID: Int32, migrations: [Migration]) {
    precondition(applicationID != 0, "0 is what a database without a mark has")
    self.applicationID = applicationID
    self.migrations = migrations
  }

  /// The version that ``migrate(_:)`` leads to.
  public var latestVersion: Int { migrations.count }

  /// Applies the migrations that are missing, all in one transaction together with the version.
  ///
  /// Any number of processes may do this at once: one of them applies all.
  ///
  /// - Parameter connection: A connection that may write, outside a transaction.
  /// - Throws: ``MigrationError``, ``SQLiteError``, or what a migration throws; then none is applied,
  ///   and the program that wrote the database can go on with it.
  public func migrate(_ connection: Connection) throws {
    guard try !isCurrent(connection) else { return }
    try connection.transaction(.immediate) {
      // Another process may have been faster: then nothing is missing any more.
      for migration in migrations.dropFirst(try currentVersion(of: connection)) {
        try migration.apply(connection)
      }
      try connection.script(
        "PRAGMA application_id = \(applicationID); PRAGMA user_version = \(migrations.count)")
    }
  }

  /// The number of migrations that the database has had, 0 for an empty one.
  ///
  /// - Throws: ``MigrationError`` where the database is not this program's, or newer.
  public func currentVersion(of connection: Connection) throws -> Int {
    // In one statement, so that all three belong to the same moment.
    let state = try connection.first(
      """
      SELECT (SELECT application_id FROM pragma_application_id),
        (SELECT user_version FROM pragma_user_version), (SELECT count(*) FROM sqlite_schema)
      """
    ) { row in (id: try row.int(0), version: try row.int(1), objects: try row.int(2)) }
    guard let state else { return 0 }
    if state == (0, 0, 0) { return 0 }
    guard state.id == Int(applicationID) else {
      throw MigrationError.foreignDatabase(applicationID: Int32(truncatingIfNeeded: state.id))
    }
    guard state.version <= migrations.count else {
      throw MigrationError.newerVersion(found: state.version, known: migrations.count)
    }
    return state.version
  }

  /// Whether the database has the program's mark, of whatever version it is.
  public func owns(_ connection: Connection) throws -> Bool {
    try connection.first("PRAGMA application_id") { try $0.int(0) } == Int(applicationID)
  }

  /// The differences between a database's schema and the one that its version's migrations make.
  ///
  /// - Parameter connection: a database of this program.
  /// - Returns: a line for each table, index or trigger that is missing, foreign or altered.
  /// - Throws: ``MigrationError``, ``SQLiteError``, or what a migration throws.
  public func deviations(of connection: Connection) throws -> [String] {
    let model = try Connection(inMemory: ())
    for migration in migrations.prefix(try currentVersion(of: connection)) {
      try migration.apply(model)
    }
    let expected = try Self.objects(of: model)
    let found = try Self.objects(of: connection)
    return Set(expected.keys).union(found.keys).sorted().compactMap { name in
      switch (expected[name], found[name]) {
      case (nil, _): "the \(name) does not belong there"
      case (_, nil): "the \(name) is missing"
      case (let wanted, let there): wanted == there ? nil : "the \(name) was altered"
      }
    }
  }

  /// The SQL of tables, indexes and triggers by kind and name; not what SQLite makes by itself.
  private static func objects(of connection: Connection) throws -> [String: String] {
    let rows = try connection.rows(
      "SELECT type || ' ' || name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite@_%' ESCAPE '@'"
    ) { (try $0.text(0), try $0.optionalText(1) ?? "") }
    return Dictionary(rows) { first, _ in first }
  }

  /// Whether the database has had every migration.
  public func isCurrent(_ connection: Connection) throws -> Bool {
    try currentVersion(of: connection) == migrations.count
  }
}
