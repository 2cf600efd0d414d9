import Foundation
import SQLite
import Testing

@Suite struct ConnectionTests {
  let temporary: TemporaryDatabase

  init() throws { temporary = try TemporaryDatabase() }

  @Test(arguments: [Connection.Mode.readWriteCreate, .readWrite, .readOnly])
  func setsEveryPragma(_ mode: Connection.Mode) throws {
    let first = try temporary.connectWithTable()
    let connection = try temporary.connect(mode, busyTimeout: .milliseconds(1_234))
    #expect(try connection.pragma("journal_mode") == .text("wal"))
    #expect(try connection.pragma("synchronous") == .integer(2))
    #expect(try connection.pragma("foreign_keys") == .integer(1))
    #expect(try connection.pragma("trusted_schema") == .integer(0))
    #expect(try connection.pragma("cell_size_check") == .integer(1))
    #expect(try connection.pragma("busy_timeout") == .integer(1_234))
    #expect(try first.count() == 0)
  }

  @Test func isDefensive() throws {
    let connection = try temporary.connectWithTable()
    try connection.script("PRAGMA writable_schema = ON")
    #expect(throws: SQLiteError.self) { try connection.run("DELETE FROM sqlite_schema") }
    // A misspelt column in double quotes must not turn into a text.
    #expect(throws: SQLiteError.self) { try connection.run("SELECT \"nmae\" FROM t") }
  }

  @Test func makesFilesThatOnlyTheOwnerReads() throws {
    let connection = try temporary.connectWithTable()
    for suffix in ["", "-wal", "-shm"] {
      #expect(try temporary.permissions(of: temporary.path + suffix) == 0o600, "\(suffix)")
    }
    #expect(try connection.count() == 0)
  }

  @Test func leavesTheModeOfAFileThatExists() throws {
    #expect(
      FileManager.default.createFile(
        atPath: temporary.path, contents: nil, attributes: [.posixPermissions: 0o640]))
    let connection = try temporary.connectWithTable()
    #expect(try temporary.permissions(of: temporary.path) == 0o640)
    #expect(try connection.count() == 0)
  }

  @Test func refusesAMissingFile() throws {
    for mode in [Connection.Mode.readWrite, .readOnly] {
      #expect(try error { _ = try temporary.connect(mode) }.kind == .cannotOpen)
    }
    #expect(!FileManager.default.fileExists(atPath: temporary.path))
    let nowhere = temporary.directory + "/none/test.db"
    let refused = try error {
      _ = try Connection(path: nowhere, mode: .readWriteCreate, busyTimeout: .zero)
    }
    #expect(refused.kind == .cannotOpen)
  }

  @Test func refusesWhatIsNoDatabase() throws {
    let text = Data(String(repeating: "not a database\n", count: 100).utf8)
    try text.write(to: URL(filePath: temporary.path))
    #expect(try error { _ = try temporary.connect() }.kind == .notADatabase)
    #expect(try Data(contentsOf: URL(filePath: temporary.path)) == text)
  }

  @Test func takesNoFileNameForAURI() throws {
    _ = try temporary.connectWithTable()
    let refused = try error {
      _ = try Connection(path: "file:" + temporary.path, mode: .readWrite, busyTimeout: .zero)
    }
    #expect(refused.kind == .cannotOpen)
  }

  @Test func doesNotWriteWhenReadOnly() throws {
    _ = try temporary.connectWithTable().run("INSERT INTO t VALUES (1, 'x')")
    let connection = try temporary.connect(.readOnly)
    #expect(try connection.count() == 1)
    #expect(try error { try connection.run("DELETE FROM t") }.kind == .readOnly)
  }

  @Test(arguments: ["plain.db", "100%?immutable=0#a b%20.db"])
  func leavesNoTraceOfReadingAFrozenFile(_ name: String) throws {
    let path = temporary.directory + "/" + name
    do {
      let connection = try Connection(path: path, mode: .readWriteCreate, busyTimeout: .zero)
      try connection.script("CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT UNIQUE) STRICT")
      try connection.run("INSERT INTO t VALUES (1, 'x')")
    }
    let connection = try Connection(path: path, mode: .readFrozen, busyTimeout: .zero)
    #expect(try connection.count() == 1)
    #expect(try error { try connection.run("DELETE FROM t") }.kind == .readOnly)
    #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.directory) == [name])
  }

  @Test func keepsWhatAnEarlierConnectionCommitted() throws {
    do {
      let connection = try temporary.connectWithTable()
      try connection.run("INSERT INTO t VALUES (7, 'x')")
      #expect(connection.lastInsertedRowID == 7)
    }
    #expect(try temporary.connect(.readWrite).count() == 1)
    // The last connection has put the log into the file and taken it away.
    #expect(!FileManager.default.fileExists(atPath: temporary.path + "-wal"))
  }
}
