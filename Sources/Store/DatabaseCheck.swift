public import Domain
internal import SQLite

/// What a check of a database found.
public struct DatabaseReport: Sendable, Equatable {
  /// One thing that is wrong.
  public struct Fault: Sendable, Equatable {
    /// What was looked at: `integrity`, `schema`, `secrets`, `signing_keys` or `rows`.
    public let check: String
    /// What is wrong, in plain words.
    public let message: String
  }

  /// How much of each there is.
  public struct Counts: Sendable, Equatable {
    /// Projects.
    public var projects = 0
    /// API keys, dead ones too.
    public var apiKeys = 0
    /// Signing keys, revoked ones too.
    public var signingKeys = 0
    /// Businesses.
    public var businesses = 0
    /// Rows of the audit log.
    public var auditEntries = 0
  }

  /// The version of its schema.
  public internal(set) var schemaVersion = 0
  /// The version that this program brings it to.
  public internal(set) var latestVersion = 0
  /// The master keys that its secrets are sealed with.
  public internal(set) var masterKeys: [String] = []
  /// How much there is.
  public internal(set) var counts = Counts()
  /// When something was last changed, by the audit log.
  public internal(set) var lastChange: Timestamp?
  /// When a backup of it was last made, by the audit log.
  public internal(set) var lastBackup: Timestamp?
  /// When it was last restored, by the audit log.
  public internal(set) var lastRestore: Timestamp?
  /// Everything that is wrong; empty for a sound database.
  public internal(set) var faults: [Fault] = []
}

/// Looks at a database without changing it.
struct DatabaseCheck {
  let connection: Connection
  let keyRing: KeyRing?

  /// Looks for everything that could be wrong.
  ///
  /// - Parameter isQuick: whether to leave out what takes long in a large database.
  /// - Returns: what was found.
  /// - Throws: `MigrationError` where it is no database of this program, or one of a newer version.
  func run(isQuick: Bool = false) throws -> DatabaseReport {
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
    // One moment for all, so that a change between two looks is no fault.
    do {
      try connection.transaction(.deferred) {
        report.masterKeys = try SealedValue.masterKeys(connection)
        report.counts = try Self.counts(connection)
        report.lastChange = try AuditTable.lastChange(connection)
        report.lastBackup = try AuditTable.last("db.backup", connection)
        report.lastRestore = try AuditTable.last("db.restore", connection)
        collect("secrets", &report) { try unopened() }
        collect("signing_keys", &report) { try signingKeyFaults() }
        collect("rows", &report) { try rowFaults(isQuick: isQuick) }
      }
    } catch {
      report.faults.append(.init(check: "integrity", message: Self.words(error)))
    }
    return report
  }

  static let empty = StoreError(
    .unusable, "The database is empty: it was cut off, or its making was interrupted.")

  static func counts(_ connection: Connection) throws -> DatabaseReport.Counts {
    func count(_ table: String) throws -> Int {
      try connection.first("SELECT count(*) FROM \(table)") { try $0.int(0) } ?? 0
    }
    return try .init(
      projects: count("project"), apiKeys: count("api_key"), signingKeys: count("signing_key"),
      businesses: count("business"), auditEntries: count("audit"))
  }

  private func collect(
    _ check: String, _ report: inout DatabaseReport, _ find: () throws -> [String]
  ) {
    do {
      report.faults += try find().map { .init(check: check, message: $0) }
    } catch {
      report.faults.append(.init(check: check, message: Self.words(error)))
    }
  }

  /// What secrets do not open; a master key that opens none of its own is said once.
  private func unopened() throws -> [String] {
    // One that finds out that the ring was changed since it was read.
    guard let keyRing = keyRing.map(SharedKeyRing.init) else { return [] }
    let values = try SealedValue.all(connection)
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
      return [first + " None of the \(faults.count) secrets of that key opens."]
    }
  }

  private func signingKeyFaults() throws -> [String] {
    let keys = try SigningKeyTable.keysOfAnyVersion(connection)
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
    for project in try ProjectTable.all(connection) where !(1...100).contains(project.name.count) {
      faults.append("The project \(project.id) has no name, or one of over 100 characters.")
    }
    for key in try APIKeyTable.keys(connection, where: "1") {
      if let objection = APIKey.objection(to: key.scopes, isBound: key.projectID != nil) {
        faults.append("The API key \(key.id): \(objection)")
      }
    }
    _ = try CookieTable.cookies(connection)
    _ = try WebVersionTable.latest(connection)
    _ = try SearchTable.revision(connection)
    guard !isQuick else { return faults }
    try BusinessTable.forEach(connection) { business in
      if business.products.isEmpty { faults.append("The business \(business.id) has no product.") }
      if !Business.isID(business.id) { faults.append("A business has an id that is none.") }
    }
    return faults
  }

  private static func words(_ error: any Error) -> String {
    do {
      try StoreError.translating { throw error }
      return ""
    } catch {
      return "\(error)"
    }
  }
}
