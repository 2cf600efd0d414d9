import Domain
import Store
import SQLite
import Testing

@Suite("The key of user digests") struct DigestKeyTests {
  private func digest(_ store: any Store, _ user: String = "kim") throws -> String {
    let project = try #require(ProjectID("67b6f2a9688f4a05db0a1d45"))
    return try store.makeReader().userDigestKey().digest(of: user, in: project)
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
    try test.withDatabase { _ = try $0.run("DELETE FROM digest_key") }
    let second = try digest(test.openAgain())
    #expect(second != first)
    #expect(try digest(test.store) == second)
  }

  @Test("it is stored sealed, and opens nowhere else")
  func sealed() throws {
    let test = try TestStore()
    _ = try test.addProject()
    let sealed = try test.withDatabase { database in
      try database.first("SELECT secret FROM digest_key") { try $0.blob(0) }
    }
    #expect(try #require(sealed).starts(with: "mk_".utf8))
    try test.withDatabase { database in
      _ = try database.run(
        "UPDATE digest_key SET secret = (SELECT secret FROM signing_key LIMIT 1)")
    }
    #expect(try kind { _ = try digest(test.store) } == .unusable)
  }

  @Test("one that a rotation has overtaken is sealed with the new master key all the same")
  func rotatedMeanwhile() throws {
    let test = try TestStore()
    let clock = test.clock
    let old = try KeyRing.read(test.masterKey, credentialsDirectory: nil)
    _ = try test.store.rotateMasterKey(by: test.actor)
    _ = try test.store.dropUnneededMasterKeys(by: test.actor)
    try test.withDatabase { _ = try $0.run("DELETE FROM digest_key") }
    let late = try FileStore.open(
      directory: test.directory, keyRing: old, clock: { clock.now })
    #expect(try digest(late) == digest(test.openAgain()))
  }

  @Test("the audit log names a logged-out user by the digest, never plainly")
  func auditRow() throws {
    let test = try TestStore()
    let project = try test.addProject()
    try test.store.logOut("kim", of: project.id, by: test.actor)
    let new = try test.withDatabase { database in
      try database.first("SELECT new FROM audit WHERE action = 'user.revoke'") { try $0.text(0) }
    }
    #expect(new == "{\"user_digest\":\"\(try digest(test.store))\"}")
  }
}
