import Foundation
import SQLite
import SQLiteStore
import Store
import StoreFixtures
import StoreTransfer
import Testing

@Suite("Backups and restores") struct BackupTests {
  @Test("a restore is refused while a store is open, and waits for nobody afterwards")
  func isSharedOrAlone() throws {
    let store = try TestStore()
    let backup = store.directory + "/copy.db"
    let ring = try store.keyRing()
    let clock = store.clock
    _ = try StoreTransfer.backUp(
      to: backup, directory: store.directory, keyRing: ring, replacing: false,
      clock: { clock.now }, by: store.actor)
    #expect(
      try kind {
        _ = try StoreTransfer.restore(
          from: backup, directory: store.directory, keyRing: ring, RestoreManner(),
          clock: { clock.now }, by: store.actor)
      } == .inUse)
  }

  @Test("a restore that read the ring before a rotation seals with the newest key")
  func restore() throws {
    let test = try TestStore()
    let (clock, actor) = (test.clock, test.actor)
    let stale = try test.keyRing()
    let backup = test.directory + "/copy"
    _ = try StoreTransfer.backUp(
      to: backup, directory: test.directory, keyRing: stale, replacing: false,
      clock: { clock.now }, by: actor)
    // A directory that nobody has open.
    let directory = test.directory + "/other"
    try FileManager.default.createDirectory(
      atPath: directory, withIntermediateDirectories: false)
    let ring = directory + "/master.key"
    try FileManager.default.copyItem(atPath: test.masterKey, toPath: ring)
    try FileManager.default.copyItem(atPath: backup, toPath: directory + "/launchlink.db")
    let ringRead = try KeyRing.read(ring, credentialsDirectory: nil)
    do {
      let store = try SQLiteStore.open(
        directory: directory, keyRing: ringRead, clock: { clock.now })
      _ = try store.rotateMasterKey(by: actor)
    }
    let report = try StoreTransfer.restore(
      from: backup, directory: directory, keyRing: ringRead, RestoreManner(replacesNewer: true),
      clock: { clock.now }, by: actor)
    let newest = try String(contentsOfFile: ring, encoding: .utf8).split(separator: "\n").last
    let database = try Connection(
      path: directory + "/launchlink.db", mode: .readOnly, busyTimeout: .seconds(5))
    let secret = try database.first(
      "SELECT secret FROM signing_key WHERE key_id = ?", report.signingKey
    ) { try $0.blob(0) }
    #expect(try #require(secret).starts(with: try #require(newest).prefix(15).utf8))
  }

  @Test("a backup tells of no fault where the master key was changed since the ring was read")
  func backup() throws {
    let test = try TestStore()
    let old = try test.keyRing()
    _ = try test.store.rotateMasterKey(by: test.actor)
    _ = try test.store.dropUnneededMasterKeys(by: test.actor)
    let clock = test.clock
    let report = try StoreTransfer.backUp(
      to: test.directory + "/copy.db", directory: test.directory, keyRing: old, replacing: false,
      clock: { clock.now }, by: test.actor)
    #expect(report.contents.faults == [])
  }

  @Test("drop takes only the keys that were asked about, and tells which copies need them")
  func asked() throws {
    let test = try TestStore()
    let clock = test.clock
    let copy = test.directory + "/copy.db"
    _ = try StoreTransfer.backUp(
      to: copy, directory: test.directory,
      keyRing: test.keyRing(), replacing: false,
      clock: { clock.now }, by: test.actor)
    _ = try test.store.rotateMasterKey(by: test.actor)
    let first = try test.store.unneededMasterKeys()
    let copies = try StoreTransfer.copies(needing: first, directory: test.directory)
    #expect(first.count == 1 && copies.map(\.path) == [copy])
    #expect(copies.map(\.masterKeys) == [first] && copies[0].place == .there)
    _ = try test.store.rotateMasterKey(by: test.actor)
    #expect(try test.store.unneededMasterKeys().count == 2)
    #expect(try test.store.dropMasterKeys(first, by: test.actor) == first)
    let second = try test.store.unneededMasterKeys()
    #expect(second.count == 1)
    #expect(try StoreTransfer.copies(needing: second, directory: test.directory).isEmpty)
  }
}
