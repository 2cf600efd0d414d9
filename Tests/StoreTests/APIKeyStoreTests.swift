import Cryptography
import Domain
import Store
import StoreFixtures
import Testing

@Suite("API keys in the store") struct APIKeyStoreTests {
  @Test("a key opens its project, and nothing but itself does")
  func holding() throws {
    let test = try TestStore()
    let project = try test.addProject(webAPIKey: "wk_acme")
    let issued = try test.addKey(of: project)
    let reader = try test.store.makeReader()
    let partner = try #require(try reader.knowledge.partner(holding: issued.secret))
    #expect(partner.key == issued.key && partner.project == project)
    #expect(try reader.knowledge.launchCredentials(of: project)?.webAPIKey == "wk_acme")

    var generator = SecureRandom()
    #expect(try reader.knowledge.partner(holding: APIKeySecret(using: &generator)) == nil)
    // The right id with another key's secret.
    let other = try test.addKey(of: project)
    try test.setDigest(other.secret.digest, of: issued.key.id)
    #expect(try reader.knowledge.partner(holding: issued.secret) == nil)
  }

  @Test("a revocation holds for the next read of every reader, also of another process")
  func revoking() throws {
    let test = try TestStore()
    let issued = try test.addKey(of: try test.addProject())
    let readers = try [
      test.store.makeReader(), test.store.makeReader(), test.openAgain().makeReader(),
    ]
    for reader in readers {
      #expect(try reader.knowledge.partner(holding: issued.secret)?.key.revokedAt == nil)
    }
    _ = try test.openAgain().revokeAPIKey(issued.key.id, by: test.actor)
    for reader in readers {
      #expect(try reader.knowledge.partner(holding: issued.secret)?.key.revokedAt == test.clock.now)
    }
  }

  @Test("every change of a project, a key and a signing key is seen at once")
  func changes() throws {
    let test = try TestStore()
    let project = try test.addProject()
    let issued = try test.addKey(of: project)
    let reader = try test.store.makeReader()
    let partner = { try #require(try reader.knowledge.partner(holding: issued.secret)) }
    let signer = {
      try reader.knowledge.launchCredentials(of: try #require(try partner().project))?.signer.keyID
    }
    let before = try #require(try signer())
    _ = try test.store.setProject(project.id, enabled: false, by: test.actor)
    #expect(try partner().project?.disabledAt != nil)
    let key = try test.store.createSigningKey(by: test.actor)
    _ = try test.store.activateSigningKey(key.id, by: test.actor)
    #expect(try signer() == key.id && key.id != before)
    _ = try test.store.rotateAPIKey(issued.key.id, graceSeconds: 60, by: test.actor)
    #expect(try partner().key.expiresAt == test.clock.now.adding(seconds: 60))
  }

  @Test("rotation makes one successor that lives as long, and ends the old key after the grace")
  func rotating() throws {
    let test = try TestStore()
    let old = try test.addKey(of: try test.addProject(), expiresIn: 1000)
    test.clock.advance(seconds: 500)
    let new = try test.store.rotateAPIKey(old.key.id, graceSeconds: 100, by: test.actor)
    #expect(new.key.replaces == old.key.id && new.key.scopes == old.key.scopes)
    #expect(new.key.expiresAt == test.clock.now.adding(seconds: 1000))
    let reader = try test.store.makeReader()
    #expect(
      try reader.knowledge.apiKey(old.key.id)?.expiresAt == test.clock.now.adding(seconds: 100))
    #expect(
      try kind { _ = try test.store.rotateAPIKey(old.key.id, graceSeconds: 1, by: test.actor) }
        == .inUse)

    // A grace never lengthens a life.
    let third = try test.store.rotateAPIKey(new.key.id, graceSeconds: 99_999, by: test.actor)
    #expect(try reader.knowledge.apiKey(new.key.id)?.expiresAt == new.key.expiresAt)
    _ = try test.store.revokeAPIKey(third.key.id, by: test.actor)
    #expect(
      try kind { _ = try test.store.rotateAPIKey(third.key.id, graceSeconds: 1, by: test.actor) }
        == .inUse)
  }

  @Test("a key that is rotated without a grace stays ended when the time of day is set back")
  func rotatingAtOnce() throws {
    let test = try TestStore()
    let project = try test.addProject()
    let (at, later) = (try test.addKey(of: project), try test.addKey(of: project))
    let begin = test.clock.now
    test.clock.advance(seconds: 500)
    let end = test.clock.now
    _ = try test.store.rotateAPIKey(at.key.id, graceSeconds: 0, by: test.actor)
    _ = try test.store.rotateAPIKey(later.key.id, graceSeconds: 60, by: test.actor)
    let reader = try test.store.makeReader()
    #expect(try reader.knowledge.apiKey(at.key.id)?.works(at: begin) == false)
    #expect(try reader.knowledge.apiKey(later.key.id)?.works(at: end) == true)
    #expect(
      try test.audit().suffix(2).map { $0.prefix { $0 != " " } } == ["key.rotate", "key.create"])
  }

  @Test("keys of nothing, of a missing project and unknown keys are refused")
  func refusals() throws {
    let test = try TestStore()
    let draft = APIKeyDraft(
      name: "", scopes: [.launch], projectID: ProjectID("67b6f2a9688f4a05db0a1d45"))
    #expect(try kind { _ = try test.store.createAPIKey(draft, by: test.actor) } == .notFound)
    let without = APIKeyDraft(name: "", scopes: [.launch], projectID: nil)
    #expect(try kind { _ = try test.store.createAPIKey(without, by: test.actor) } == .invalid)
    let id = try #require(KeyID("key_000000000000"))
    #expect(try kind { _ = try test.store.revokeAPIKey(id, by: test.actor) } == .notFound)
  }
}

@Suite("Signing keys in the store") struct SigningKeyStoreTests {
  /// Whether a key verifies for the only project, asked twice: the second time from memory.
  private func isVerifying(
    _ reader: StoreReader, _ id: SigningKeyID, at now: Timestamp
  ) throws -> Bool {
    let project = try reader.knowledge.projects().first
    let answers = try (0..<2).map { _ in
      switch try reader.knowledge.credentials(keyID: id, projectID: project?.id, at: now) {
      case .unknownKey: false
      case .unknownProject: project == nil
      case .known(let credentials): credentials.signer.keyID == id
      }
    }
    #expect(answers[0] == answers[1])
    return answers[0]
  }

  @Test("activating retires the one before, which goes on verifying")
  func activating() throws {
    let test = try TestStore()
    let reader = try test.store.makeReader()
    try test.addProject()
    let first = try #require(try reader.knowledge.signingKeys().first)
    let second = try test.store.createSigningKey(by: test.actor)
    #expect(second.state == .pending)
    #expect(try !isVerifying(reader, second.id, at: test.clock.now))
    _ = try test.store.activateSigningKey(second.id, by: test.actor)
    let states = Dictionary(
      uniqueKeysWithValues: try reader.knowledge.signingKeys().map { ($0.id, $0.state) })
    #expect(states == [first.id: .retired, second.id: .active])
    #expect(try isVerifying(reader, first.id, at: test.clock.now.adding(seconds: 299)))
    #expect(try !isVerifying(reader, first.id, at: test.clock.now.adding(seconds: 300)))
    #expect(
      try kind { _ = try test.store.activateSigningKey(first.id, by: test.actor) } == .inUse)
    #expect(try kind { _ = try test.store.retireSigningKey(second.id, by: test.actor) } == .inUse)
  }

  @Test("revoking the active key activates a new one in the same transaction")
  func revoking() throws {
    let test = try TestStore()
    let reader = try test.store.makeReader()
    let first = try #require(try reader.knowledge.signingKeys().first)
    let (revoked, activated) = try test.store.revokeSigningKey(first.id, by: test.actor)
    #expect(revoked.state == .revoked && activated?.state == .active)
    #expect(try !isVerifying(reader, first.id, at: test.clock.now))
    try reader.knowledge.checkReadiness()
    #expect(try test.store.revokeSigningKey(first.id, by: test.actor).activated == nil)
    #expect(try kind { _ = try test.store.retireSigningKey(first.id, by: test.actor) } == .inUse)
  }

  @Test("an export has the project's derived keys of all that is pending or verifies")
  func exporting() throws {
    let test = try TestStore()
    let project = try test.addProject()
    let pending = try test.store.createSigningKey(by: test.actor)
    let gone = try test.store.createSigningKey(by: test.actor)
    _ = try test.store.revokeSigningKey(gone.id, by: test.actor)
    let exported = try test.store.exportSigningKeys(for: project.id, by: test.actor)
    #expect(Set(exported.map(\.state)) == [.active, .pending])
    #expect(
      exported.contains { $0.id == pending.id } && exported.allSatisfy { $0.secret.count == 32 })
    let other = try test.addProject("6540c6dfd94458b60d8e7aca")
    let others = try test.store.exportSigningKeys(for: other.id, by: test.actor)
    #expect(Set(others.map(\.secret)).isDisjoint(with: exported.map(\.secret)))
  }

  @Test("without an active key nothing is ready")
  func noActiveKey() throws {
    let test = try TestStore()
    let project = try test.addProject()
    try test.retireSigningKeys()
    let reader = try test.store.makeReader()
    #expect(try kind { try reader.knowledge.checkReadiness() } == .unavailable)
    #expect(try reader.knowledge.launchCredentials(of: project) == nil)
  }
}
