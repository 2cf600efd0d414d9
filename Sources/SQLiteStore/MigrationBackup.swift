internal import Domain
internal import Glibc
internal import Platform
internal import SQLite
internal import Store

/// The copy that is made of a database before it is brought to a newer schema.
package struct MigrationBackup {
  /// The number of copies that are kept.
  static let kept = 3
  private static let prefix = "launchlink.db.v"
  private static let suffix = ".backup"
  private static let partial = ".partial"

  let directory: String
  let path: String

  /// Migrates, after a copy where a migration is due; of many processes at once one does so.
  ///
  /// - Parameters:
  ///   - now: the time, for the copy's name.
  ///   - freeBytes: gives the free bytes of a directory; nil where that cannot be told.
  ///   - note: gets a line about the copy.
  ///   - migrate: brings the database up to date.
  /// - Returns: what `migrate` returns.
  /// - Throws: `StoreError`, or what `migrate` throws.
  func around<Value>(
    now: Timestamp, freeBytes: (String) -> Int? = MigrationBackup.freeBytes,
    note: (String) -> Void, migrate: () throws -> Value
  ) throws -> Value {
    guard try version() < Schema.migrator.latestVersion else { return try migrate() }
    let turn = try DirectoryUse(waitingFor: directory + "/launchlink.db.migration-lock")
    defer { withExtendedLifetime(turn) {} }
    let version = try version()
    guard version < Schema.migrator.latestVersion else { return try migrate() }
    let needed = (DatabaseFile.size(path) + DatabaseFile.size(path + "-wal")) * 2 + (1 << 20)
    if let free = freeBytes(directory), free < needed {
      throw StoreError(
        .inputOutput,
        "The database has to be brought from schema version \(version) to "
          + "\(Schema.migrator.latestVersion), and a backup is made before. That takes "
          + "\(needed >> 20) MiB in \(directory), and \(free >> 20) MiB are free. Make room; the "
          + "database is as it was.")
    }
    let time = now.description.filter { $0 != ":" && $0 != "-" }
    let file = "\(directory)/\(Self.prefix)\(version).\(time)\(Self.suffix)"
    let partial = TemporaryFile(file + Self.partial, besides: Connection.suffixes)
    Connection.remove(partial.path)
    defer { partial.remove() }
    let source = try Connection(
      path: path, mode: .readOnly, busyTimeout: SQLiteTables.busyTimeout)
    _ = try DatabaseFile.copy(source, to: partial.path, keyRing: nil)
    try DatabaseFile.put(partial.path, at: file, replacing: true)
    note(
      "the database is brought from schema version \(version) to \(Schema.migrator.latestVersion); "
        + "as it was it is kept in \(file)")
    do {
      let value = try migrate()
      removeOld(Self.prefix)
      return value
    } catch {
      // A service manager starts the program again and again, and each start makes one more copy.
      removeOld("\(Self.prefix)\(version).")
      throw error
    }
  }

  private func version() throws -> Int {
    let connection = try Connection(
      path: path, mode: .readOnly, busyTimeout: SQLiteTables.busyTimeout)
    let version = try Schema.migrator.currentVersion(of: connection)
    guard version > 0 else {
      throw StoreError(
        .unusable,
        "The database in \(directory) is empty: it was cut off, or its making was interrupted. "
          + "Restore it from a backup, or for a new start move it away and run launchlink init.")
    }
    return version
  }

  /// Whether a file of the data directory is such a copy, by its name.
  package static func isName(_ name: String) -> Bool {
    name.hasPrefix(prefix) && name.hasSuffix(suffix)
  }

  /// Removes all but the newest of those whose names begin so; they sort by version and time.
  private func removeOld(_ prefix: String) {
    let names = FilePath.names(in: directory)
    for name in names where name.hasPrefix(Self.prefix) && name.hasSuffix(Self.partial) {
      Connection.remove(directory + "/" + name)
    }
    let backups = names.filter { $0.hasPrefix(prefix) && $0.hasSuffix(Self.suffix) }
      .sorted { $0.compare(numerically: $1) }
    for name in backups.dropLast(Self.kept) { unlink(directory + "/" + name) }
  }

  /// Bytes that are free for the owner of a directory.
  static func freeBytes(in directory: String) -> Int? {
    var room = statvfs()
    guard statvfs(directory, &room) == 0 else { return nil }
    return Int(room.f_bavail) * Int(room.f_frsize)
  }
}

extension String {
  /// Whether it comes before another of the form `….v<number>.<time>…`.
  fileprivate func compare(numerically other: String) -> Bool {
    let parts = { (text: String) -> (Int, String) in
      let fields = text.split(separator: ".")
      return (Int(fields.dropFirst(2).first?.dropFirst() ?? "") ?? 0, text)
    }
    return parts(self) < parts(other)
  }
}
