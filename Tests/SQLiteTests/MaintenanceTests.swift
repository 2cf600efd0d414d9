import Foundation
import SQLite
import Testing

@Suite struct MaintenanceTests {
  let temporary: TemporaryDatabase
  let connection: Connection

  init() throws {
    temporary = try TemporaryDatabase()
    connection = try temporary.connectWithTable()
  }

  var target: String { temporary.directory + "/backup.db" }

  @Test func copiesOneStateWhileOthersWrite() throws {
    try connection.run("INSERT INTO t VALUES (1, 'a'), (-1, 'b')")
    let writer = Background { [temporary] in
      let other = try temporary.connect()
      for id in 2...300 {
        try other.transaction(.immediate) {
          try other.run("INSERT INTO t VALUES (?, NULL)", id)
          try other.run("INSERT INTO t VALUES (?, NULL)", -id)
        }
      }
    }
    for number in 0..<5 {
      let path = target + "\(number)"
      try connection.backup(to: path)
      #expect(try temporary.permissions(of: path) == 0o600)
      for suffix in ["-wal", "-shm", "-journal"] {
        #expect(!FileManager.default.fileExists(atPath: path + suffix))
      }
      // The mark for a rollback journal (https://sqlite.org/fileformat2.html section 1.3.3): a
      // write-ahead log would need files beside it.
      #expect(try Data(contentsOf: URL(filePath: path))[18..<20] == Data([1, 1]))
      let copy = try Connection(path: path, mode: .readOnly, busyTimeout: .zero)
      #expect(try copy.integrityCheck() == [])
      let (count, sum) = try #require(
        try copy.first("SELECT count(*), sum(id) FROM t") { (try $0.int(0), try $0.int(1)) })
      #expect(count >= 2 && count.isMultiple(of: 2) && sum == 0)
    }
    try writer.wait()
    #expect(try connection.count() == 600)
  }

  @Test func overwritesNothing() throws {
    try Data("precious".utf8).write(to: URL(filePath: target))
    #expect(try error { try connection.backup(to: target) }.kind == .cannotOpen)
    #expect(try Data(contentsOf: URL(filePath: target)) == Data("precious".utf8))
  }

  @Test func leavesNoFileBehindAFailure() throws {
    #expect(
      try error { try connection.backup(to: temporary.directory + "/none/x") }.kind == .cannotOpen)
    try connection.transaction(.immediate) {
      try connection.run("INSERT INTO t VALUES (1, 'a')")
      // SQLite does not copy what is being changed by the same connection.
      #expect(throws: SQLiteError.self) { try connection.backup(to: target) }
    }
    #expect(!FileManager.default.fileExists(atPath: target))
  }

  @Test func findsBrokenReferences() throws {
    try connection.script(
      "CREATE TABLE c (t INTEGER REFERENCES t (id)); PRAGMA foreign_keys = OFF")
    #expect(try connection.integrityCheck() == [])
    try connection.run("INSERT INTO c VALUES (9)")
    #expect(
      try connection.integrityCheck() == ["row 1 of c refers to a row of t that is not there"])
  }

  @Test func findsDamage() throws {
    let path = temporary.directory + "/damaged.db"
    let rows = (1...2_000).map { "(\($0), 'name \($0)')" }.joined(separator: ",")
    try connection.run("INSERT INTO t VALUES " + rows)
    try connection.backup(to: path)
    let file = try FileHandle(forWritingTo: URL(filePath: path))
    try file.seek(toOffset: 5 * 4_096 + 100)
    try file.write(contentsOf: Data(repeating: 0x5A, count: 4_096))
    try file.close()
    let damaged = try Connection(path: path, mode: .readOnly, busyTimeout: .zero)
    #expect(try !damaged.integrityCheck().isEmpty)
  }

  @Test func emptiesTheLog() throws {
    try connection.run("INSERT INTO t VALUES (1, 'a')")
    try connection.checkpoint()
    let attributes = try FileManager.default.attributesOfItem(atPath: temporary.path + "-wal")
    #expect(attributes[.size] as? Int == 0)
    #expect(try connection.count() == 1)
  }

  @Test func saysThatAReaderIsInTheWay() throws {
    let other = try temporary.connect(busyTimeout: .zero)
    try connection.transaction(.deferred) {
      #expect(try connection.count() == 0)
      try other.run("INSERT INTO t VALUES (1, 'a')")
      #expect(try error { try other.checkpoint() }.kind == .busy)
    }
    try other.checkpoint()
  }
}
