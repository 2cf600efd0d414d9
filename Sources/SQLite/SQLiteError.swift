import CSQLite
import Glibc

/// A refusal or failure of SQLite.
///
/// It names the SQL and never a bound value, so it may be logged. It is not for the eyes of a
/// client.
public struct SQLiteError: Error, Sendable, CustomStringConvertible {
  /// What callers tell apart.
  public enum Kind: Sendable, Equatable {
    /// Another connection held a lock for longer than the busy time-out.
    case busy
    /// A constraint of the schema was broken.
    case constraint(Constraint)
    /// The database, or the connection, does not allow writing.
    case readOnly
    /// The file system is read-only, or has become so.
    case readOnlyFileSystem
    /// The file or its directory is missing or may not be used.
    case cannotOpen
    /// What stands at the path is no plain file but, say, a directory or a pipe.
    case notAFile
    /// The file is not an SQLite database.
    case notADatabase
    /// The database is damaged.
    case corrupt
    /// The disk is full.
    case full
    /// Reading or writing failed.
    case io
    /// A column holds NULL or another type than was asked for.
    case unexpectedValue
    /// The connection was used in a way that it does not allow.
    case misuse
    /// Anything else, faulty SQL among it.
    case other
  }

  /// The sort of constraint that was broken.
  public enum Constraint: Sendable {
    /// A value that must be unique is there already.
    case unique
    /// A primary key is there already.
    case primaryKey
    /// A reference leads nowhere, or something still refers to what was to go.
    case foreignKey
    /// A CHECK is not satisfied.
    case check
    /// NULL where a value is required.
    case notNull
    /// Another one, such as the column type of a STRICT table.
    case other
  }

  /// The primary result code (https://sqlite.org/rescode.html).
  public var code: Int32 { extendedCode & 0xFF }
  /// The extended result code; its low byte is ``code``.
  public let extendedCode: Int32
  /// SQLite's own words, or ours where the fault was found before SQLite saw it.
  public let message: String
  /// The statement, with its parameters as placeholders.
  public let sql: String?
  /// The system's own number where it refused to open, read or write a file; 0 where it did not.
  private let systemError: Int32

  /// SQLITE_CANTOPEN_ISDIR, an expression that Swift cannot import.
  static let notAFile = SQLITE_CANTOPEN | 2 << 8

  init(_ extendedCode: Int32, message: String, sql: String? = nil, systemError: Int32 = 0) {
    self.extendedCode = extendedCode
    self.message =
      systemError == 0 ? message : "\(message): \(String(cString: strerror(systemError)))"
    self.sql = sql
    self.systemError = systemError
  }

  /// The error that a call on `database` has just returned.
  init(_ extendedCode: Int32, of database: OpaquePointer?, sql: String? = nil) {
    // SQLite's message belongs to the latest call only if the codes agree.
    let isLatest = database != nil && sqlite3_extended_errcode(database) == extendedCode
    let text = isLatest ? sqlite3_errmsg(database) : sqlite3_errstr(extendedCode)
    self.init(
      extendedCode, message: text.map { String(cString: $0) } ?? "unknown", sql: sql,
      systemError: isLatest ? Self.systemError(extendedCode, of: database) : 0)
  }

  private static func systemError(_ extendedCode: Int32, of database: OpaquePointer?) -> Int32 {
    guard [SQLITE_CANTOPEN, SQLITE_IOERR].contains(extendedCode & 0xFF) else { return 0 }
    let number = sqlite3_system_errno(database)
    // SQLite does not keep the reason of a failed commit, nor of a log file that it could not make.
    return [0, ENOENT].contains(number) ? refusalToWrite(beside: database) ?? number : number
  }

  /// Why the system makes no file in the directory of a database; nil where it would.
  static func refusalToWrite(beside database: OpaquePointer?) -> Int32? {
    guard let path = sqlite3_db_filename(database, "main") else { return nil }
    // SQLite names the file from the root on, and directories above it may not be UTF-8.
    let file = UnsafeBufferPointer(start: path, count: strlen(path))
    let slash = CChar(bitPattern: UInt8(ascii: "/"))
    let directory =
      file.lastIndex(of: slash).map { Array(file[...$0]) } ?? [CChar(bitPattern: UInt8(ascii: "."))]
    let unnamed = shim_open_unnamed(directory + [0])
    guard unnamed < 0 else {
      close(unnamed)
      return nil
    }
    // Some file systems have no such files.
    return [EOPNOTSUPP, EISDIR].contains(errno) ? nil : errno
  }

  /// The message, the extended code and the SQL.
  public var description: String {
    "\(message) (SQLite code \(extendedCode))" + (sql.map { " in: \($0)" } ?? "")
  }

  /// What this is, for callers to act upon.
  public var kind: Kind {
    // SQLite says so itself only of a write: not of a log file that it cannot make or enlarge.
    if [ENOSPC, EDQUOT].contains(systemError) { return .full }
    if systemError == EROFS { return .readOnlyFileSystem }
    if extendedCode == Self.notAFile { return .notAFile }
    return switch code {
    case SQLITE_BUSY, SQLITE_PROTOCOL: .busy
    case SQLITE_CONSTRAINT: .constraint(constraint)
    case SQLITE_READONLY: .readOnly
    case SQLITE_CANTOPEN, SQLITE_PERM: .cannotOpen
    case SQLITE_NOTADB: .notADatabase
    case SQLITE_CORRUPT: .corrupt
    case SQLITE_FULL: .full
    case SQLITE_IOERR: .io
    case SQLITE_MISMATCH: .unexpectedValue
    case SQLITE_MISUSE: .misuse
    default: .other
    }
  }

  private var constraint: Constraint {
    switch extendedCode >> 8 {
    case 1: .check
    case 3: .foreignKey
    case 5: .notNull
    case 6, 10: .primaryKey  // 10: a rowid
    case 8: .unique
    default: .other
    }
  }
}
