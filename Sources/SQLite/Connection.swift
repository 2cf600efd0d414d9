import CSQLite
import Glibc

/// A connection to a database file.
///
/// It is confined to one thread at a time and therefore not `Sendable`: SQLite's own mutexes are
/// off. An owner that shares it between threads puts it under a lock.
///
/// Every connection has the write-ahead log, full synchronisation (a reported change survives a
/// power cut), foreign keys, no trust in the schema, and SQLite's defensive mode.
public final class Connection {
  /// The use that a connection may make of the file.
  public enum Mode: Sendable {
    /// Read and write, and make the file, readable by its owner only, if there is none.
    case readWriteCreate
    /// Read and write a file that exists.
    case readWrite
    /// Read a file that exists.
    case readOnly
    /// Read a file that nobody changes meanwhile, without its log, without a lock and without making a file
    /// beside it.
    case readFrozen

    fileprivate var isReading: Bool { self == .readOnly || self == .readFrozen }
  }

  /// Bytes of the write-ahead log that stay on disk once it was brought into the database.
  ///
  /// The log usually takes as many until then; a long read makes it grow further.
  private static let keptLog = 4 << 20

  let database: OpaquePointer
  let busyTimeout: Duration
  var cache = StatementCache()
  private var changes = ChangeCounter()

  /// Opens a database file.
  ///
  /// - Parameters:
  ///   - path: The file. Its directory must exist, and be writable unless `mode` is read-only.
  ///   - mode: What may be done with it.
  ///   - busyTimeout: How long to wait for another connection's lock.
  /// - Throws: ``SQLiteError`` of kind `cannotOpen`, `notAFile`, `notADatabase`, `busy` and others.
  public init(path: String, mode: Mode, busyTimeout: Duration) throws(SQLiteError) {
    if mode == .readWriteCreate { try Self.createFile(path) }
    try Self.requireFile(path)
    var handle: OpaquePointer?
    let flags =
      (mode.isReading ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE)
      | (mode == .readFrozen ? SQLITE_OPEN_URI : 0)
    let result = sqlite3_open_v2(
      mode == .readFrozen ? Self.frozenURI(of: path) : Self.plainPath(path), &handle,
      flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
    guard result == SQLITE_OK, let handle else {
      let error = SQLiteError(result, of: handle, sql: nil)
      sqlite3_close(handle)
      throw error
    }
    database = handle
    self.busyTimeout = busyTimeout
    try configure(mode)
  }

  /// Opens a database in memory, without a log, that goes with the connection.
  init(inMemory: Void) throws(SQLiteError) {
    var handle: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    let result = sqlite3_open_v2(":memory:", &handle, flags, nil)
    guard result == SQLITE_OK, let handle else {
      let error = SQLiteError(result, of: handle, sql: nil)
      sqlite3_close(handle)
      throw error
    }
    database = handle
    busyTimeout = .zero
  }

  deinit {
    // SQLite closes only what has no statements left.
    changes.close()
    cache.removeAll()
    let result = sqlite3_close(database)
    assert(result == SQLITE_OK, "a statement or a backup outlived its connection")
  }

  /// The row id of the latest successful INSERT on this connection, 0 before the first.
  public var lastInsertedRowID: Int64 { sqlite3_last_insert_rowid(database) }

  /// Changes how long to wait from now on for another connection's lock.
  ///
  /// - Parameter time: The longest wait; none for zero and below.
  public func wait(atMost time: Duration) {
    let milliseconds = (time / .milliseconds(1)).rounded(.up)
    sqlite3_busy_timeout(database, Int32(min(max(milliseconds, 0), 1e9)))
  }

  /// A number that differs from the one before if another connection, of this process or of
  /// another, has committed in between.
  ///
  /// It takes some 17 ns, so it may be asked for each request. Ask before reading what depends on
  /// it, not after. What this connection itself commits may change it too, and so may, rarely,
  /// nothing at all. The numbers of two connections have nothing to do with each other.
  public func dataVersion() throws(SQLiteError) -> Int {
    try changes.current(on: database)
  }

  /// Keeps SQLite from taking a file name for a URI, as Debian's build of it would.
  static func plainPath(_ path: String) -> String {
    path.hasPrefix("file:") ? "./" + path : path
  }

  /// The URI that has SQLite take a file for one that nobody changes (https://sqlite.org/uri.html).
  private static func frozenURI(of path: String) -> String {
    let syntax: [UInt8: String] = [
      UInt8(ascii: "%"): "%25", UInt8(ascii: "?"): "%3f", UInt8(ascii: "#"): "%23",
    ]
    let escaped = path.utf8.map { syntax[$0].map { Array($0.utf8) } ?? [$0] }.joined()
    // The authority is empty, so that a path of two slashes at its start is still a path.
    let start = path.utf8.first == UInt8(ascii: "/") ? "file://" : "file:"
    return start + String(decoding: Array(escaped), as: UTF8.self) + "?immutable=1"
  }

  /// Makes an empty file that only its owner can read; the log files take over its mode.
  ///
  /// Not with `open`: closing any descriptor of a database file frees the locks that the process
  /// holds on it (https://sqlite.org/howtocorrupt.html section 2.2).
  private static func createFile(_ path: String) throws(SQLiteError) {
    guard mknod(path, S_IFREG | 0o600, 0) != 0, errno != EEXIST else { return }
    throw SQLiteError(
      SQLITE_CANTOPEN, message: "cannot create the database file", systemError: errno)
  }

  /// Refuses what SQLite would wait for, as for a pipe that nobody writes to, or call damaged.
  private static func requireFile(_ path: String) throws(SQLiteError) {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG else { return }
    throw SQLiteError(SQLiteError.notAFile, message: "\(path) is no plain file")
  }

  private func configure(_ mode: Mode) throws(SQLiteError) {
    // First of all, since every following statement may meet a lock.
    wait(atMost: busyTimeout)
    let options: [(option: Int32, value: Int32)] = [
      (SQLITE_DBCONFIG_ENABLE_FKEY, 1),
      (SQLITE_DBCONFIG_DEFENSIVE, 1),
      (SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
      // A misspelt column in double quotes is an error, not a text.
      (SQLITE_DBCONFIG_DQS_DML, 0),
      (SQLITE_DBCONFIG_DQS_DDL, 0),
    ]
    for (option, value) in options {
      let result = shim_db_config(database, option, value)
      guard result == SQLITE_OK else { throw SQLiteError(result, of: database) }
    }
    if !mode.isReading {
      // SQLite opens a file that it may not write for reading, without a word.
      guard sqlite3_db_readonly(database, "main") == 0 else {
        throw SQLiteError(
          SQLITE_READONLY, message: "the database file may not be written",
          systemError: SQLiteError.refusalToWrite(beside: database) ?? 0)
      }
      try useWriteAheadLog()
      try script("PRAGMA journal_size_limit = \(Self.keptLog)")
    }
    try script("PRAGMA synchronous = FULL; PRAGMA cell_size_check = ON")
  }

  /// Switches the file to the write-ahead log, unless it is there already.
  ///
  /// When two connections switch at once, SQLite may refuse one without calling its busy handler, since that
  /// could be a deadlock. So the waiting is done here.
  private func useWriteAheadLog() throws(SQLiteError) {
    let deadline = ContinuousClock.now + busyTimeout
    while true {
      do throws(SQLiteError) {
        let mode = try text(of: "PRAGMA journal_mode")
        if mode == "wal" { return }
        let changed = try text(of: "PRAGMA journal_mode = WAL")
        if changed == "wal" { return }
        throw SQLiteError(
          SQLITE_CANTOPEN, message: "the database cannot have a write-ahead log",
          sql: "PRAGMA journal_mode = WAL")
      } catch {
        guard error.kind == .busy, ContinuousClock.now < deadline else { throw error }
        usleep(5_000)
      }
    }
  }

  /// The first text that a statement gives.
  private func text(of sql: String) throws(SQLiteError) -> String? {
    let statement = try Statement(sql, on: database, isKept: false)
    return try statement.step() ? Row(statement).text(0) : nil
  }
}
