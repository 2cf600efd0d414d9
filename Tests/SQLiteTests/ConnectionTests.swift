import Foundation
import SQLite
import Testing

@Test func storesAndReads() throws {
  let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
  let connection = try Connection(path: path, mode: .readWriteCreate, busyTimeout: .seconds(1))
  try connection.script(
    "CREATE TABLE t (a INTEGER, b TEXT) STRICT; CREATE TABLE u (x BLOB) STRICT;")
  #expect(try connection.run("INSERT INTO t VALUES (?, ?)", 1, "x\0y") == 1)
  #expect(try connection.first("SELECT b FROM t WHERE a = ?", 1) { try $0.text(0) } == "x\0y")
  #expect(try connection.dataVersion() == connection.dataVersion())
  let migrator = Migrator(applicationID: 7, migrations: [])
  #expect(throws: MigrationError.self) { try migrator.migrate(connection) }
}
