internal import Glibc
internal import Platform
package import SQLite
package import Store

/// The file of a database, and copies of it.
package enum DatabaseFile {
  /// The path of the database of a data directory.
  package static func path(in directory: String) -> String { directory + "/launchlink.db" }

  /// The bytes of a file; 0 where there is none.
  package static func size(_ path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }

  /// Whether a database is one of LaunchLink, of whatever version.
  package static func isOurs(_ connection: Connection) throws -> Bool {
    try Schema.migrator.owns(connection)
  }

  /// The version of a database's schema; 0 for an empty file.
  package static func schemaVersion(of connection: Connection) throws -> Int {
    try Schema.migrator.currentVersion(of: connection)
  }

  /// Refuses a path that is missing, no plain file or unreadable for this user.
  ///
  /// SQLite would wait for a pipe, and call a directory damaged.
  ///
  /// - Parameters:
  ///   - path: a database or a backup.
  ///   - kind: the kind of the error where it is missing.
  ///   - strangerKind: the kind of the error where it is no plain file.
  /// - Throws: `StoreError`.
  package static func requireReadable(
    _ path: String, orElse kind: StoreError.Kind,
    whereNoFile strangerKind: StoreError.Kind = .invalid
  ) throws {
    var status = stat()
    let isThere = stat(path, &status) == 0
    if isThere, status.st_mode & S_IFMT != S_IFREG {
      throw StoreError(strangerKind, "\(path) is no plain file.")
    }
    guard !isThere || access(path, R_OK) != 0 else { return }
    let number = errno
    if number == ENOENT { throw StoreError(kind, "There is no database \(path).") }
    throw StoreError(
      number == EACCES || number == EPERM ? .permission : .inputOutput,
      "The owner of the data directory (uid \(geteuid())) cannot read \(path): "
        + "\(systemMessage(number)).")
  }

  /// Runs `body`, and says plainly where a file that the caller named is no database of LaunchLink, or not a whole one.
  package static func namingStranger<Value>(_ file: String?, _ body: () throws -> Value) throws
    -> Value
  {
    guard let file else { return try body() }
    do {
      return try body()
    } catch let error as SQLiteError where error.kind == .notADatabase {
      throw StoreError(
        .invalid, "\(file) is not a LaunchLink database, or its beginning is damaged.")
    } catch MigrationError.foreignDatabase {
      throw StoreError(
        .invalid, "\(file) is not a LaunchLink database: it belongs to another program.")
    } catch let error as SQLiteError where error.kind == .corrupt {
      throw StoreError(.invalid, "\(file) is damaged, or was cut off: \(error.message).")
    } catch let error as StoreError where error == DatabaseCheck.empty {
      throw StoreError(
        .invalid, "\(file) is empty: it was cut off, or its making was interrupted.")
    }
  }

  /// The master keys that a file's secrets are sealed with, sorted; none where it has no secret.
  package static func masterKeys(ofFileAt path: String) throws -> [String] {
    try requireReadable(path, orElse: .unusable)
    return try looking(at: path) { try SQLiteRows($0).sealedValues().masterKeys }
  }

  /// Reads a database, and leaves no new file beside it.
  package static func looking<Value>(
    at path: String, _ look: (Connection) throws -> Value
  ) throws -> Value {
    let log = path + "-wal"
    let wasOpen = access(log, F_OK) == 0
    defer {
      // Reading makes the log, and only a connection that may write removes it again when it is the last.
      // A log that stays does no harm.
      if !wasOpen, access(log, F_OK) == 0 {
        _ = try? Connection(path: path, mode: .readWrite, busyTimeout: .zero)
      }
    }
    return try look(
      Connection(path: path, mode: .readOnly, busyTimeout: SQLiteTables.busyTimeout))
  }

  /// Copies a database into a new file and checks the copy against the original.
  ///
  /// Only faults that `checks` names refuse the copy; the report has the others.
  package static func copy(
    _ source: Connection, to path: String, keyRing: KeyRing?,
    refusing checks: Set<String> = ["integrity"]
  ) throws -> DatabaseReport {
    let counts = try source.transaction(.deferred) {
      let counts = try SQLiteRows(source).counts()
      // In the same transaction, so that both are of one moment.
      try source.backup(to: path)
      return counts
    }
    let written = try Connection(path: path, mode: .readOnly, busyTimeout: SQLiteTables.busyTimeout)
    let report = try DatabaseCheck(written, keyRing: keyRing).run()
    if let fault = report.faults.first(where: { checks.contains($0.check) }) {
      throw StoreError(
        .unusable,
        "The copy is not sound, and was removed: \(fault.message) Run: launchlink db check")
    }
    guard report.counts == counts else {
      throw StoreError(.inputOutput, "The copy lacks rows of the database, and was removed.")
    }
    return report
  }

  /// Gives a finished copy its name, for good.
  package static func put(_ partial: String, at file: String, replacing: Bool) throws {
    try SecretFile.synchronize(partial)
    if replacing {
      guard rename(partial, file) == 0 else { throw SecretFile.failure("replace", file) }
    } else {
      // A link, unlike a renaming, never takes the place of a file that was just made.
      guard link(partial, file) == 0 else { throw SecretFile.failure("create", file) }
      unlink(partial)
    }
    try SecretFile.synchronizeDirectory(of: file)
  }
}
