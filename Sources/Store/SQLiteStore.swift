internal import Platform
internal import Cryptography
internal import Foundation
internal import JSON
internal import Domain
internal import SQLite

/// The store in one SQLite file of a data directory.
///
/// Writes go through one connection under its lock; every reader has a connection of its own.
final class SQLiteStore: Store {
  /// How long a command waits for another process's lock.
  static let busyTimeout: Duration = .seconds(10)
  /// How long a request waits for one, which keeps its worker from all others meanwhile.
  static let requestTimeout: Duration = .seconds(2)

  let path: String
  let keyRing: SharedKeyRing
  let time: StoreTime
  let retention = Retention()
  private let writer: SharedConnection
  private let databases = OpenDatabases()
  private let sharedIndex = SharedIndex()
  private let use: DirectoryUse?

  /// Opens the database; `use` keeps a restore away for as long as the store lives.
  init(path: String, keyRing: KeyRing, time: StoreTime, use: DirectoryUse?) throws {
    self.path = path
    self.use = use
    let keyRing = SharedKeyRing(keyRing)
    self.keyRing = keyRing
    self.time = time
    let databases = databases
    writer = try StoreError.translating {
      try SharedConnection(path, databases) { connection in
        try Schema.migrator.migrate(connection)
        try SigningKeyTable.openNewest(connection, keyRing)
        try DigestKeyTable.addMissing(connection, keyRing)
        try LaunchClockTable.setAtOpening(connection, time)
      }
    }
  }

  func makeReader() throws -> any StoreReader {
    try StoreError.translating {
      // One that could write sees other connections' commits without a system call.
      let opened = try databases.open(path, busyTimeout: Self.requestTimeout)
      try opened.connection.script("PRAGMA query_only = ON")
      return SQLiteReader(
        opened.connection, of: opened.database, keyRing: keyRing, sharedIndex: sharedIndex,
        time: time)
    }
  }

  /// Makes one change in one transaction.
  func write<Value: Sendable>(
    by actor: Actor, _ body: (borrowing Transaction) throws -> Value
  ) throws -> Value {
    try StoreError.translating {
      try writer.withLock(waiting: .command) { connection in
        let transaction = Transaction(
          connection: connection, keyRing: keyRing, now: time.ofDay(), actor: actor)
        return try connection.transaction(.immediate) { try body(transaction) }
      }
    }
  }

  /// Makes one change that a request asks for, and that the audit log does not name.
  func write<Value: Sendable>(
    _ body: (Connection, _ now: Timestamp) throws -> Value
  ) throws -> Value {
    try StoreError.translating {
      try writer.withLock(waiting: .request) { connection in
        let now = time.ofDay()
        return try connection.transaction(.immediate) { try body(connection, now) }
      }
    }
  }

  /// Lends a connection that no other thread uses, for work of several transactions.
  func withOwnConnection<Value>(_ body: (Connection) throws -> Value) throws -> Value {
    try StoreError.translating {
      try body(Connection(path: path, mode: .readWrite, busyTimeout: Self.busyTimeout))
    }
  }

  /// Makes one change in one transaction on such a connection; it is `deferred` where nothing is
  /// changed in the end.
  func write<Value>(
    on connection: Connection, by actor: Actor, _ kind: Connection.TransactionKind,
    _ body: (borrowing Transaction) throws -> Value
  ) throws -> Value {
    let transaction = Transaction(
      connection: connection, keyRing: keyRing, now: time.ofDay(), actor: actor)
    return try connection.transaction(kind) { try body(transaction) }
  }
}

/// Who waits when another process has the database locked.
private enum Waiting {
  /// A command: as long as it takes, within reason.
  case command
  /// A request: a moment, and not at all while the lock that the last one met is still there.
  case request
}

/// The connection that writes, which threads use one after another.
///
/// Unchecked, since the compiler cannot see that the connection is used under the lock only, and that
/// only rows made into values leave it. The lock is the system's, which the thread sanitizer knows.
private final class SharedConnection: @unchecked Sendable {
  private let path: String
  private let databases: OpenDatabases
  private let prepare: @Sendable (Connection) throws -> Void
  private let lock = NSLock()
  private var database: OpenDatabase
  private var connection: Connection
  /// Whether the last change met a lock that was not let go.
  private var isLocked = false

  /// Opens the database at the path, and hands each connection to `prepare` before its first use.
  init(
    _ path: String, _ databases: OpenDatabases,
    prepare: @escaping @Sendable (Connection) throws -> Void
  ) throws {
    self.path = path
    self.databases = databases
    self.prepare = prepare
    (database, connection) = try databases.open(path, busyTimeout: SQLiteStore.busyTimeout)
    try prepare(connection)
  }

  /// Runs `body` on the database that stands at the path, which is opened anew where it was replaced.
  ///
  /// What a thread waits for the ones before it counts as waiting for the database.
  func withLock<Value: Sendable>(
    waiting: Waiting, _ body: (Connection) throws -> Value
  ) throws -> Value {
    let limit = waiting == .request ? SQLiteStore.requestTimeout : SQLiteStore.busyTimeout
    let deadline = ContinuousClock.now + limit
    return try lock.withLock {
      if FileIdentity(path) != database.identity {
        let opened = try databases.open(path, busyTimeout: SQLiteStore.busyTimeout)
        try prepare(opened.connection)
        (database, connection) = opened
      }
      try database.requireItsLogs()
      let isHopeless = waiting == .request && isLocked
      connection.wait(atMost: isHopeless ? .zero : deadline - .now)
      do {
        let value = try body(connection)
        isLocked = false
        return value
      } catch {
        isLocked = (error as? SQLiteError)?.kind == .busy
        throw error
      }
    }
  }
}

/// One change under way.
struct Transaction: ~Copyable {
  let connection: Connection
  let keyRing: SharedKeyRing
  let now: Timestamp
  let actor: Actor

  /// Seals a secret for a row that the transaction writes.
  func seal(_ secret: [UInt8], at place: KeyRing.Place) throws -> [UInt8] {
    try keyRing.seal(secret, at: place, in: connection)
  }

  /// Writes one row of the audit log; neither `old` nor `new` may hold a secret.
  func audit(_ action: String, _ subject: String, old: JSON? = nil, new: JSON? = nil) throws {
    assert(AuditQuery.actions.contains(action), "nobody could look for \(action)")
    try AuditTable.insert(
      AuditEntry(at: now, actor: actor, action: action, subject: subject, old: old, new: new),
      connection)
  }
}

extension StoreError {
  /// Runs `body` and says its database errors in the store's own words.
  static func translating<Value>(_ body: () throws -> Value) throws -> Value {
    do {
      return try body()
    } catch let error as SQLiteError {
      throw StoreError(error)
    } catch let error as MigrationError {
      throw StoreError(error)
    }
  }

  private init(_ error: MigrationError) {
    switch error {
    case .foreignDatabase:
      self.init(.unusable, "The database cannot be used: \(error).")
    case .newerVersion:
      self.init(
        .unusable,
        "The database cannot be used: \(error). A newer LaunchLink wrote it: install that version "
          + "again, or restore a backup from before the upgrade.")
    }
  }

  private init(_ error: SQLiteError) {
    switch error.kind {
    case .busy:
      self.init(.unavailable, "The database is locked by another process. Try again.")
    case .readOnly:
      self.init(.permission, "The database may not be written: \(error.message).")
    case .readOnlyFileSystem:
      self.init(
        .inputOutput,
        "The file system of the database is read-only. Nothing was changed. If it turned so by itself, its "
          + "disk has failed: see dmesg.")
    case .cannotOpen, .notAFile:
      self.init(.unusable, "The database cannot be opened: \(error.message).")
    case .notADatabase, .corrupt, .unexpectedValue:
      self.init(
        .unusable, "The database is damaged: \(error.message). Restore it from a backup.")
    case .full:
      self.init(.inputOutput, "The disk is full. Nothing was changed.")
    case .io:
      self.init(.inputOutput, "The disk is full or failed: \(error.message).")
    case .constraint, .misuse, .other:
      self.init(.unusable, "The database refused: \(error.message).")
    }
  }
}
