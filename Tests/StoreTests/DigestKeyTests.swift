import Domain
import Store
import StoreFixtures
import Testing

@Suite("The key of user digests") struct DigestKeyTests {
  private func digest(_ store: Store, _ user: String = "kim") throws -> String {
    let project = try #require(ProjectID("67b6f2a9688f4a05db0a1d45"))
    return try store.makeReader().knowledge.userDigestKey().digest(of: user, in: project)
  }

  @Test("a store has one key, which stays, and another store another")
  func stays() throws {
    let test = try TestStore()
    let first = try digest(test.store)
    #expect(first.count == 16 && first.allSatisfy { $0.isHexDigit && !$0.isUppercase })
    #expect(try digest(test.openAgain()) == first)
    #expect(try digest(test.store, "lee") != first)
    let other = try TestStore()
    #expect(try digest(other.store) != first)
  }

  @Test("where it is missing, as after a migration, opening the store makes it")
  func missing() throws {
    let test = try TestStore()
    let first = try digest(test.store)
    try test.empty("digest_key")
    let second = try digest(test.openAgain())
    #expect(second != first)
    #expect(try digest(test.store) == second)
  }

  @Test("it is stored sealed, and opens nowhere else")
  func sealed() throws {
    let test = try TestStore()
    _ = try test.addProject()
    let sealed = try test.blobs("secret", of: "digest_key")
    #expect(try #require(sealed.first).starts(with: "mk_".utf8))
    try test.moveSigningSecretToDigestKey()
    #expect(try kind { _ = try digest(test.store) } == .unusable)
  }

  @Test("one that a rotation has overtaken is sealed with the new master key all the same")
  func rotatedMeanwhile() throws {
    let test = try TestStore()
    let old = try test.keyRing()
    _ = try test.store.rotateMasterKey(by: test.actor)
    _ = try test.store.dropUnneededMasterKeys(by: test.actor)
    try test.empty("digest_key")
    let late = try test.open(with: old)
    #expect(try digest(late) == digest(test.openAgain()))
  }

  @Test("the audit log names a logged-out user by the digest, never plainly")
  func auditRow() throws {
    let test = try TestStore()
    let project = try test.addProject()
    try test.store.logOut("kim", of: project.id, by: test.actor)
    #expect(try test.audit().last == "user.revoke \(project.id)")
    #expect(try test.auditTexts().last == "{\"user_digest\":\"\(try digest(test.store))\"}")
  }
}
