import CSQLite
import Glibc

extension Connection {
  /// Copies the database, as it is at one moment, into a new file that only its owner can read.
  ///
  /// Others may go on writing meanwhile. The copy is on disk when this returns, and a single file.
  ///
  /// - Parameter path: The new file; one that exists is refused.
  /// - Throws: ``SQLiteError``; then there is no file.
  public func backup(to path: String) throws(SQLiteError) {
    guard mknod(path, S_IFREG | 0o600, 0) == 0 else {
      throw SQLiteError(
        SQLITE_CANTOPEN, message: "cannot create the backup file", systemError: errno)
    }
    do {
      try copy(to: path)
    } catch {
      Self.remove(path)
      throw error
    }
  }

  /// Removes a database that nobody has open, with all that may stand beside it.
  ///
  /// - Parameter path: The database's file.
  public static func remove(_ path: String) {
    for suffix in suffixes { unlink(path + suffix) }
  }

  /// The suffixes of a database's files, that of the database first.
  public static let suffixes = ["", "-journal", "-wal", "-shm"]

  private func copy(to path: String) throws(SQLiteError) {
    var handle: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    let opened = sqlite3_open_v2(Connection.plainPath(path), &handle, flags, nil)
    defer { sqlite3_close(handle) }
    guard opened == SQLITE_OK else { throw SQLiteError(opened, of: handle) }
    guard let backup = sqlite3_backup_init(handle, "main", database, "main") else {
      throw SQLiteError(sqlite3_extended_errcode(handle), of: handle)
    }
    // In one step: it reads one snapshot, and no writer makes it start anew.
    let copied = sqlite3_backup_step(backup, -1)
    let finished = sqlite3_backup_finish(backup)
    guard copied == SQLITE_DONE, finished == SQLITE_OK else {
      throw SQLiteError(copied == SQLITE_DONE ? finished : copied, of: handle)
    }
    // The copy has the source's mark for a write-ahead log, which would need files beside it.
    let changed = sqlite3_exec(handle, "PRAGMA journal_mode = DELETE", nil, nil, nil)
    guard changed == SQLITE_OK else { throw SQLiteError(changed, of: handle) }
  }

  /// Looks for damage and broken references in the whole database.
  ///
  /// - Returns: A line for each fault; none if the database is sound.
  /// - Throws: ``SQLiteError`` where the check itself cannot be made.
  public func integrityCheck() throws -> [String] {
    let damage = try rows("PRAGMA integrity_check") { row in try row.text(0) }
    let references = try rows("PRAGMA foreign_key_check") { row in
      let rowID = try row.optionalInt(1).map(String.init) ?? "without a row id"
      return
        "row \(rowID) of \(try row.text(0)) refers to a row of \(try row.text(2)) that is not there"
    }
    return damage.filter { $0 != "ok" } + references
  }

  /// Brings the whole write-ahead log into the database file and empties it.
  ///
  /// - Throws: ``SQLiteError`` of kind `busy` if readers or a writer stay longer than the time-out.
  public func checkpoint() throws(SQLiteError) {
    let result = sqlite3_wal_checkpoint_v2(
      database, "main", SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
    guard result == SQLITE_OK else { throw SQLiteError(result, of: database) }
  }
}
