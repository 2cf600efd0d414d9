import Domain
import Foundation
import Store
import StoreFixtures
import Testing

@Suite("Master keys") struct MasterKeyTests {
  private func ids(_ test: TestStore) throws -> [String] {
    try String(contentsOfFile: test.masterKey, encoding: .utf8).split(separator: "\n")
      .map { String($0.prefix(15)) }
  }

  @Test("a rotation seals every secret anew, and another opening goes on with the new key")
  func rotate() throws {
    let test = try TestStore()
    let project = try test.addProject(webAPIKey: "wk_one")
    _ = try test.store.createSigningKey(by: test.actor)
    let other = try test.openAgain()
    let idle = try test.openAgain()
    let first = try ids(test)
    let digest = try test.store.makeReader().knowledge.userDigestKey().digest(
      of: "kim", in: project.id)
    let rotation = try test.store.rotateMasterKey(by: test.actor)
    #expect(rotation.resealed == 4)
    #expect(try ids(test) == first + [rotation.keyID])
    #expect(try test.sealers() == [rotation.keyID])
    for store in [test.store, other, try test.openAgain()] {
      let reader = try store.makeReader()
      #expect(try reader.knowledge.webAPIKey(of: project.id) == "wk_one")
      #expect(try reader.knowledge.userDigestKey().digest(of: "kim", in: project.id) == digest)
    }
    // It has not read anything since, and so not the new key.
    let second = try idle.rotateMasterKey(by: test.actor)
    #expect(try ids(test) == first + [rotation.keyID, second.keyID], "no key is lost")
    #expect(try test.store.makeReader().knowledge.webAPIKey(of: project.id) == "wk_one")
    #expect(try test.audit().suffix(2).allSatisfy { $0.hasPrefix("master-key.rotate mk_") })
  }

  @Test("every project's Web API Key is handed out to be looked for, after a rotation too")
  func everyWebAPIKey() throws {
    let test = try TestStore()
    let project = try test.addProject(webAPIKey: "wk_one")
    _ = try test.store.rotateMasterKey(by: test.actor)
    var keys: [ProjectID: String] = [:]
    try test.store.makeReader().knowledge.forEachWebAPIKey { keys[$0] = $1 }
    #expect(keys == [project.id: "wk_one"])
  }

  @Test("drop removes what nothing names, and never the key that seals")
  func drop() throws {
    let test = try TestStore()
    let project = try test.addProject(webAPIKey: "wk_one")
    #expect(try test.store.dropUnneededMasterKeys(by: test.actor) == [])
    let first = try ids(test)
    let rotation = try test.store.rotateMasterKey(by: test.actor)
    #expect(try test.store.dropUnneededMasterKeys(by: test.actor) == first)
    #expect(try ids(test) == [rotation.keyID])
    #expect(try test.openAgain().makeReader().knowledge.webAPIKey(of: project.id) == "wk_one")
  }

  @Test("a backup that needs a key which was dropped meanwhile is refused")
  func backupOvertaken() throws {
    let test = try TestStore()
    let (old, keys) = (try test.keyRing(), try ids(test))
    let record = {
      try test.store.recordBackup(
        to: "copy.db", schemaVersion: 1, masterKeys: keys, replacing: false, openedWith: old,
        by: test.actor)
    }
    _ = try test.store.rotateMasterKey(by: test.actor)
    try record()
    _ = try test.store.dropUnneededMasterKeys(by: test.actor)
    #expect(try kind(of: record) == .unavailable)
  }

  @Test("a rotation whose transaction fails leaves the old keys in force and everything open")
  func failure() throws {
    let test = try TestStore()
    let project = try test.addProject(webAPIKey: "wk_one")
    let before = try test.sealers()
    try test.failingInserts(into: "audit") {
      #expect(throws: StoreError.self) { try test.store.rotateMasterKey(by: test.actor) }
    }
    #expect(try test.sealers() == before)
    #expect(try test.store.makeReader().knowledge.webAPIKey(of: project.id) == "wk_one")
    let dropped = try test.store.dropUnneededMasterKeys(by: test.actor)
    #expect(dropped.count <= 1 && !dropped.contains { before.contains($0) })
    #expect(try test.openAgain().makeReader().knowledge.webAPIKey(of: project.id) == "wk_one")
  }

  @Test("a sealed value that no longer opens stops a rotation before anything changes")
  func damaged() throws {
    let test = try TestStore()
    try test.addProject()
    let (before, ring) = (try test.sealers(), try ids(test))
    try test.damage("web_api_key", of: "project")
    #expect(try kind { _ = try test.store.rotateMasterKey(by: test.actor) } == .unusable)
    #expect(try test.sealers() == before && ids(test) == ring)
  }

  @Test(
    "who else could read the ring decides whether it is read",
    arguments: [
      (0o600, true, true), (0o400, true, true), (0o440, false, true), (0o640, false, false),
      (0o444, false, false), (0o604, false, false), (0o620, false, false),
    ])
  func modes(mode: Int, isRead: Bool, isReadAsCredential: Bool) throws {
    let test = try TestStore()
    try FileManager.default.setAttributes(
      [.posixPermissions: mode], ofItemAtPath: test.masterKey)
    for (directory, expected) in [(nil, isRead), (test.directory, isReadAsCredential)] {
      let file = test.masterKey
      let outcome = Result { try KeyRing.read(file, credentialsDirectory: directory) }
      #expect((try? outcome.get()) != nil ? expected : !expected)
    }
  }

  @Test("a ring among systemd's credentials is not written, and the error says what to do")
  func credential() throws {
    let test = try TestStore()
    let text = try String(contentsOfFile: test.masterKey, encoding: .utf8)
    let store = try test.open(
      with: KeyRing.read(test.masterKey, credentialsDirectory: test.directory))
    let error = try #require(throws: StoreError.self) {
      try store.rotateMasterKey(by: test.actor)
    }
    #expect(error.kind == .permission && error.description.contains("LoadCredential"))
    #expect(try String(contentsOfFile: test.masterKey, encoding: .utf8) == text)
  }
}
