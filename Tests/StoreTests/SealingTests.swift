import Domain
import Foundation
import SQLiteStore
import Store
import StoreFixtures
import StoreTransfer
import Testing

@Suite("Sealing beside a rotation") struct SealingTests {
  private static let project = "67b6f2a9688f4a05db0a1d45"

  /// Everything that seals something for a store.
  private static let writes: [@Sendable (Store, Actor) throws -> Void] = [
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
      let active = try store.makeReader().knowledge.signingKeys().first { $0.state == .active }
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
    let report = try SQLiteStore.check(
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
    let other = try test.open(with: KeyRing.read(copy, credentialsDirectory: nil))
    _ = try test.store.rotateMasterKey(by: test.actor)
    _ = try test.store.dropUnneededMasterKeys(by: test.actor)
    let audit = try test.audit()
    #expect(try kind { try Self.writes[index](other, test.actor) } == .unusable)
    #expect(try test.audit() == audit)
  }
}
