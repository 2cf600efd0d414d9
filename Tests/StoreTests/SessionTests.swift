import Cryptography
import Domain
import Store
import StoreFixtures
import Testing

@Suite("Support sessions") struct SessionTests {
  private func addKey(_ test: TestStore, expiresIn: Int? = nil) throws -> KeyID {
    try test.store.createAPIKey(
      APIKeyDraft(name: "desk", scopes: [.support], projectID: nil, expiresIn: expiresIn),
      by: test.actor
    ).key.id
  }

  private func token() -> SessionToken {
    var generator = SecureRandom()
    return SessionToken(using: &generator)
  }

  private func count(_ test: TestStore) throws -> Int { try test.count(of: "session") }

  @Test("a session is found by its id until it is ended, by every reader at once")
  func beginAndEnd() throws {
    let test = try TestStore()
    let key = try addKey(test)
    let (mine, other) = (token(), token())
    let reader = try test.store.makeReader()
    let elsewhere = try test.openAgain().makeReader()
    #expect(try reader.happenings.session(mine) == nil)
    try test.store.record(
      .beginSession(mine, of: key, seconds: SupportSession.lifetime, replacing: nil))
    try test.store.record(
      .beginSession(other, of: key, seconds: SupportSession.lifetime, replacing: nil))
    for reader in [reader, elsewhere] {
      let found = try #require(try reader.happenings.session(mine))
      #expect(found.key.id == key && found.key.name == "desk")
      #expect(found.expiresAt == test.clock.now.adding(seconds: 8 * 3600))
    }
    try test.store.record(.endSession(mine))
    try test.store.record(.endSession(mine))
    for reader in [reader, elsewhere] {
      #expect(try reader.happenings.session(mine) == nil)
      #expect(try reader.happenings.session(other) != nil)
    }
  }

  @Test("what ends a key ends its sessions for the next look")
  func revocation() throws {
    let test = try TestStore()
    let reader = try test.store.makeReader()
    let (revoked, deleted, expiring) = (token(), token(), token())
    let (first, second, third) = (
      try addKey(test), try addKey(test), try addKey(test, expiresIn: 60)
    )
    try test.store.record(
      .beginSession(
        revoked, of: first, seconds: SupportSession.lifetime, replacing: nil))
    try test.store.record(
      .beginSession(
        deleted, of: second, seconds: SupportSession.lifetime, replacing: nil))
    try test.store.record(
      .beginSession(
        expiring, of: third, seconds: SupportSession.lifetime, replacing: nil))
    #expect(try reader.happenings.session(revoked)?.isValid(at: test.clock.now) == true)
    _ = try test.openAgain().revokeAPIKey(first, by: test.actor)
    #expect(try reader.happenings.session(revoked)?.isValid(at: test.clock.now) == false)
    try test.removeAPIKey(second)
    #expect(try reader.happenings.session(deleted) == nil)
    test.clock.advance(seconds: 60)
    #expect(try reader.happenings.session(expiring)?.isValid(at: test.clock.now) == false)
  }

  @Test("a sign-in replaces the browser's session and clears away those that have ended")
  func cleaning() throws {
    let test = try TestStore()
    let (key, revoked, short) = (
      try addKey(test), try addKey(test), try addKey(test, expiresIn: 30)
    )
    let (old, kept) = (token(), token())
    try test.store.record(
      .beginSession(old, of: key, seconds: SupportSession.lifetime, replacing: nil))
    try test.store.record(
      .beginSession(kept, of: key, seconds: SupportSession.lifetime, replacing: nil))
    try test.store.record(
      .beginSession(
        token(), of: revoked, seconds: SupportSession.lifetime, replacing: nil))
    try test.store.record(
      .beginSession(
        token(), of: short, seconds: SupportSession.lifetime, replacing: nil))
    #expect(try count(test) == 4)
    _ = try test.store.revokeAPIKey(revoked, by: test.actor)
    test.clock.advance(seconds: 30)
    let new = token()
    try test.store.record(
      .beginSession(new, of: key, seconds: SupportSession.lifetime, replacing: old))
    let reader = try test.store.makeReader()
    #expect(try count(test) == 2)
    #expect(try reader.happenings.session(old) == nil)
    #expect(try reader.happenings.session(kept) != nil && reader.happenings.session(new) != nil)
    test.clock.advance(seconds: SupportSession.lifetime)
    try test.store.record(
      .beginSession(token(), of: key, seconds: SupportSession.lifetime, replacing: nil))
    #expect(try count(test) == 1)
  }

  @Test("only a digest of the id is stored, and the audit log holds none of it")
  func secrecy() throws {
    let test = try TestStore()
    let key = try addKey(test)
    let audited = try test.audit()
    let mine = token()
    try test.store.record(
      .beginSession(mine, of: key, seconds: SupportSession.lifetime, replacing: nil))
    let digests = try test.blobs("digest", of: "session")
    #expect(digests == [mine.digest] && digests != [Array(mine.secret.utf8)])
    try test.store.record(.endSession(mine))
    #expect(try test.audit() == audited)
  }

  @Test("a key that has gone meanwhile signs nobody in")
  func unknownKey() throws {
    let test = try TestStore()
    let gone = try #require(KeyID("key_0123456789ab"))
    let found = try kind {
      try test.store.record(
        .beginSession(
          token(), of: gone, seconds: SupportSession.lifetime, replacing: nil))
    }
    #expect(found == .notFound)
    #expect(try count(test) == 0)
  }
}
