import Domain
import Store
import StoreFixtures
import Testing

@Suite("Projects") struct ProjectTests {
  @Test("a project is made once, listed by name, and changed in part")
  func life() throws {
    let test = try TestStore()
    let made = try test.addProject()
    #expect(try kind { try test.addProject() } == .alreadyExists)
    try test.addProject("6540c6dfd94458b60d8e7aca")
    let reader = try test.store.makeReader()
    #expect(try reader.knowledge.projects().map(\.name) == ["Acme 45", "Acme ca"])

    test.clock.advance(seconds: 5)
    var changes = ProjectChanges()
    changes.ttl = 60
    changes.webAPIKey = "wk_new"
    let changed = try test.store.updateProject(made.id, changes, by: test.actor)
    #expect(changed.ttl == 60 && changed.name == made.name && changed.updatedAt == test.clock.now)
    #expect(changed.createdAt == made.createdAt)
    #expect(try reader.knowledge.project(made.id) == changed)
    #expect(try test.store.launchCredentials(of: made.id, by: test.actor).webAPIKey == "wk_new")
  }

  @Test("a change takes over each of its values and leaves the others")
  func changes() throws {
    let test = try TestStore()
    let made = try test.addProject()
    var changes = ProjectChanges()
    changes.name = "Acme renamed"
    changes.keyDelivery = made.keyDelivery == .direct ? .gateway : .direct
    changes.replayPolicy = made.replayPolicy == .once ? .allow : .once
    changes.ttl = made.ttl + 1
    changes.rateLimit = made.rateLimit + 1
    changes.upstream = "another"
    _ = try test.store.updateProject(made.id, changes, by: test.actor)
    let changed = try #require(try test.store.makeReader().knowledge.project(made.id))
    #expect(changed.name == changes.name && changed.keyDelivery == changes.keyDelivery)
    #expect(changed.replayPolicy == changes.replayPolicy && changed.ttl == changes.ttl)
    #expect(changed.rateLimit == changes.rateLimit && changed.upstream == changes.upstream)
    _ = try test.store.updateProject(made.id, ProjectChanges(), by: test.actor)
    #expect(try test.store.makeReader().knowledge.project(made.id) == changed)
  }

  @Test("disabling and enabling, each once; no launch meanwhile")
  func disabling() throws {
    let test = try TestStore()
    let made = try test.addProject()
    let off = try test.store.setProject(made.id, enabled: false, by: test.actor)
    #expect(off.disabledAt == test.clock.now)
    test.clock.advance(seconds: 1)
    #expect(try test.store.setProject(made.id, enabled: false, by: test.actor) == off)
    #expect(
      try kind { _ = try test.store.launchCredentials(of: made.id, by: test.actor) } == .inUse)
    #expect(try test.store.setProject(made.id, enabled: true, by: test.actor).disabledAt == nil)
  }

  @Test("a project goes only when none of its keys works")
  func deleting() throws {
    let test = try TestStore()
    let project = try test.addProject()
    let key = try test.addKey(of: project)
    #expect(try kind { try test.store.deleteProject(project.id, by: test.actor) } == .inUse)
    _ = try test.store.revokeAPIKey(key.key.id, by: test.actor)
    try test.store.deleteProject(project.id, by: test.actor)
    let reader = try test.store.makeReader()
    #expect(try reader.knowledge.projects().isEmpty && reader.knowledge.apiKey(key.key.id) == nil)
    #expect(try kind { try test.store.deleteProject(project.id, by: test.actor) } == .notFound)
  }

  @Test("each change and each look at a secret is one row of the audit log, without a secret")
  func audit() throws {
    let test = try TestStore()
    let project = try test.addProject(webAPIKey: "wk_secret_one")
    var changes = ProjectChanges()
    changes.webAPIKey = "wk_secret_two"
    _ = try test.store.updateProject(project.id, changes, by: test.actor)
    _ = try test.store.updateProject(project.id, ProjectChanges(), by: test.actor)
    _ = try test.store.launchCredentials(of: project.id, by: test.actor)
    _ = try test.store.exportSigningKeys(for: project.id, by: test.actor)
    let key = try test.addKey(of: project)
    _ = try test.store.revokeAPIKey(key.key.id, by: test.actor)
    _ = try test.store.revokeAPIKey(key.key.id, by: test.actor)
    let id = project.id.description
    #expect(
      try test.audit().dropFirst() == [
        "project.create \(id)", "project.update \(id)", "launch \(id)",
        "signing-key.export \(id)", "key.create \(key.key.id)", "key.revoke \(key.key.id)",
      ])
    for entry in try test.auditEntries() {
      #expect(entry.actor == test.actor && entry.at == test.clock.now)
    }
    let texts = try test.auditTexts()
    #expect(!texts.contains { $0.contains("wk_secret") || $0.contains("llk_") })
    #expect(texts.contains { $0.contains("\"web_api_key\":\"changed\"") })
  }
}
