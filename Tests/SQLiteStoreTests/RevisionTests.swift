import Domain
import SQLite
import Store
import StoreFixtures
import Testing

/// The tables of what admins decide, of which workers remember rows.
private let knowledge = [
  "project", "api_key", "signing_key", "digest_key", "business", "product", "web_version", "cookie",
]

/// The tables of which nothing is remembered, or only what the change counter covers.
private let happenings = [
  "session", "used_launch", "launch_count", "api_key_use", "latest_launch", "launch_clock", "audit",
]

/// Whether every change that a memory has to notice draws its revision anew.
@Suite("Revisions of what is remembered") struct RevisionTests {
  private func revision(_ test: TestStore) throws -> Revision {
    let found = try test.withDatabase { database in
      try database.first("SELECT knowledge, log_outs FROM revision") {
        Revision(knowledge: try $0.int(0), logOuts: try $0.int(1))
      }
    }
    return try #require(found)
  }

  @Test(
    "every table is knowledge, happenings, the log-outs or a revision; a new one has to be decided on"
  )
  func everyTableIsDecidedOn() throws {
    let tables = try TestStore().withDatabase { database in
      try database.rows(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
      ) { try $0.text(0) }
    }
    let decided = knowledge + happenings + ["log_out", "revision", "search_revision"]
    #expect(tables.sorted() == decided.sorted())
  }

  @Test(
    "each change of a row of a table draws its revision and no other",
    arguments: knowledge + happenings + ["log_out"])
  func rows(table: String) throws {
    let test = try TestStore()
    let triggers = try test.withDatabase { database in
      try database.rows(
        "SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ? AND sql LIKE '%UPDATE revision%'",
        table
      ) { try $0.text(0) }
    }
    let column: String? =
      table == "log_out" ? "log_outs" : knowledge.contains(table) ? "knowledge" : nil
    let events = ["INSERT", "UPDATE", "DELETE"].filter { event in
      triggers.contains {
        $0.contains("AFTER \(event) ON \(table) BEGIN")
          && $0.contains("UPDATE revision SET \(column ?? "-") = random();")
      }
    }
    #expect(events.count == (column == nil ? 0 : 3))
    #expect(triggers.count == events.count)
  }

  private func expectDrawn(
    _ name: Comment, in test: TestStore, _ change: () throws -> Void
  ) throws {
    let before = try revision(test)
    try change()
    let after = try revision(test)
    #expect(after.knowledge != before.knowledge, name)
  }

  @Test("every change by an admin draws the knowledge's revision")
  func changesByAdmins() throws {
    let test = try TestStore()
    let store = test.store
    let project = try test.addProject()
    try expectDrawn("project create", in: test) {
      _ = try test.addProject("6540c6dfd94458b60d8e7aca")
    }
    var key: IssuedAPIKey?
    try expectDrawn("key create", in: test) { key = try test.addKey(of: project) }
    let id = try #require(key).key.id
    try expectDrawn("key rotate", in: test) {
      _ = try store.rotateAPIKey(id, graceSeconds: 60, by: test.actor)
    }
    try expectDrawn("key revoke", in: test) { _ = try store.revokeAPIKey(id, by: test.actor) }
    try expectDrawn("project disable", in: test) {
      _ = try store.setProject(project.id, enabled: false, by: test.actor)
    }
    var signing: SigningKey?
    try expectDrawn("signing-key create", in: test) {
      signing = try store.createSigningKey(by: test.actor)
    }
    let signingID = try #require(signing).id
    try expectDrawn("signing-key activate", in: test) {
      _ = try store.activateSigningKey(signingID, by: test.actor)
    }
    try expectDrawn("web-version set", in: test) {
      try store.setWebVersion(#require(WebVersion("1.2.3")), by: test.actor)
    }
    try expectDrawn("project delete", in: test) {
      try store.deleteProject(#require(ProjectID("6540c6dfd94458b60d8e7aca")), by: test.actor)
    }
  }

  @Test(
    "uses, sessions, counts and log-outs draw no revision of the knowledge; only log-outs draw theirs"
  )
  func draws() throws {
    let test = try TestStore()
    let project = try test.addProject()
    let key = try test.addKey(of: project).key
    let before = try revision(test)
    _ = try test.store.record(.use(#require(LaunchID("01a2272d-267b-7abc-8def-000000000001"))))
    var generator = SystemRandomNumberGenerator()
    let token = SessionToken(using: &generator)
    try test.store.record(.beginSession(token, of: key.id, seconds: 60, replacing: nil))
    try test.store.record(.endSession(token))
    var usage = Usage(lastUsed: [key.id: test.clock.now])
    usage.latestLaunch = test.clock.now
    try test.store.record(.count(usage, on: Day(test.clock.now)))
    #expect(try revision(test) == before)
    try test.store.record(.logOut("kim", of: project.id))
    let after = try revision(test)
    #expect(after.knowledge == before.knowledge && after.logOuts != before.logOuts)
  }
}
