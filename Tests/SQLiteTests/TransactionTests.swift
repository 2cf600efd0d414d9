import Foundation
import SQLite
import Testing

@Suite struct TransactionTests {
  struct Stop: Error {}

  let temporary: TemporaryDatabase
  let connection: Connection

  init() throws {
    temporary = try TemporaryDatabase()
    connection = try temporary.connectWithTable()
  }

  @Test func commitsAllOrNothing() throws {
    let other = try temporary.connect()
    let result = try connection.transaction(.immediate) {
      try connection.run("INSERT INTO t VALUES (1, 'a')")
      #expect(connection.isInTransaction)
      #expect(try other.count() == 0)
      return "done"
    }
    #expect(result == "done" && !connection.isInTransaction)
    #expect(try other.count() == 1)
    #expect(throws: Stop.self) {
      try connection.transaction(.immediate) {
        try connection.run("INSERT INTO t VALUES (2, 'b')")
        throw Stop()
      }
    }
    #expect(!connection.isInTransaction)
    #expect(try connection.count() == 1)
  }

  @Test func refusesOneInsideAnother() throws {
    try connection.transaction(.immediate) {
      let refused = try error { try connection.transaction(.deferred) {} }
      #expect(refused.kind == .misuse)
      try connection.run("INSERT INTO t VALUES (1, 'a')")
    }
    #expect(try connection.count() == 1)
  }

  @Test func rollsBackWhenTheCommitFails() throws {
    try connection.script(
      "CREATE TABLE c (t INTEGER REFERENCES t (id) DEFERRABLE INITIALLY DEFERRED) STRICT")
    let refused = try error {
      try connection.transaction(.immediate) { try connection.run("INSERT INTO c VALUES (9)") }
    }
    #expect(refused.kind == .constraint(.foreignKey))
    #expect(!connection.isInTransaction)
    try connection.transaction(.immediate) { try connection.run("INSERT INTO t VALUES (1, 'a')") }
    #expect(try connection.count("c") == 0)
  }

  @Test func failsWhereSQLiteRolledBackByItself() throws {
    #expect(throws: SQLiteError.self) {
      try connection.transaction(.immediate) {
        try connection.run("INSERT INTO t VALUES (1, 'a')")
        _ = try? connection.run("INSERT OR ROLLBACK INTO t VALUES (1, 'a')")
      }
    }
    #expect(try connection.count() == 0)
  }

  @Test func seesOneStateThroughout() throws {
    let other = try temporary.connect()
    try connection.transaction(.deferred) {
      #expect(try connection.count() == 0)
      try other.run("INSERT INTO t VALUES (1, 'a')")
      #expect(try connection.count() == 0)
    }
    #expect(try connection.count() == 1)
  }

  @Test func waitsForTheWriteLock() throws {
    let started = DispatchSemaphore(value: 0)
    let release = DispatchSemaphore(value: 0)
    let holder = Background { [temporary] in
      let other = try temporary.connect()
      try other.transaction(.immediate) {
        try other.run("INSERT INTO t VALUES (1, 'a')")
        started.signal()
        release.wait()
      }
    }
    started.wait()
    let impatient = try temporary.connect(busyTimeout: .milliseconds(1))
    #expect(try error { try impatient.run("INSERT INTO t VALUES (2, 'b')") }.kind == .busy)
    #expect(try error { try impatient.transaction(.immediate) {} }.kind == .busy)
    // Reading needs no lock.
    #expect(try impatient.count() == 0)
    let waiter = Background { [temporary] in
      let patient = try temporary.connect()
      try patient.transaction(.immediate) { try patient.run("INSERT INTO t VALUES (3, 'c')") }
    }
    release.signal()
    try holder.wait()
    try waiter.wait()
    #expect(try connection.rows("SELECT id FROM t ORDER BY id") { try $0.int(0) } == [1, 3])
  }

  @Test func losesNoWriteOfManyConnections() throws {
    let workers = (0..<4).map { worker in
      Background { [temporary] in
        let own = try temporary.connect()
        for index in 0..<50 {
          try own.transaction(.immediate) {
            let count = try own.count() ?? 0
            try own.run("INSERT INTO t VALUES (?, ?)", count + 1, "\(worker) \(index)")
          }
        }
      }
    }
    for worker in workers { try worker.wait() }
    #expect(try connection.count() == 200)
  }
}
