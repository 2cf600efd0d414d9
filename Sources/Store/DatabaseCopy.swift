internal import Platform
internal import Glibc
internal import JSON
public import Domain
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
    /// A later backup was made under its name, when no file was there any more, or the file that is there is
    /// another one.
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
    var found = FoundCopies()
    for row in try AuditTable.entries(connection, copyQuery) { found.add(row) }
    return found.all(with: inDataDirectory(of: path))
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

  fileprivate static let backupAction = "db.backup"

  private static var copyQuery: AuditQuery {
    var query = AuditQuery()
    query.action = "db"
    query.limit = mostRemembered
    return query
  }

  /// What migrations and restores kept beside a database; what cannot be read opens with no key.
  private static func inDataDirectory(of path: String) -> [DatabaseCopy] {
    let directory = FilePath.directory(of: path)
    return FilePath.names(in: directory).compactMap { name in
      guard MigrationBackup.isName(name) || ReplacedDatabase.isName(name),
        let keys = try? FileStore.masterKeys(ofFileAt: "\(directory)/\(name)")
      else { return nil }
      return DatabaseCopy(
        path: "\(directory)/\(name)", origin: .kept, at: nil, masterKeys: keys, place: .there)
    }
  }
}

/// What rows of the audit log, the newest first, and a look at the files that they name tell of copies.
private struct FoundCopies {
  private var backups: [DatabaseCopy] = []
  private var restored: [DatabaseCopy] = []
  /// Files that are there and are none of those that rows of their name tell of.
  private var others: [DatabaseCopy] = []
  /// Whether the backup that was made next in a place took the place of a file.
  private var isReplaced: [FilePlace: Bool] = [:]
  private var places: Set<FilePlace> = []

  mutating func add(_ row: AuditEntry) {
    let keys = row.value("master_keys")?.arrayValue?.compactMap(\.stringValue) ?? []
    let isBackup = row.action == DatabaseCopy.backupAction
    let name = row.subject
    // What went through a stream has no name.
    guard name.utf8.first == UInt8(ascii: "/") else {
      add(
        DatabaseCopy(
          path: name, origin: isBackup ? .backup : .restored, at: row.at, masterKeys: keys,
          place: .unknown))
      return
    }
    let file = FilePlace(name)
    let next = isReplaced[file]
    if isBackup { isReplaced[file] = row.value("replaced")?.boolValue ?? false }
    guard next != true else { return }
    add(
      DatabaseCopy(
        path: name, origin: isBackup ? .backup : .restored, at: row.at, masterKeys: keys,
        place: next == nil ? look(at: name, file, for: keys) : .overtaken))
  }

  private mutating func add(_ copy: DatabaseCopy) {
    func isSame(_ other: DatabaseCopy) -> Bool {
      other.path.utf8.elementsEqual(copy.path.utf8) && other.masterKeys == copy.masterKeys
    }
    if copy.origin == .backup {
      restored.removeAll(where: isSame)
      backups.append(copy)
    } else if !copy.masterKeys.isEmpty, !restored.contains(where: isSame) {
      restored.append(copy)
    }
  }

  /// Looks whether the file that is in a place can be the copy that needs these keys.
  private mutating func look(
    at path: String, _ file: FilePlace, for keys: [String]
  ) -> DatabaseCopy.Place {
    guard access(path, F_OK) == 0 else { return .missing }
    // Where it cannot be read the row counts.
    let present = try? FileStore.masterKeys(ofFileAt: path)
    guard let present, !keys.isEmpty, present != keys.sorted() else {
      places.insert(file)
      return .there
    }
    if !present.isEmpty, others.allSatisfy({ FilePlace($0.path) != file }) {
      others.append(
        DatabaseCopy(path: path, origin: .kept, at: nil, masterKeys: present, place: .there))
    }
    return .overtaken
  }

  /// All of them: backups, what was restored, then other files that are there.
  func all(with kept: [DatabaseCopy]) -> [DatabaseCopy] {
    var places = places
    let unnamed = (others + kept).filter { places.insert(FilePlace($0.path)).inserted }
    return backups + restored + unnamed
  }
}

extension AuditEntry {
  /// A value of what was there afterwards.
  fileprivate func value(_ name: String) -> JSON? {
    new?.objectValue?.first { $0.name == name }?.value
  }

  /// What tells it from every other entry.
  fileprivate var identity: [[UInt8]] {
    [at.description, actor.osUser, action, subject, new.map { "\($0)" } ?? ""].map {
      Array($0.utf8)
    }
  }
}
