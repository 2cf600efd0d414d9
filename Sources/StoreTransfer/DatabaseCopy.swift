public import Domain
internal import Glibc
internal import JSON
internal import Platform
internal import SQLite
internal import SQLiteStore
internal import Store

/// A copy of the database: a backup, or what a migration or a restore kept.
public struct DatabaseCopy: Sendable, Equatable {
  /// How a copy is known.
  public enum Origin: Sendable {
    /// It was made by `db backup`.
    case backup
    /// It was restored, and is not known to have been made here.
    case restored
    /// A migration or a restore kept it in the data directory.
    case kept
  }

  /// Where a copy is now, as far as that can be told.
  ///
  /// A copy that was taken elsewhere still needs its keys.
  public enum Place: Sendable {
    /// A file is there.
    case there
    /// There is no file.
    case missing
    /// A later backup has its name, or another file.
    case overtaken
    /// It went through a standard stream.
    case unknown
  }

  /// The audit log's name for a backup that went to standard output.
  public static let standardOutput = "standard output"
  /// The audit log's name for a backup that came from standard input.
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

  /// The number of rows of the audit log that are read.
  private static let mostRemembered = 1000

  /// The copies that are known: backups by the audit log, newest first, then restored ones, then those in the
  /// data directory.
  ///
  /// - Parameters:
  ///   - rows: the database, of any version.
  ///   - path: its file, in the data directory.
  /// - Returns: the copies.
  /// - Throws: the engine's error, or `StoreError` where the database is damaged.
  static func known(to rows: any Rows, beside path: String) throws -> [DatabaseCopy] {
    var found = FoundCopies()
    for row in try rows.auditEntries(copyQuery) { found.add(row) }
    return found.all(with: inDataDirectory(of: path))
  }

  /// Takes over the audit rows about copies that another database has and this one lacks: the files are still there.
  ///
  /// - Parameters:
  ///   - old: the other one.
  ///   - new: this one, in a transaction.
  /// - Throws: the engine's error, or `StoreError` where a database is damaged.
  static func carry(from old: any Rows, into new: any ChangingRows) throws {
    let known = Set(try new.auditEntries(copyQuery).map(\.identity))
    for row in try old.auditEntries(copyQuery).reversed() where !known.contains(row.identity) {
      try new.append(row)
    }
  }

  fileprivate static let backupAction = "db.backup"

  private static var copyQuery: AuditQuery {
    var query = AuditQuery()
    query.action = "db"
    query.limit = mostRemembered
    return query
  }

  /// The copies that migrations and restores kept beside a database; an unreadable one opens with no key.
  private static func inDataDirectory(of path: String) -> [DatabaseCopy] {
    let directory = FilePath.directory(of: path)
    return FilePath.names(in: directory).compactMap { name in
      guard MigrationBackup.isName(name) || ReplacedDatabase.isName(name),
        let keys = try? DatabaseFile.masterKeys(ofFileAt: "\(directory)/\(name)")
      else { return nil }
      return DatabaseCopy(
        path: "\(directory)/\(name)", origin: .kept, at: nil, masterKeys: keys, place: .there)
    }
  }
}

extension StoreTransfer {
  /// The copies of a data directory's database that are known.
  ///
  /// - Parameter directory: the data directory; servers may be running on it.
  /// - Returns: the copies, the last backup first.
  /// - Throws: `StoreError`.
  public static func copies(directory: String) throws -> [DatabaseCopy] {
    let path = DatabaseFile.path(in: directory)
    return try StoreError.translating {
      try DatabaseFile.looking(at: path) { connection in
        try connection.transaction(.deferred) {
          try DatabaseCopy.known(to: SQLiteRows(connection), beside: path)
        }
      }
    }
  }

  /// The copies that hold secrets of some master keys, as far as they are known.
  ///
  /// - Parameters:
  ///   - masterKeys: the ids of the master keys.
  ///   - directory: the data directory; servers may be running on it.
  /// - Returns: the copies, the last backup first.
  /// - Throws: `StoreError`.
  public static func copies(
    needing masterKeys: [String], directory: String
  ) throws -> [DatabaseCopy] {
    guard !masterKeys.isEmpty else { return [] }
    return try copies(directory: directory).filter {
      !Set($0.masterKeys).isDisjoint(with: masterKeys)
    }
  }
}

/// Gathers copies from rows of the audit log, the newest first, and from the files that they name.
private struct FoundCopies {
  private var backups: [DatabaseCopy] = []
  private var restored: [DatabaseCopy] = []
  /// Files that are there and differ from the copy that was made under their name.
  private var others: [DatabaseCopy] = []
  /// Whether the next backup in a place replaced a file.
  private var isReplaced: [FilePlace: Bool] = [:]
  private var places: Set<FilePlace> = []

  mutating func add(_ row: AuditEntry) {
    let keys = row.value("master_keys")?.arrayValue?.compactMap(\.stringValue) ?? []
    let isBackup = row.action == DatabaseCopy.backupAction
    let name = row.subject
    // A stream has no path.
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

  /// Finds out whether the file in a place can be the copy that needs these keys.
  private mutating func look(
    at path: String, _ file: FilePlace, for keys: [String]
  ) -> DatabaseCopy.Place {
    guard access(path, F_OK) == 0 else { return .missing }
    // The row counts where the file cannot be read.
    let present = try? DatabaseFile.masterKeys(ofFileAt: path)
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

  /// Every copy: backups, restored ones, then other files that are there.
  func all(with kept: [DatabaseCopy]) -> [DatabaseCopy] {
    var places = places
    let unnamed = (others + kept).filter { places.insert(FilePlace($0.path)).inserted }
    return backups + restored + unnamed
  }
}

extension AuditEntry {
  /// A member of the new value.
  fileprivate func value(_ name: String) -> JSON? {
    new?.objectValue?.first { $0.name == name }?.value
  }

  /// The texts that tell it from every other entry.
  fileprivate var identity: [[UInt8]] {
    [at.description, actor.osUser, action, subject, new.map { "\($0)" } ?? ""].map {
      Array($0.utf8)
    }
  }
}
