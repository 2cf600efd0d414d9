internal import Glibc
internal import JSON
public import LaunchDomain
internal import SQLite

/// A copy of the database: a backup, or what a migration or a restore kept.
public struct DatabaseCopy: Sendable, Equatable {
  /// How it is known.
  public enum Origin: Sendable {
    /// It was made by `db backup`.
    case backup
    /// It was restored, and is not known to have been made here.
    case restored
    /// A migration or a restore kept it in the data directory.
    case kept
  }

  /// What is known of where it is now.
  ///
  /// A copy that was taken elsewhere still needs its keys.
  public enum Place: Sendable {
    /// A file is there.
    case there
    /// There is no file.
    case missing
    /// A later backup was made under its name, when no file was there any more.
    case overtaken
    /// It went through a standard stream.
    case unknown
  }

  /// What the audit log calls a backup that went nowhere that has a name.
  public static let standardOutput = "standard output"
  /// What the audit log calls one that came from nowhere that has a name.
  public static let standardInput = "standard input"

  /// The file, from the root on; or the stream.
  public let path: String
  /// How it is known.
  public let origin: Origin
  /// When it was made, or restored; nil where only its name tells.
  public let at: Timestamp?
  /// The master keys that its secrets are sealed with.
  public let masterKeys: [String]
  /// Where it is now.
  public let place: Place

  /// How many backups are told of.
  private static let mostRemembered = 1000

  /// The copies that the audit log names, newest first and what was restored last, then those in the data
  /// directory.
  ///
  /// - Parameters:
  ///   - connection: the database, of any version.
  ///   - path: its file, in the data directory.
  /// - Returns: the copies.
  /// - Throws: `SQLiteError`, or `StoreError` where the database is damaged.
  static func known(to connection: Connection, beside path: String) throws -> [DatabaseCopy] {
    var backups: [DatabaseCopy] = []
    var restored: [DatabaseCopy] = []
    /// Whether the backup that was made next under a name took the place of a file.
    var isReplaced: [String: Bool] = [:]
    for row in try AuditTable.entries(connection, copyQuery) {
      let keys = row.value("master_keys")?.arrayValue?.compactMap(\.stringValue) ?? []
      let name = row.subject
      let isNamed = name.hasPrefix("/")
      if isNamed, isReplaced[name] == true { continue }
      let place: Place =
        !isNamed
        ? .unknown
        : isReplaced[name] != nil ? .overtaken : access(name, F_OK) == 0 ? .there : .missing
      let copy = DatabaseCopy(
        path: name, origin: row.action == backupAction ? .backup : .restored, at: row.at,
        masterKeys: keys, place: place)
      if copy.origin == .backup {
        restored.removeAll { isNamed && $0.path == name && $0.masterKeys == keys }
        backups.append(copy)
        isReplaced[name] = row.value("replaced")?.boolValue ?? false
      } else if !keys.isEmpty,
        !restored.contains(where: { $0.path == name && $0.masterKeys == keys })
      {
        restored.append(copy)
      }
    }
    let paths = Set((backups + restored).map(\.path))
    return backups + restored + inDataDirectory(of: path).filter { !paths.contains($0.path) }
  }

  /// Copies the rows of backups that another database has, and this one lacks: those files are still there.
  ///
  /// - Parameters:
  ///   - old: the other one.
  ///   - new: this one, in a transaction.
  /// - Throws: `SQLiteError`, or `StoreError` where a database is damaged.
  static func carry(from old: Connection, into new: Connection) throws {
    let known = Set(try AuditTable.entries(new, copyQuery).map(\.identity))
    for row in try AuditTable.entries(old, copyQuery).reversed() where !known.contains(row.identity)
    {
      try AuditTable.insert(row, new)
    }
  }

  private static let backupAction = "db.backup"

  private static var copyQuery: AuditQuery {
    var query = AuditQuery()
    query.action = "db"
    query.limit = mostRemembered
    return query
  }

  /// What migrations and restores kept beside a database; what cannot be read opens with no key.
  private static func inDataDirectory(of path: String) -> [DatabaseCopy] {
    let directory = SecretFile.directory(of: path)
    return SecretFile.names(in: directory).compactMap { name in
      guard MigrationBackup.isName(name) || ReplacedDatabase.isName(name),
        let keys = try? FileStore.looking(
          at: "\(directory)/\(name)", { try SealedValue.masterKeys($0) })
      else { return nil }
      return DatabaseCopy(
        path: "\(directory)/\(name)", origin: .kept, at: nil, masterKeys: keys, place: .there)
    }
  }
}

extension AuditEntry {
  /// A value of what was there afterwards.
  fileprivate func value(_ name: String) -> JSON? {
    new?.objectValue?.first { $0.name == name }?.value
  }

  /// What tells it from every other entry.
  fileprivate var identity: [String] {
    [at.description, actor.osUser, action, subject, new.map { "\($0)" } ?? ""]
  }
}
