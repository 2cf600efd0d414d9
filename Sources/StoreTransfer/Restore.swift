public import Domain
internal import Glibc
internal import JSON
internal import Platform
internal import SQLite
internal import SQLiteStore
public import Store

/// The risks that a restore may take.
public struct RestoreManner: Sendable {
  /// Whether to replace a database that has changes which the backup lacks, or that cannot be read.
  public var replacesNewer: Bool
  /// Whether API keys and projects that the replaced database does not know stay alive.
  public var keepsKeys: Bool

  /// Takes no risk unless told otherwise.
  public init(replacesNewer: Bool = false, keepsKeys: Bool = false) {
    self.replacesNewer = replacesNewer
    self.keepsKeys = keepsKeys
  }
}

/// The database that was in place before a restore.
public enum ReplacedDatabaseState: Sendable, Equatable {
  /// There was none.
  case missing
  /// One that could not be read.
  case unreadable
  /// Another installation's: it shares no signing key with the backup, and knows nothing of what was
  /// revoked since.
  case another
  /// The one that the backup was made of, or a later or earlier one of the same installation.
  case own
}

/// The outcome of a restore.
public struct RestoreReport: Sendable, Equatable {
  /// The schema version of the backup, which was brought up to date.
  public internal(set) var schemaVersion = 0
  /// How many rows of each kind the database has now.
  public internal(set) var counts = DatabaseCounts()
  /// The signing key that was made and is active now; every other is revoked.
  public internal(set) var signingKey = ""
  /// The new path of the replaced database; nil where there was none.
  public internal(set) var keptAside: String?
  /// The database that was replaced.
  public internal(set) var replaced = ReplacedDatabaseState.missing
  /// Whether the replaced database told which keys were revoked since the backup.
  public var readReplaced: Bool { replaced == .own }
  /// API keys that work in the backup and were revoked or given an earlier end.
  public internal(set) var endedKeys: [String] = []
  /// Projects that are enabled in the backup and were disabled.
  public internal(set) var disabledProjects: [String] = []
  /// Secrets of the backup that do not open, in plain words; each stops only what needs it.
  public internal(set) var faults: [String] = []
}

extension StoreTransfer {
  /// Puts a backup in the place of the database, whole or not at all.
  ///
  /// Whatever the replaced database had revoked stays so; a new signing key is activated and every
  /// earlier one revoked, and all sessions of the support pages end.
  ///
  /// - Parameters:
  ///   - file: the backup.
  ///   - name: its name in the audit log; its path unless given.
  ///   - directory: the data directory, which no server may be running on.
  ///   - keyRing: the master keys that the backup's secrets are sealed with.
  ///   - manner: the risks to take.
  ///   - clock: tells the time.
  ///   - actor: for the audit log.
  /// - Returns: the outcome.
  /// - Throws: `StoreError`; of kind `inUse` where a server runs or the database is newer. Then the
  ///   database is as it was.
  public static func restore(
    from file: String, named name: String? = nil, directory: String, keyRing: KeyRing,
    _ manner: RestoreManner, clock: @escaping Clock, by actor: Actor
  ) throws -> RestoreReport {
    let use = try DirectoryUse(alone: directory)
    defer { withExtendedLifetime(use) {} }
    // Nobody changes the ring from now on, but somebody may have since it was read.
    let keyRing = try keyRing.asOfNow()
    let path = DatabaseFile.path(in: directory)
    guard FileIdentity(file) != FileIdentity(path) || FileIdentity(file) == nil else {
      throw StoreError(.invalid, "\(file) is the database itself.")
    }
    let temporary = TemporaryFile(path + ".restoring", besides: Connection.suffixes)
    let staged = temporary.path
    try removeLeftovers(of: staged, beside: path)
    defer { temporary.remove() }
    return try StoreError.translating {
      var report = RestoreReport()
      let backup = try DatabaseFile.namingStranger(file) {
        try stage(file, at: staged, keyRing: keyRing)
      }
      report.schemaVersion = backup.schemaVersion
      let replaced = try ReplacedDatabase(path, by: staged)
      report.replaced = replaced.state
      try replaced.admit(replacementBy: backup, manner)
      try adapt(
        staged, to: replaced, keyRing: keyRing, manner, clock: clock, by: actor,
        file: name ?? file, holding: backup.masterKeys, &report)
      report.faults = try unopened(in: staged, keyRing)
      try SecretFile.synchronize(staged)
      TemporaryFile.holdSignals()
      report.keptAside = try replaced.swap(with: staged, at: clock())
      return report
    }
  }

  /// Copies the backup beside the database, and checks it.
  private static func stage(
    _ file: String, at staged: String, keyRing: KeyRing
  ) throws -> DatabaseReport {
    try DatabaseFile.requireReadable(file, orElse: .notFound)
    let source = try Connection(
      path: file, mode: .readOnly, busyTimeout: SQLiteTables.busyTimeout)
    guard try DatabaseFile.schemaVersion(of: source) > 0 else { throw DatabaseCheck.empty }
    let missing = try SQLiteRows(source).sealedValues().masterKeys.filter { !keyRing.holds($0) }
    guard missing.isEmpty else {
      throw StoreError(
        .unusable,
        "The backup needs the master key \(missing.joined(separator: ", ")), which the key ring here "
          + "does not hold. Put the key ring of the backup's time in place, or add its line to the "
          + "one here.")
    }
    do {
      return try DatabaseFile.copy(
        source, to: staged, keyRing: keyRing, refusing: ["integrity", "schema"])
    } catch let error as StoreError where error.kind == .unusable {
      throw StoreError(.unusable, "The backup is not sound. \(error.description)")
    }
  }

  /// The faults of secrets that do not open, which are no reason to be left without a database.
  private static func unopened(in staged: String, _ keyRing: KeyRing) throws -> [String] {
    let connection = try Connection(
      path: staged, mode: .readOnly, busyTimeout: SQLiteTables.busyTimeout)
    return try DatabaseCheck(connection, keyRing: keyRing).run(isQuick: true).faults
      .filter { $0.check == "secrets" }.map(\.message)
  }

  /// Migrates the staged copy, and takes over what the replaced database has ended.
  private static func adapt(
    _ staged: String, to replaced: ReplacedDatabase, keyRing: KeyRing, _ manner: RestoreManner,
    clock: @escaping Clock, by actor: Actor, file: String, holding masterKeys: [String],
    _ report: inout RestoreReport
  ) throws {
    let time = StoreTime(ofDay: clock, machine: .system)
    let store = try SQLiteStore.store(at: staged, keyRing: keyRing, time: time, use: nil)
    var adapted = report
    try store.change(by: actor) { change in
      let rows = change.rows
      let moment = try LaunchTime.advance(rows, time, past: rows.launchFloor())
      try Revocations(
        of: replaced.ownRows, keepsUnknown: manner.keepsKeys, now: change.now, at: moment
      ).carry(into: rows, &adapted)
      _ = try LaunchTime.advance(rows, time, past: rows.launchFloor())
      adapted.signingKey = try change.replaceSigningKeys().id.description
      try rows.removeAllSessions()
      if let old = replaced.rows { try DatabaseCopy.carry(from: old, into: rows) }
      try change.audit(
        "db.restore", file,
        new: [
          "ended_keys": .integer(Int64(adapted.endedKeys.count)),
          "disabled_projects": .integer(Int64(adapted.disabledProjects.count)),
          "read_replaced": .bool(adapted.readReplaced), "keep_keys": .bool(manner.keepsKeys),
          "master_keys": .array(masterKeys.map(JSON.string)),
        ])
      adapted.counts = try rows.counts()
    }
    report = adapted
  }

  /// Removes the staged copy and the second name of the database that a killed restore left.
  private static func removeLeftovers(of staged: String, beside path: String) throws {
    Connection.remove(staged)
    let directory = FilePath.directory(of: path)
    for name in FilePath.names(in: directory)
    where name.hasPrefix(ReplacedDatabase.prefix) {
      let aside = directory + "/" + name
      if FileIdentity(aside) == FileIdentity(path) { unlink(aside) }
    }
  }
}
