import Foundation
import Domain
import Store
import SQLite
import Testing

@Suite("Sealing beside a rotation") struct SealingTests {
  private static let project = "67b6f2a9688f4a05db0a1d45"

  /// Everything that seals something for a store.
  private static let writes: [@Sendable (any Store, Actor) throws -> Void] = [
    { store, actor in
      _ = try store.createProject(
        ProjectDraft(
          id: try #require(ProjectID("000000000000000000000001")), name: "New",
          keyDelivery: .gateway), webAPIKey: "wk_new", by: actor)
    },
    { store, actor in
      var changes = ProjectChanges()
      changes.webAPIKey = "wk_other"
      _ = try store.updateProject(try #require(ProjectID(project)), changes, by: actor)
    },
    { store, actor in _ = try store.createSigningKey(by: actor) },
    { store, actor in
      let active = try store.makeReader().signingKeys().first { $0.state == .active }
      _ = try store.revokeSigningKey(try #require(active).id, by: actor)
    },
  ]

  @Test(
    "what is sealed by who read the ring before opens with the ring as it is after",
    arguments: 0..<4)
  func staleRing(index: Int) throws {
    let test = try TestStore()
    try test.addProject()
    let idle = try test.openAgain()
    _ = try test.store.rotateMasterKey(by: test.actor)
    #expect(try test.store.dropUnneededMasterKeys(by: test.actor).count == 1)
    try Self.writes[index](idle, test.actor)
    let report = try FileStore.check(
      directory: test.directory,
      keyRing: KeyRing.read(test.masterKey, credentialsDirectory: nil))
    #expect(report.faults == [])
  }

  @Test("nothing is sealed with a copy of the ring that a rotation has overtaken", arguments: 0..<4)
  func overtakenCopy(index: Int) throws {
    let test = try TestStore()
    try test.addProject()
    let copy = test.directory + "/copy.key"
    try FileManager.default.copyItem(atPath: test.masterKey, toPath: copy)
    let clock = test.clock
    let other = try FileStore.open(
      directory: test.directory, keyRing: KeyRing.read(copy, credentialsDirectory: nil),
      clock: { clock.now })
    _ = try test.store.rotateMasterKey(by: test.actor)
    _ = try test.store.dropUnneededMasterKeys(by: test.actor)
    let audit = try test.audit()
    #expect(try kind { try Self.writes[index](other, test.actor) } == .unusable)
    #expect(try test.audit() == audit)
  }

  @Test("a restore that read the ring before a rotation seals with the newest key")
  func restore() throws {
    let test = try TestStore()
    let (clock, actor) = (test.clock, test.actor)
    let stale = try KeyRing.read(test.masterKey, credentialsDirectory: nil)
    let backup = test.directory + "/copy"
    _ = try FileStore.backUp(
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
      let store = try FileStore.open(
        directory: directory, keyRing: ringRead, clock: { clock.now })
      _ = try store.rotateMasterKey(by: actor)
    }
    let report = try FileStore.restore(
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
    let old = try KeyRing.read(test.masterKey, credentialsDirectory: nil)
    _ = try test.store.rotateMasterKey(by: test.actor)
    _ = try test.store.dropUnneededMasterKeys(by: test.actor)
    let clock = test.clock
    let report = try FileStore.backUp(
      to: test.directory + "/copy.db", directory: test.directory, keyRing: old, replacing: false,
      clock: { clock.now }, by: test.actor)
    #expect(report.contents.faults == [])
  }

  @Test("drop takes only the keys that were asked about, and tells which copies need them")
  func asked() throws {
    let test = try TestStore()
    let clock = test.clock
    let copy = test.directory + "/copy.db"
    _ = try FileStore.backUp(
      to: copy, directory: test.directory,
      keyRing: KeyRing.read(test.masterKey, credentialsDirectory: nil), replacing: false,
      clock: { clock.now }, by: test.actor)
    _ = try test.store.rotateMasterKey(by: test.actor)
    let first = try test.store.unneededMasterKeys()
    #expect(first.ids.count == 1 && first.copies.map(\.path) == [copy])
    #expect(first.copies.map(\.masterKeys) == [first.ids] && first.copies[0].place == .there)
    _ = try test.store.rotateMasterKey(by: test.actor)
    #expect(try test.store.unneededMasterKeys().ids.count == 2)
    #expect(try test.store.dropMasterKeys(first.ids, by: test.actor) == first.ids)
    let second = try test.store.unneededMasterKeys()
    #expect(second.ids.count == 1 && second.copies.isEmpty)
  }
}
