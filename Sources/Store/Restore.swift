internal import Platform
internal import Glibc
internal import JSON
public import Domain
internal import SQLite

/// What to restore even where that is not plainly safe.
public struct RestoreManner: Sendable {
  /// Whether a database may be replaced that has changes which the backup lacks, or cannot be read.
  public var replacesNewer: Bool
  /// Whether API keys and projects that the replaced database does not know stay alive.
  public var keepsKeys: Bool

  /// Chooses what to do; refuses all that is not plainly safe, unless told otherwise.
  public init(replacesNewer: Bool = false, keepsKeys: Bool = false) {
    self.replacesNewer = replacesNewer
    self.keepsKeys = keepsKeys
  }
}

/// What stood where a restored database stands now.
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

/// What a restore did.
public struct RestoreReport: Sendable, Equatable {
  /// The schema version of the backup, which was brought up to date.
  public internal(set) var schemaVersion = 0
  /// How much is in the database now.
  public internal(set) var counts = DatabaseReport.Counts()
  /// The signing key that was made and is active now; every other is revoked.
  public internal(set) var signingKey = ""
  /// Where the replaced database was put; nil where there was none.
  public internal(set) var keptAside: String?
  /// What was replaced.
  public internal(set) var replaced = ReplacedDatabaseState.missing
  /// Whether the replaced database told what was revoked since.
  public var readReplaced: Bool { replaced == .own }
  /// API keys that the backup has alive and that were revoked or given an earlier end.
  public internal(set) var endedKeys: [String] = []
  /// Projects that the backup has enabled and that were disabled.
  public internal(set) var disabledProjects: [String] = []
}

extension FileStore {
  /// Whether a database is in place.
  public static func hasDatabase(in directory: String) -> Bool {
    access(databasePath(in: directory), F_OK) == 0
  }

  /// Puts a backup in the place of the database, whole or not at all.
  ///
  /// Whatever the replaced database had revoked stays so; a new signing key is activated and every
  /// earlier one revoked, and all sessions of the support pages end.
  ///
  /// - Parameters:
  ///   - file: the backup.
  ///   - name: what the audit log calls it; its path unless given.
  ///   - directory: the data directory, which no server may be running on.
  ///   - keyRing: the master keys, which every secret of the backup has to open with.
  ///   - manner: what to do even where that is not plainly safe.
  ///   - clock: tells the time.
  ///   - actor: for the audit log.
  /// - Returns: what was done.
  /// - Throws: `StoreError`; of kind `inUse` where a server runs or the database is newer. Then the
  ///   database is as it was.
  public static func restore(
    from file: String, named name: String? = nil, directory: String, keyRing: KeyRing,
    _ manner: RestoreManner, clock: @escaping Clock, by actor: Actor
  ) throws -> RestoreReport {
    let use = try DirectoryUse(alone: directory)
    defer { withExtendedLifetime(use) {} }
    // Nobody changes the ring from now on; it may have been since it was read.
    let keyRing = try keyRing.asOfNow()
    let path = databasePath(in: directory)
    guard FileIdentity(file) != FileIdentity(path) || FileIdentity(file) == nil else {
      throw StoreError(.invalid, "\(file) is the database itself.")
    }
    let temporary = TemporaryFile(path + ".restoring", besides: Connection.suffixes)
    let staged = temporary.path
    try removeLeftovers(of: staged, beside: path)
    defer { temporary.remove() }
    return try StoreError.translating {
      var report = RestoreReport()
      let backup = try namingStranger(file) {
        try stage(file, at: staged, keyRing: keyRing)
      }
      report.schemaVersion = backup.schemaVersion
      let replaced = try ReplacedDatabase(path, by: staged)
      report.replaced = replaced.state
      try replaced.admit(replacementBy: backup, manner)
      try adapt(
        staged, to: replaced, keyRing: keyRing, manner, clock: clock, by: actor,
        file: name ?? file, holding: backup.masterKeys, &report)
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
    try requireReadable(file, orElse: .notFound)
    let source = try Connection(
      path: file, mode: .readOnly, busyTimeout: SQLiteStore.busyTimeout)
    guard try Schema.migrator.currentVersion(of: source) > 0 else { throw DatabaseCheck.empty }
    let missing = try SealedValue.masterKeys(source).filter { !keyRing.holds($0) }
    guard missing.isEmpty else {
      throw StoreError(
        .unusable,
        "The backup needs the master key \(missing.joined(separator: ", ")), which the key ring here "
          + "does not hold. Put the key ring of the backup's time in place, or add its line to the "
          + "one here.")
    }
    do {
      return try copy(
        source, to: staged, keyRing: keyRing, refusing: ["integrity", "schema", "secrets"])
    } catch let error as StoreError where error.kind == .unusable {
      throw StoreError(.unusable, "The backup is not sound. \(error.description)")
    }
  }

  /// Brings the staged copy up to date, and carries over what must not be forgotten.
  private static func adapt(
    _ staged: String, to replaced: ReplacedDatabase, keyRing: KeyRing, _ manner: RestoreManner,
    clock: @escaping Clock, by actor: Actor, file: String, holding masterKeys: [String],
    _ report: inout RestoreReport
  ) throws {
    let store = try SQLiteStore(
      path: staged, keyRing: keyRing, time: StoreTime(ofDay: clock, machine: .system), use: nil)
    var adapted = report
    try store.write(by: actor) { transaction in
      let moment = try LaunchClockTable.advance(
        transaction.connection, store.time,
        past: LatestLaunchTable.floor(transaction.connection))
      try Revocations(replaced.witness, keepsUnknown: manner.keepsKeys)
        .carry(into: transaction, at: moment, &adapted)
      _ = try LaunchClockTable.advance(
        transaction.connection, store.time,
        past: LatestLaunchTable.floor(transaction.connection))
      adapted.signingKey = try transaction.replaceSigningKeys().id.description
      _ = try transaction.connection.run("DELETE FROM session")
      if let old = replaced.readable {
        try DatabaseCopy.carry(from: old, into: transaction.connection)
      }
      try transaction.audit(
        "db.restore", file,
        new: [
          "ended_keys": .integer(Int64(adapted.endedKeys.count)),
          "disabled_projects": .integer(Int64(adapted.disabledProjects.count)),
          "read_replaced": .bool(adapted.readReplaced), "keep_keys": .bool(manner.keepsKeys),
          "master_keys": .array(masterKeys.map(JSON.string)),
        ])
      adapted.counts = try DatabaseCheck.counts(transaction.connection)
    }
    report = adapted
  }

  /// Removes what a killed restore left behind: the staged copy, and a second name of the database.
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

/// The database that a restore puts another in the place of.
final class ReplacedDatabase {
  static let prefix = "launchlink.db.replaced-"
  private static let patience: Duration = .seconds(2)
  /// What a database consists of, besides what processes share of it.
  private static let suffixes = ["", "-wal", "-journal"]

  let path: String
  let state: ReplacedDatabaseState
  /// Nil where there is none or it cannot be read, and once it has been replaced.
  private var connection: Connection?
  private let reason: String?

  /// The database as far as it tells what was ended since the backup.
  var witness: Connection? { state == .own ? connection : nil }

  /// The database where it can be read, whosever it is: it knows backups that are still there.
  var readable: Connection? { connection }

  /// Whether a file of the data directory is a replaced database, by its name, and none of its logs.
  static func isName(_ name: String) -> Bool {
    name.hasPrefix(prefix) && suffixes.allSatisfy { $0.isEmpty || !name.hasSuffix($0) }
  }

  /// Looks at the database at the path, which the staged one is to replace.
  init(_ path: String, by staged: String) throws {
    self.path = path
    guard access(path, F_OK) == 0 else {
      (state, connection, reason) = (.missing, nil, nil)
      return
    }
    do {
      // Read only: one that is refused or damaged stays as it is, its log too.
      let connection = try Connection(path: path, mode: .readOnly, busyTimeout: Self.patience)
      guard try Schema.migrator.owns(connection) else {
        throw StoreError(.unusable, "it is no database of LaunchLink")
      }
      guard try connection.integrityCheck().isEmpty else {
        throw StoreError(.unusable, "it is damaged")
      }
      let backup = try Connection(path: staged, mode: .readOnly, busyTimeout: Self.patience)
      // Signing keys are never deleted, so that those of one installation meet in all its databases.
      let isOwn = try !Self.signingKeys(connection).isDisjoint(with: Self.signingKeys(backup))
      (state, self.connection, reason) = (isOwn ? .own : .another, connection, nil)
    } catch let error as SQLiteError where error.kind == .busy {
      throw StoreError(.inUse, "Another program has the database open. End it first.")
    } catch let error as SQLiteError where error.kind == .notAFile {
      throw error
    } catch let error as SQLiteError {
      (state, connection, reason) = (.unreadable, nil, error.message)
    } catch {
      (state, connection, reason) = (.unreadable, nil, "\(error)")
    }
  }

  private static func signingKeys(_ connection: Connection) throws -> Set<String> {
    Set(try connection.rows("SELECT key_id FROM signing_key") { try $0.text(0) })
  }

  /// Refuses where the database has what the backup lacks, unless told.
  func admit(replacementBy backup: DatabaseReport, _ manner: RestoreManner) throws {
    if manner.replacesNewer { return }
    if let reason {
      throw StoreError(
        .inUse,
        "The database in place cannot be read (\(reason)). To replace it all the same, say --replace."
      )
    }
    if state == .another {
      throw StoreError(
        .inUse,
        "The database in place is not the one that the backup was made of: they share no signing key. To "
          + "replace it all the same, say --replace.")
    }
    guard let connection, let last = try AuditTable.lastChange(connection) else { return }
    if backup.lastChange.map({ last > $0 }) ?? true {
      let times =
        switch backup.lastChange {
        case nil: "at \(last), and the backup never."
        case .some(let other) where other.seconds == last.seconds:
          "at \(last), and the backup in the same second, but before."
        case .some(let other): "at \(last), and the backup at \(other)."
        }
      throw StoreError(
        .inUse,
        "The database in place is newer: it was changed last \(times) To replace it all the same, say "
          + "--replace.")
    }
  }

  /// Puts the staged database in place in one step, and keeps the one there under another name.
  ///
  /// A log of the old database beside the new one would be the end of both: so it is gone, or under
  /// another name, before the new one comes.
  ///
  /// - Returns: where the old one is.
  func swap(with staged: String, at now: Timestamp) throws -> String? {
    guard access(path, F_OK) == 0 else {
      guard rename(staged, path) == 0 else { throw SecretFile.failure("create", path) }
      try SecretFile.synchronizeDirectory(of: path)
      return nil
    }
    try close()
    let aside = try freeName(at: now)
    do {
      for suffix in Self.suffixes where access(path + suffix, F_OK) == 0 {
        guard link(path + suffix, aside + suffix) == 0 else {
          throw SecretFile.failure("keep aside", path + suffix)
        }
      }
      try SecretFile.synchronizeDirectory(of: path)
      for suffix in ["-wal", "-shm", "-journal"] { unlink(path + suffix) }
      try SecretFile.synchronizeDirectory(of: path)
      guard rename(staged, path) == 0 else { throw SecretFile.failure("replace", path) }
    } catch {
      putBack(aside)
      throw error
    }
    try SecretFile.synchronizeDirectory(of: path)
    return aside
  }

  /// Has the old database be as it was, with one name for each of its files.
  private func putBack(_ aside: String) {
    for suffix in Self.suffixes.reversed() {
      link(aside + suffix, path + suffix)
      // What could not be put back stays where it is.
      if FileIdentity(path + suffix) == FileIdentity(aside + suffix) { unlink(aside + suffix) }
    }
  }

  /// Brings the log of a readable database into its file; it is deleted with the last connection.
  private func close() throws {
    guard connection != nil else { return }
    connection = nil
    var isAlone = true
    do {
      try Connection(path: path, mode: .readWrite, busyTimeout: Self.patience).checkpoint()
    } catch {
      guard error.kind == .busy else { throw error }
      isAlone = false
    }
    guard isAlone, access(path + "-wal", F_OK) != 0 else {
      throw StoreError(.inUse, "Another program has the database open. End it first.")
    }
  }

  private func freeName(at now: Timestamp) throws -> String {
    let time = now.description.filter { $0 != ":" && $0 != "-" }
    let base = FilePath.directory(of: path) + "/" + Self.prefix + time
    let names = [base] + (2...99).map { base + "-\($0)" }
    guard let free = names.first(where: { access($0, F_OK) != 0 }) else {
      throw StoreError(.alreadyExists, "There are too many files \(base).")
    }
    return free
  }
}

/// What the replaced database had ended, and the backup has alive.
private struct Revocations {
  private let old: Connection?
  private let keepsUnknown: Bool

  init(_ old: Connection?, keepsUnknown: Bool) {
    self.old = old
    self.keepsUnknown = keepsUnknown
  }

  func carry(
    into transaction: borrowing Transaction, at moment: StoreMoment, _ report: inout RestoreReport
  ) throws {
    report.endedKeys = try endKeys(transaction.connection, now: transaction.now)
    report.disabledProjects = try disableProjects(transaction.connection, now: transaction.now)
    try carryUse(transaction.connection, at: moment)
  }

  private func endKeys(_ new: Connection, now: Timestamp) throws -> [String] {
    var known: [KeyID: APIKey] = [:]
    if let old {
      for key in try APIKeyTable.keys(old, where: "1") { known[key.id] = key }
    }
    var ended: [String] = []
    for key in try APIKeyTable.keys(new, where: "revoked_at IS NULL") {
      let revokedAt: Timestamp?
      var expiresAt = key.expiresAt
      if let there = known[key.id] {
        revokedAt = there.revokedAt
        if let end = there.expiresAt { expiresAt = min(end, expiresAt ?? end) }
      } else {
        revokedAt = keepsUnknown ? nil : now
      }
      guard revokedAt != nil || expiresAt != key.expiresAt else { continue }
      try new.run(
        "UPDATE api_key SET revoked_at = ?, expires_at = ? WHERE key_id = ?",
        revokedAt?.milliseconds, expiresAt?.milliseconds, key.id.description)
      ended.append(key.id.description)
    }
    return ended
  }

  private func disableProjects(_ new: Connection, now: Timestamp) throws -> [String] {
    guard let old else { return [] }
    var known: [ProjectID: Project] = [:]
    for project in try ProjectTable.all(old) { known[project.id] = project }
    var disabled: [String] = []
    for project in try ProjectTable.all(new) where project.disabledAt == nil {
      let there = known[project.id]
      // One that is not there was deleted: its keys are dead, and it comes back without life.
      guard there == nil ? !keepsUnknown : there?.disabledAt != nil else { continue }
      try new.run(
        "UPDATE project SET disabled_at = ?, updated_at = ? WHERE project_id = ?",
        (there?.disabledAt ?? now).milliseconds, now.milliseconds, project.id.description)
      disabled.append(project.id.description)
    }
    return disabled
  }

  /// Log-outs and used launches, of which one can be many: row by row.
  private func carryUse(_ new: Connection, at moment: StoreMoment) throws {
    guard let old else { return }
    try old.forEach("SELECT project_id, user_digest, at FROM log_out") { row in
      try new.run(
        """
        INSERT INTO log_out (project_id, user_digest, at, running_time)
        SELECT project_id, ?2, ?3, ?4 FROM project WHERE project_id = ?1
        ON CONFLICT DO UPDATE SET at = max(at, excluded.at)
        """,
        row.text(0), row.blob(1), row.int(2), moment.runningTime)
    }
    try old.forEach("SELECT launch_id, at FROM used_launch") { row in
      try new.run(
        """
        INSERT INTO used_launch (launch_id, at, running_time) VALUES (?, ?, ?) ON CONFLICT DO NOTHING
        """,
        row.text(0), row.int(1), moment.runningTime)
    }
  }
}
