internal import Domain
internal import Glibc
internal import Platform
internal import SQLite
internal import SQLiteStore
internal import Store

/// The database that a restore replaces.
final class ReplacedDatabase {
  static let prefix = "launchlink.db.replaced-"
  private static let patience: Duration = .seconds(2)
  /// The suffixes of a database's files, but for the log's index that processes share.
  private static let suffixes = ["", "-wal", "-journal"]

  let path: String
  let state: ReplacedDatabaseState
  /// Nil where there is no readable database, and after the replacement.
  private var connection: Connection?
  private let reason: String?

  /// The rows if they say what was revoked since the backup: those of the same installation.
  var ownRows: (any Rows)? { state == .own ? rows : nil }

  /// The rows if they can be read, even another installation's: they list backups that still exist.
  var rows: (any Rows)? { connection.map(SQLiteRows.init) }

  /// Whether a file of the data directory is a replaced database, by its name, and none of its logs.
  static func isName(_ name: String) -> Bool {
    name.hasPrefix(prefix) && suffixes.allSatisfy { $0.isEmpty || !name.hasSuffix($0) }
  }

  /// Opens the database at the path, which the staged one will replace.
  init(_ path: String, by staged: String) throws {
    self.path = path
    guard access(path, F_OK) == 0 else {
      (state, connection, reason) = (.missing, nil, nil)
      return
    }
    do {
      // Read only: a refused or damaged database stays as it is, with its log.
      let connection = try Connection(path: path, mode: .readOnly, busyTimeout: Self.patience)
      guard try DatabaseFile.isOurs(connection) else {
        throw StoreError(.unusable, "it is not a LaunchLink database")
      }
      guard try connection.integrityCheck().isEmpty else {
        throw StoreError(.unusable, "it is damaged")
      }
      let backup = try Connection(path: staged, mode: .readOnly, busyTimeout: Self.patience)
      // Signing keys are never deleted, so all databases of one installation share one.
      let isOwn = try !SQLiteRows(connection).signingKeyIDs()
        .isDisjoint(with: SQLiteRows(backup).signingKeyIDs())
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

  /// Refuses where the database has changes that the backup lacks, unless told otherwise.
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
    guard let connection, let last = try SQLiteRows(connection).lastChange() else { return }
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

  /// Puts the staged database in place in one step, and keeps the old one under another name.
  ///
  /// The old database's log beside the new database would destroy both, so it goes first.
  ///
  /// - Returns: the path of the old database.
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

  /// Puts the old database back, with one name for each of its files.
  private func putBack(_ aside: String) {
    for suffix in Self.suffixes.reversed() {
      link(aside + suffix, path + suffix)
      // A file that could not be put back keeps its other name.
      if FileIdentity(path + suffix) == FileIdentity(aside + suffix) { unlink(aside + suffix) }
    }
  }

  /// Brings the log of a readable database into its file; closing the last connection deletes the log.
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
