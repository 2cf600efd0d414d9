import Domain
import Foundation
import Store
import StoreFixtures
import Testing

@Suite("Secrets at rest") struct SecretsTests {
  @Test("neither Web API Key, API key nor signing secret stands in any file")
  func files() throws {
    let test = try TestStore()
    let project = try test.addProject(webAPIKey: "wk_never_readable_on_disk")
    let issued = try test.addKey(of: project)
    let exported = try test.store.exportSigningKeys(for: project.id, by: test.actor)
    for name in try FileManager.default.contentsOfDirectory(atPath: test.directory) {
      let data = try Data(contentsOf: URL(filePath: test.directory + "/" + name))
      #expect(data.range(of: Data("wk_never_readable_on_disk".utf8)) == nil)
      #expect(data.range(of: Data(issued.secret.secret.utf8)) == nil)
      #expect(data.range(of: Data(issued.secret.secret.suffix(49).utf8)) == nil)
      #expect(data.range(of: Data(try #require(exported.first).secret)) == nil)
    }
  }

  @Test("a sealed value that was moved to another row does not open")
  func moved() throws {
    let test = try TestStore()
    let first = try test.addProject(webAPIKey: "wk_first")
    let second = try test.addProject("6540c6dfd94458b60d8e7aca", webAPIKey: "wk_second")
    let read: (Project) throws -> String = { project in
      try test.store.launchCredentials(of: project.id, by: test.actor).webAPIKey
    }
    #expect(try read(first) == "wk_first" && read(second) == "wk_second")
    try test.copyWebAPIKey(of: second.id, to: first.id)
    #expect(try kind { _ = try read(first) } == .unusable)
    #expect(try read(second) == "wk_second")
  }

  @Test("an altered sealed value does not open")
  func altered() throws {
    let test = try TestStore()
    let project = try test.addProject()
    try test.damage("web_api_key", of: "project")
    #expect(
      try kind { _ = try test.store.launchCredentials(of: project.id, by: test.actor) }
        == .unusable)
  }
}
