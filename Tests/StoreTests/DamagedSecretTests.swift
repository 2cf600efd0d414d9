import Domain
import Store
import StoreFixtures
import Testing

@Suite("A damaged secret stops only what needs it") struct DamagedSecretTests {
  /// A store with a project, a revoked signing key whose secret is damaged, and the active key.
  private func store() throws -> (TestStore, project: Project, active: SigningKeyID) {
    let test = try TestStore()
    let project = try test.addProject()
    let first = try #require(try test.store.makeReader().knowledge.signingKeys().first)
    test.clock.advance(seconds: 1)
    let active = try #require(
      try test.store.revokeSigningKey(first.id, by: test.actor).activated)
    try test.damageSecret(of: first.id)
    return (test, project, active.id)
  }

  private func credentials(
    _ knowledge: Knowledge, _ keyID: SigningKeyID, _ project: Project, at now: Timestamp
  ) throws -> VerificationCredentials {
    let found = try knowledge.credentials(keyID: keyID, projectID: project.id, at: now)
    guard case .known(let credentials) = found else { throw Missing() }
    return credentials
  }

  private struct Missing: Error {}

  @Test("a revoked key's damage leaves verification and launches by the active key alone")
  func verification() throws {
    let (test, project, active) = try store()
    let reader = try test.store.makeReader()
    let verifier = try credentials(reader.knowledge, active, project, at: test.clock.now)
    #expect(verifier.signer.keyID == active)
    #expect(try reader.knowledge.launchCredentials(of: project)?.signer.keyID == active)
    try reader.knowledge.checkReadiness()
  }

  @Test("a revoked key's damage stops no export, no new key and no sealing")
  func changes() throws {
    let (test, project, active) = try store()
    let exported = try test.store.exportSigningKeys(for: project.id, by: test.actor)
    #expect(exported.map(\.id) == [active])
    _ = try test.store.createSigningKey(by: test.actor)
    try test.addProject("6540c6dfd94458b60d8e7aca")
  }

  @Test("the store opens while one secret of it opens, whichever that is")
  func opening() throws {
    let (test, project, active) = try store()
    test.clock.advance(seconds: 1)
    let newest = try test.store.createSigningKey(by: test.actor)
    try test.damageSecret(of: newest.id)
    let other = try test.openAgain()
    #expect(
      try other.launchCredentials(of: project.id, by: test.actor).signer.keyID == active)
    try test.damageSecret(of: active)
    _ = try test.openAgain()
    try test.damage("secret", of: "digest_key")
    #expect(try kind { _ = try test.openAgain() } == .unusable)
  }

  @Test("a damaged active signing key stops launches, and not who holds a key")
  func holders() throws {
    let (test, project, active) = try store()
    let key = try test.addKey(of: project)
    try test.damageSecret(of: active)
    let knowledge = try test.store.makeReader().knowledge
    #expect(try knowledge.partner(holding: key.secret)?.project == project)
    #expect(try kind { _ = try knowledge.launchCredentials(of: project) } == .unusable)
  }

  @Test("an active key whose secret is damaged can be revoked, and its successor signs")
  func activeKey() throws {
    let test = try TestStore()
    let project = try test.addProject()
    let key = try #require(try test.store.makeReader().knowledge.signingKeys().first)
    try test.damageSecret(of: key.id)
    let store = try test.openAgain()
    #expect(
      try kind { _ = try store.launchCredentials(of: project.id, by: test.actor) } == .unusable)
    let next = try #require(try store.revokeSigningKey(key.id, by: test.actor).activated)
    #expect(
      try store.launchCredentials(of: project.id, by: test.actor).signer.keyID == next.id)
    _ = try store.rotateMasterKey(by: test.actor)
  }

  @Test("a key whose secret is damaged is not activated, and the active one goes on signing")
  func activation() throws {
    let test = try TestStore()
    let project = try test.addProject()
    let active = try test.store.launchCredentials(of: project.id, by: test.actor).signer.keyID
    let pending = try test.store.createSigningKey(by: test.actor)
    try test.damageSecret(of: pending.id)
    #expect(
      try kind { _ = try test.store.activateSigningKey(pending.id, by: test.actor) } == .unusable)
    #expect(
      try test.store.launchCredentials(of: project.id, by: test.actor).signer.keyID == active)
  }

  @Test("revoking a revoked key replaces its damaged secret, so that the master key can be rotated")
  func revokedKey() throws {
    let (test, _, active) = try store()
    let revoked = try #require(
      try test.store.makeReader().knowledge.signingKeys().first { $0.id != active })
    #expect(try kind { _ = try test.store.rotateMasterKey(by: test.actor) } == .unusable)
    test.clock.advance(seconds: 1)
    #expect(try test.store.revokeSigningKey(revoked.id, by: test.actor).revoked == revoked)
    #expect(try test.audit().last == "signing-key.revoke \(revoked.id)")
    _ = try test.store.rotateMasterKey(by: test.actor)
    let rows = try test.audit().count
    _ = try test.store.revokeSigningKey(revoked.id, by: test.actor)
    #expect(try test.audit().count == rows, "nothing is left to replace")
  }

  @Test("a damaged Web API Key stops its own project's launches, and no other's")
  func webAPIKey() throws {
    let (test, project, _) = try store()
    let other = try test.addProject("6540c6dfd94458b60d8e7aca", webAPIKey: "wk_other")
    try test.damage("web_api_key", of: "project", where: "project_id = '\(project.id)'")
    let knowledge = try test.store.makeReader().knowledge
    #expect(try kind { _ = try knowledge.webAPIKey(of: project.id) } == .unusable)
    #expect(try knowledge.webAPIKey(of: other.id) == "wk_other")
    // Bundles of the project are judged all the same: only who is handed the key needs it.
    let active = try test.store.launchCredentials(of: other.id, by: test.actor).signer.keyID
    let verifier = try credentials(knowledge, active, project, at: test.clock.now)
    #expect(verifier.webAPIKey == nil)
    #expect(
      try credentials(knowledge, active, other, at: test.clock.now).webAPIKey == "wk_other")
  }
}
