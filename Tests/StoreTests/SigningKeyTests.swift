import Domain
import Store
import StoreFixtures
import Testing

@Suite("Signing keys in the store") struct SigningKeyTests {
  @Test("a retired key verifies for as long as the longest lifetime that it signed")
  func longestLifetime() throws {
    let test = try TestStore()
    let project = try test.addProject()
    var changes = ProjectChanges()
    changes.ttl = 3600
    _ = try test.store.updateProject(project.id, changes, by: test.actor)
    changes.ttl = 60
    _ = try test.store.updateProject(project.id, changes, by: test.actor)

    let next = try test.store.createSigningKey(by: test.actor)
    #expect(next.longestTTL == 0)
    let first = try #require(
      try test.store.makeReader().knowledge.signingKeys().first { $0.state == .active })
    #expect(first.longestTTL == 3600)
    #expect(try test.store.activateSigningKey(next.id, by: test.actor).longestTTL == 60)
    let retired = try #require(
      try test.store.makeReader().knowledge.signingKeys().first { $0.id == first.id })
    #expect(retired.verifiesUntil == test.clock.now.adding(seconds: 3600))
  }

  @Test("each step of a key's life is dated once, and keeps the dates of the earlier ones")
  func dates() throws {
    let test = try TestStore()
    let begin = test.clock.now
    let key = try test.store.createSigningKey(by: test.actor)
    test.clock.advance(seconds: 10)
    _ = try test.store.activateSigningKey(key.id, by: test.actor)
    test.clock.advance(seconds: 10)
    let next = try test.store.createSigningKey(by: test.actor)
    _ = try test.store.activateSigningKey(next.id, by: test.actor)
    test.clock.advance(seconds: 10)
    let revoked = try test.store.revokeSigningKey(key.id, by: test.actor).revoked
    #expect(revoked.createdAt == begin && revoked.activatedAt == begin.adding(seconds: 10))
    #expect(revoked.retiredAt == begin.adding(seconds: 20))
    #expect(revoked.revokedAt == begin.adding(seconds: 30))
    let stored = try test.store.makeReader().knowledge.signingKeys()
    #expect(stored.contains(revoked))
  }
}
