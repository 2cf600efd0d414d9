public import Domain
package import SQLite
public import Store

/// The outcome of a check of a database.
public struct DatabaseReport: Sendable, Equatable {
  /// One fault.
  public struct Fault: Sendable, Equatable {
    /// The check that found it: `integrity`, `schema`, `secrets`, `signing_keys` or `rows`.
    public let check: String
    /// The fault in plain words.
    public let message: String
  }

  /// The version of its schema.
  public internal(set) var schemaVersion = 0
  /// The version that this program brings it to.
  public internal(set) var latestVersion = 0
  /// The master keys that its secrets are sealed with.
  public internal(set) var masterKeys: [String] = []
  /// How many rows of each kind there are.
  public internal(set) var counts = DatabaseCounts()
  /// The time of the last change in the audit log; looks at something secret are no change.
  public internal(set) var lastChange: Timestamp?
  /// The time of the last backup in the audit log.
  public internal(set) var lastBackup: Timestamp?
  /// The time of the last restore in the audit log.
  public internal(set) var lastRestore: Timestamp?
  /// Every fault; empty for a sound database.
  public internal(set) var faults: [Fault] = []
}

/// Looks at a database without changing it.
package struct DatabaseCheck {
  private let connection: Connection
  private let rows: SQLiteRows
  private let keyRing: KeyRing?

  /// Takes a database, and the master keys that its secrets have to open with; nil skips that check.
  package init(_ connection: Connection, keyRing: KeyRing?) {
    self.connection = connection
    rows = SQLiteRows(connection)
    self.keyRing = keyRing
  }

  /// Runs every check.
  ///
  /// - Parameter isQuick: whether to skip the checks that take long in a large database.
  /// - Returns: the outcome.
  /// - Throws: `MigrationError` where it is no database of this program, or one of a newer version.
  package func run(isQuick: Bool = false) throws -> DatabaseReport {
    var report = DatabaseReport()
    report.schemaVersion = try Schema.migrator.currentVersion(of: connection)
    report.latestVersion = Schema.migrator.latestVersion
    guard report.schemaVersion > 0 else { throw Self.empty }
    if !isQuick {
      collect("integrity", &report) { try connection.integrityCheck() }
      guard report.faults.isEmpty else { return report }
    }
    collect("schema", &report) { try Schema.migrator.deviations(of: connection) }
    guard report.faults.isEmpty else { return report }
    // All of one moment, so that a change between two checks is no fault.
    do {
      try connection.transaction(.deferred) {
        report.masterKeys = try rows.sealedValues().masterKeys
        report.counts = try rows.counts()
        report.lastChange = try rows.lastChange()
        report.lastBackup = try rows.last("db.backup")
        report.lastRestore = try rows.last("db.restore")
        collect("secrets", &report) { try unopened() }
        collect("signing_keys", &report) { try signingKeyFaults() }
        collect("rows", &report) { try rowFaults(isQuick: isQuick) }
      }
    } catch {
      report.faults.append(.init(check: "integrity", message: Self.words(error)))
    }
    return report
  }

  /// A file without a schema.
  package static let empty = StoreError(
    .unusable, "The database is empty: it was cut off, or its making was interrupted.")

  private func collect(
    _ check: String, _ report: inout DatabaseReport, _ find: () throws -> [String]
  ) {
    do {
      report.faults += try find().map { .init(check: check, message: $0) }
    } catch {
      report.faults.append(.init(check: check, message: Self.words(error)))
    }
  }

  /// A fault for each secret that does not open; one for all where a master key opens none of its secrets.
  private func unopened() throws -> [String] {
    // A shared ring finds out that its file was changed since it was read.
    guard let keyRing = keyRing.map(SharedKeyRing.init) else { return [] }
    let values = try rows.sealedValues()
    let byKey = Dictionary(grouping: values) { KeyRing.id(of: $0.bytes) }
    return byKey.sorted { $0.key < $1.key }.flatMap { _, values in
      let faults = values.compactMap { value -> String? in
        do {
          _ = try keyRing.open(value.bytes, at: value.place)
          return nil
        } catch {
          return Self.words(error)
        }
      }
      guard let first = faults.first, faults.count > 1, faults.count == values.count else {
        return faults
      }
      return ["None of the \(faults.count) secrets of one master key opens. " + first]
    }
  }

  private func signingKeyFaults() throws -> [String] {
    let keys = try rows.signingKeysOfAnyVersion()
    var faults: [String] = []
    let active = keys.filter { $0.state == .active }.count
    if active == 0 { faults.append(StoreError.noActiveSigningKey.description) }
    if active > 1 { faults.append("\(active) signing keys are active; one may be.") }
    for key in keys {
      let isDated =
        switch key.state {
        case .pending: true
        case .active: key.activatedAt != nil
        case .retired: key.retiredAt != nil
        case .revoked: key.revokedAt != nil
        }
      if !isDated {
        faults.append("The signing key \(key.id) is \(key.state.rawValue) since never.")
      }
    }
    return faults
  }

  private func rowFaults(isQuick: Bool) throws -> [String] {
    var faults: [String] = []
    for project in try rows.projects() where !(1...100).contains(project.name.count) {
      faults.append("The project \(project.id) has no name, or one of over 100 characters.")
    }
    for key in try rows.apiKeys(of: nil) {
      if let objection = APIKey.objection(to: key.scopes, isBound: key.projectID != nil) {
        faults.append("The API key \(key.id): \(objection)")
      }
    }
    _ = try rows.cookies()
    _ = try rows.webVersion()
    _ = try rows.searchRevision()
    guard !isQuick else { return faults }
    try rows.forEachBusiness { business in
      if business.products.isEmpty { faults.append("The business \(business.id) has no product.") }
      if !Business.isID(business.id) { faults.append("A business has an invalid id.") }
    }
    return faults
  }

  private static func words(_ error: any Error) -> String { "\(StoreError.translated(error))" }
}

extension SQLiteRows {
  package func counts() throws -> DatabaseCounts {
    func count(_ table: String) throws -> Int {
      try connection.first("SELECT count(*) FROM \(table)") { try $0.int(0) } ?? 0
    }
    return try DatabaseCounts(
      projects: count("project"), apiKeys: count("api_key"), signingKeys: count("signing_key"),
      businesses: count("business"), auditEntries: count("audit"))
  }
}
