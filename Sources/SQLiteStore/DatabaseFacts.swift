public import Domain
internal import SQLite
public import Store

/// What the database holds that the doctor asks about.
public struct DatabaseFacts: Sendable {
  /// The outcome of a quick check.
  public internal(set) var report = DatabaseReport()
  /// Every project, by name.
  public internal(set) var projects: [Project] = []
  /// Every API key, newest first.
  public internal(set) var apiKeys: [APIKey] = []
  /// The time of each API key's last accepted request.
  public internal(set) var lastUses: [KeyID: Timestamp] = [:]
  /// The number of businesses with a name from before the rule for names, which refuses it today.
  public internal(set) var misnamedBusinessCount = 0
  /// The first of them by id, `misnamedShown` at most, with the objection to each.
  public internal(set) var misnamedBusinesses: [(id: String, words: String)] = []
  /// The number of misnamed businesses that are listed.
  public static let misnamedShown = 3
  /// Every signing key, newest first.
  public internal(set) var signingKeys: [SigningKey] = []
  /// The latest time in the database.
  public internal(set) var latestTime: Timestamp?

  /// Whether the database is sound enough to tell more than the report does.
  public var isReadable: Bool {
    let unreadable: Set = ["integrity", "schema", "rows"]
    return !report.faults.contains { unreadable.contains($0.check) }
  }
}

extension SQLiteStore {
  /// Reads the facts without changing the database, which may be in use or of an older version.
  ///
  /// - Parameters:
  ///   - directory: the data directory.
  ///   - keyRing: the master keys; nil leaves out whether secrets open.
  /// - Returns: what was found; of a database that is not sound only the report.
  /// - Throws: `StoreError` where the database is missing, another program's, or newer.
  public static func facts(directory: String, keyRing: KeyRing?) throws -> DatabaseFacts {
    var facts = DatabaseFacts()
    facts.report = try check(directory: directory, keyRing: keyRing, isQuick: true)
    guard facts.isReadable else { return facts }
    return try StoreError.translating {
      try DatabaseFile.looking(at: DatabaseFile.path(in: directory)) { connection in
        let rows = SQLiteRows(connection)
        try connection.transaction(.deferred) {
          facts.projects = try rows.projects()
          facts.apiKeys = try rows.apiKeys(of: nil)
          try rows.forEachBusiness { business in
            guard let objection = business.objectionToNames() else { return }
            facts.misnamedBusinessCount += 1
            if facts.misnamedBusinesses.count < DatabaseFacts.misnamedShown {
              facts.misnamedBusinesses.append((business.id, objection))
            }
          }
          facts.signingKeys = try rows.signingKeysOfAnyVersion()
          if facts.report.schemaVersion >= 2 { facts.lastUses = try rows.lastUses() }
          facts.latestTime = try latestTime(connection, uses: Array(facts.lastUses.values))
        }
      }
      return facts
    }
  }

  private static func latestTime(
    _ connection: Connection, uses: [Timestamp]
  ) throws -> Timestamp? {
    let latest = try connection.first(
      "SELECT max(at) FROM (SELECT max(at) AS at FROM audit UNION ALL SELECT max(at) FROM used_launch)"
    ) { try $0.optionalTime(0) }
    return (uses + [latest ?? nil].compactMap { $0 }).max()
  }
}
