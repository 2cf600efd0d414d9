import SQLite
import Synchronization
import Testing

@Suite struct DataVersionTests {
  let temporary: TemporaryDatabase
  let writer: Connection

  init() throws {
    temporary = try TemporaryDatabase()
    writer = try temporary.connectWithTable()
  }

  @Test(arguments: [Connection.Mode.readWrite, .readOnly])
  func changesWithEveryCommitOfAnotherConnection(_ mode: Connection.Mode) throws {
    let reader = try temporary.connect(mode)
    var version = try reader.dataVersion()
    for id in 1...500 {
      try writer.run("INSERT INTO t VALUES (?, ?)", id, "name \(id)")
      // The log begins anew from time to time.
      if id.isMultiple(of: 100) { try writer.checkpoint() }
      let next = try reader.dataVersion()
      #expect(next != version)
      #expect(try reader.count() == id)
      version = try reader.dataVersion()
    }
  }

  @Test(arguments: [Connection.Mode.readWrite, .readOnly])
  func staysWhereNothingWasCommitted(_ mode: Connection.Mode) throws {
    try writer.run("INSERT INTO t VALUES (1, 'a')")
    let reader = try temporary.connect(mode)
    _ = try reader.dataVersion()
    let version = try reader.dataVersion()
    #expect(try reader.count() == 1)
    #expect(try writer.count() == 1)
    try writer.transaction(.deferred) {}
    struct Stop: Error {}
    #expect(throws: Stop.self) {
      try writer.transaction(.immediate) {
        try writer.run("INSERT INTO t VALUES (2, 'b')")
        throw Stop()
      }
    }
    #expect(try reader.dataVersion() == version)
    try writer.transaction(.immediate) {
      try writer.run("INSERT INTO t VALUES (2, 'b')")
      #expect(try reader.dataVersion() == version)
    }
    #expect(try reader.dataVersion() != version)
  }

  @Test(arguments: [Connection.Mode.readWrite, .readOnly])
  func changesWithACommitOfAnotherProcess(_ mode: Connection.Mode) async throws {
    let reader = try temporary.connect(mode)
    var version = try reader.dataVersion()
    for id in 1...3 {
      await #expect(processExitsWith: .success) {
        [path = temporary.path as String, id = id as Int] in
        let other = try Connection(path: path, mode: .readWrite, busyTimeout: .seconds(60))
        try other.run("INSERT INTO t VALUES (?, NULL)", id)
      }
      let next = try reader.dataVersion()
      #expect(next != version)
      version = next
      #expect(try reader.count() == id)
    }
  }

  @Test func noticesWhatWasCommittedInTheMiddleOfItsOwnRead() throws {
    let reader = try temporary.connect()
    let version = try reader.dataVersion()
    try reader.transaction(.deferred) {
      #expect(try reader.count() == 0)
      try writer.run("INSERT INTO t VALUES (1, 'a')")
    }
    #expect(try reader.dataVersion() != version)
  }

  /// What a cache rests on: whatever was reported before the question is in what was read since.
  @Test func missesNoReportedCommitOfAnotherThread() throws {
    let commits = 500
    let reported = Counter()
    let background = Background { [temporary] in
      let other = try temporary.connect()
      for id in 1...commits {
        try other.run("INSERT INTO t VALUES (?, NULL)", id)
        reported.value.store(id, ordering: .releasing)
      }
    }
    let reader = try temporary.connect()
    var version = -1
    var cached = 0
    var missed = 0
    while cached < commits {
      let due = reported.value.load(ordering: .acquiring)
      let next = try reader.dataVersion()
      if next != version {
        version = next
        cached = try reader.count() ?? 0
      }
      if cached < due { missed += 1 }
    }
    try background.wait()
    #expect(missed == 0)
  }

  final class Counter: Sendable {
    let value = Atomic(0)
  }
}
