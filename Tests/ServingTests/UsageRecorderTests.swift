import Domain
import Foundation
import SQLite
import Store
import Synchronization
import Testing
import TestSupport

@testable import Serving

@Suite("Recording usage") struct UsageRecorderTests {
  private let today = Day(Timestamp(seconds: 1_795_953_600))

  private func usage(_ api: TestAPI, _ launches: Int) -> Usage {
    let tally = LaunchTally(
      projectID: api.project.id, keyID: api.key.key.id, page: "main", platform: .ios)
    return Usage(launches: [tally: launches])
  }

  private func counted(_ api: TestAPI) throws -> [String] {
    let period = today.advanced(by: -30)...today.advanced(by: 30)
    return try api.store.makeReader().happenings.launchCounts(by: [.day], in: period, of: nil)[0]
      .map { "\($0.value) \($0.launches)" }
  }

  /// Lets the store refuse usage, or take it again.
  private func breakStore(_ api: TestAPI, _ isBroken: Bool) throws {
    try Self.breakStore(at: api.directory + "/launchlink.db", isBroken)
  }

  private static func breakStore(at path: String, _ isBroken: Bool) throws {
    let database = try Connection(path: path, mode: .readWrite, busyTimeout: .seconds(5))
    try database.script(
      isBroken
        ? "CREATE TRIGGER fail BEFORE INSERT ON launch_count BEGIN SELECT raise(ABORT, 'no'); END"
        : "DROP TRIGGER fail")
  }

  @Test("what the store refuses is kept, day by day, told of once, and written later")
  func failure() throws {
    let api = try TestAPI()
    let lines = Mutex<[String]>([])
    var ledger = UsageLedger(
      store: api.store, report: { line in lines.withLock { $0.append(line) } })
    let isWritten = ledger.write(usage(api, 1), on: today)
    #expect(isWritten)
    try breakStore(api, true)
    for _ in 0..<3 {
      let isWritten = ledger.write(usage(api, 2), on: today)
      #expect(!isWritten)
    }
    _ = ledger.write(usage(api, 10), on: today.advanced(by: 1))
    #expect(lines.withLock { $0.count } == 1)
    #expect(try counted(api) == ["2026-11-29 1"])
    try breakStore(api, false)
    let isWrittenInTheEnd = ledger.write(Usage(), on: today.advanced(by: 1))
    #expect(isWrittenInTheEnd)
    #expect(try counted(api) == ["2026-11-29 7", "2026-11-30 10"])
    #expect(lines.withLock { $0 }.last == "usage counts are written again")
  }

  @Test("many counts are written by and by, and all of them once")
  func parts() throws {
    let api = try TestAPI()
    var ledger = UsageLedger(store: api.store, report: { _ in })
    var all = Usage()
    for number in 0..<(2 * UsageLedger.mostAtOnce + 500) {
      let tally = LaunchTally(
        projectID: api.project.id, keyID: api.key.key.id, page: "p\(number)", platform: .ios)
      all.launches[tally] = 2
    }
    try breakStore(api, true)
    let isWritten = ledger.write(all, on: today)
    #expect(!isWritten)
    try breakStore(api, false)
    let isWrittenInTheEnd = ledger.write(all, on: today)
    #expect(isWrittenInTheEnd)
    #expect(try counted(api) == ["2026-11-29 \(all.launches.count * 4)"])
  }

  @Test("what is kept is bounded, and what was lost is told")
  func bound() throws {
    let api = try TestAPI()
    let lines = Mutex<[String]>([])
    var ledger = UsageLedger(
      store: api.store, report: { line in lines.withLock { $0.append(line) } }, limit: 1)
    try breakStore(api, true)
    for _ in 0..<3 { _ = ledger.write(usage(api, 5), on: today) }
    try breakStore(api, false)
    _ = ledger.write(Usage(), on: today)
    #expect(try counted(api) == ["2026-11-29 5"])
    #expect(try #require(lines.withLock { $0.last }).contains("10 launches"))
  }

  @Test("the recorder writes while it runs, and the last of it when it stops")
  func running() throws {
    let api = try TestAPI()
    let pending = Mutex(usage(api, 3))
    let recorder = try #require(
      UsageRecorder(
        store: api.store, clock: { Timestamp(seconds: 1_795_953_600) }, report: { _ in }
      ) {
        pending.withLock { usage in
          defer { usage = Usage() }
          return usage
        }
      })
    let deadline = ContinuousClock.now + .seconds(60)
    while try counted(api).isEmpty, ContinuousClock.now < deadline { usleep(20_000) }
    #expect(try counted(api) == ["2026-11-29 3"])
    pending.withLock { $0 = usage(api, 4) }
    recorder.stop(within: 60)
    #expect(try counted(api) == ["2026-11-29 7"])
  }

  @Test("the last of it is tried again until the store takes it")
  func stoppingAtLast() throws {
    let api = try TestAPI()
    let lines = Mutex<[String]>([])
    let pending = Mutex(usage(api, 3))
    try breakStore(api, true)
    let path = api.directory + "/launchlink.db"
    let recorder = try #require(
      UsageRecorder(
        store: api.store, clock: { Timestamp(seconds: 1_795_953_600) },
        report: { line in
          // Mended once it has failed.
          if lines.withLock({
            $0.append(line); return $0.count == 1
          }) {
            #expect(throws: Never.self) { try Self.breakStore(at: path, false) }
          }
        }
      ) {
        pending.withLock { usage in
          defer { usage = Usage() }
          return usage
        }
      })
    recorder.stop(within: 60)
    #expect(try counted(api) == ["2026-11-29 3"])
    #expect(lines.withLock { $0 }.last == "usage counts are written again")
  }

  @Test("stopping gives a store that fails no longer than it may, and says what is lost")
  func stoppingInVain() throws {
    let api = try TestAPI()
    let lines = Mutex<[String]>([])
    try breakStore(api, true)
    let usage = usage(api, 1)
    let recorder = try #require(
      UsageRecorder(
        store: api.store, clock: { Timestamp(seconds: 1_795_953_600) },
        report: { line in lines.withLock { $0.append(line) } }
      ) { usage })
    recorder.stop(within: 0)
    #expect(lines.withLock { $0 }.contains { $0.hasSuffix("are lost") })
  }
}
