internal import Glibc
internal import JSON
public import LaunchDomain
internal import SQLite

/// A copy of the database: a backup, or what a migration or a restore kept.
public struct DatabaseCopy: Sendable, Equatable {
  /// The file, as whoever had it made named it.
  public let path: String
  /// When it was made; nil where only its name tells.
  public let madeAt: Timestamp?
  /// The master keys that its secrets are sealed with.
  public let masterKeys: [String]
  /// Whether a file is there now.
  ///
  /// A copy that was taken elsewhere still needs its keys.
  public let isThere: Bool

  /// How many backups are told of.
  private static let mostRemembered = 1000

  /// The copies that the audit log names, the latest of each path and newest first, then those in the
  /// data directory.
  ///
  /// - Parameters:
  ///   - connection: the database, of any version.
  ///   - path: its file, in the data directory.
  /// - Returns: the copies.
  /// - Throws: `SQLiteError`, or `StoreError` where the database is damaged.
  static func known(to connection: Connection, beside path: String) throws -> [DatabaseCopy] {
    var seen: Set<String> = []
    let backups = try AuditTable.entries(connection, backupQuery).compactMap { row -> Self? in
      guard seen.insert(row.subject).inserted else { return nil }
      let keys = row.new?.objectValue?.first { $0.name == "master_keys" }?.value.arrayValue
      return DatabaseCopy(
        path: row.subject, madeAt: row.at, masterKeys: keys?.compactMap(\.stringValue) ?? [],
        isThere: access(row.subject, F_OK) == 0)
    }
    return backups + inDataDirectory(of: path).filter { !seen.contains($0.path) }
  }

  private static var backupQuery: AuditQuery {
    var query = AuditQuery()
    query.action = "db.backup"
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
        path: "\(directory)/\(name)", madeAt: nil, masterKeys: keys, isThere: true)
    }
  }
}
