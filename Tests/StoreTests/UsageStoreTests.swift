import Domain
import Store
import StoreFixtures
import Testing

@Suite("Usage") struct UsageStoreTests {
  private let today = Day(Timestamp(seconds: 1_795_953_600))

  private func tally(
    _ key: APIKey, page: String? = "main", platform: Platform = .ios
  ) throws -> LaunchTally {
    LaunchTally(
      projectID: try #require(key.projectID), keyID: key.id, page: page, platform: platform)
  }

  private func counts(
    _ test: TestStore, by property: LaunchProperty, days: Int = 30, of project: ProjectID? = nil
  ) throws -> [String] {
    let period = today.advanced(by: 1 - days)...today
    return try test.store.makeReader().happenings.launchCounts(
      by: [property], in: period, of: project)[0]
      .map { "\($0.value) \($0.launches)" }
  }

  @Test("what is added again adds up, and is counted by every property")
  func adding() throws {
    let test = try TestStore()
    let (acme, other) = (
      try test.addProject(), try test.addProject("0123456789abcdef01234567")
    )
    let (first, second) = (try test.addKey(of: acme).key, try test.addKey(of: other).key)
    let usage = Usage(launches: [
      try tally(first): 2, try tally(first, page: nil): 1,
      try tally(second, page: "program", platform: .android): 4,
    ])
    try test.store.record(.count(usage, on: today))
    try test.store.record(
      .count(Usage(launches: [try tally(first): 3]), on: today.advanced(by: -1)))
    try test.openAgain().record(.count(usage, on: today))
    #expect(try counts(test, by: .project) == ["\(other.id) 8", "\(acme.id) 9"].reversed())
    #expect(try counts(test, by: .key) == ["\(first.id) 9", "\(second.id) 8"])
    #expect(try counts(test, by: .page) == ["program 8", "main 7", " 2"])
    #expect(try counts(test, by: .platform) == ["IOS 9", "ANDROID 8"])
    #expect(try counts(test, by: .day) == ["2026-11-28 3", "2026-11-29 14"])
    #expect(try counts(test, by: .day, days: 1, of: acme.id) == ["2026-11-29 6"])
    #expect(try counts(test, by: .page, of: other.id) == ["program 8"])
    #expect(try test.audit().count == 5, "counting is no change by an admin")
  }

  @Test("the newest 400 days are kept, also where the clock was years ahead for a moment")
  func retention() throws {
    let test = try TestStore()
    let key = try test.addKey(of: test.addProject()).key
    let usage = Usage(launches: [try tally(key): 1])
    for ago in (0...400).reversed() {
      try test.store.record(.count(usage, on: today.advanced(by: -ago)))
    }
    #expect(try counts(test, by: .day, days: 1000).first == "2025-10-26 1")
    try test.store.record(.count(usage, on: today.advanced(by: 3650)))
    #expect(try counts(test, by: .day, days: 1000).count == 399)
    try test.store.record(.count(usage, on: today))
    #expect(try counts(test, by: .day, days: 1000).last == "2026-11-29 2")
    try test.store.record(.count(usage, on: today.advanced(by: -900)))
    #expect(try counts(test, by: .day, days: 1000).first == "2024-06-12 1", "a clock far behind")
  }

  @Test("counts outlive their key and project; the use of a key goes with it")
  func deletion() throws {
    let test = try TestStore()
    let project = try test.addProject()
    let key = try test.addKey(of: project).key
    let usage = Usage(launches: [try tally(key): 7], lastUsed: [key.id: test.clock.now])
    try test.store.record(.count(usage, on: today))
    _ = try test.store.revokeAPIKey(key.id, by: test.actor)
    try test.store.deleteProject(project.id, by: test.actor)
    #expect(try test.store.makeReader().happenings.lastUses().isEmpty)
    // A server may have counted in the second in which the project went.
    try test.store.record(.count(usage, on: today))
    #expect(try test.store.makeReader().happenings.lastUses().isEmpty)
    #expect(try counts(test, by: .project) == ["\(project.id) 14"])
  }

  @Test("a key's last use is the latest that any server saw")
  func lastUse() throws {
    let test = try TestStore()
    let project = try test.addProject()
    let (used, idle) = (try test.addKey(of: project).key, try test.addKey(of: project).key)
    for seconds: Int64 in [100, 300, 200] {
      try test.store.record(
        .count(Usage(lastUsed: [used.id: Timestamp(seconds: seconds)]), on: today))
    }
    let reader = try test.store.makeReader()
    #expect(try reader.happenings.lastUse(of: used.id) == Timestamp(seconds: 300))
    #expect(try reader.happenings.lastUse(of: idle.id) == nil)
    #expect(try reader.happenings.lastUses() == [used.id: Timestamp(seconds: 300)])
  }

  @Test("usage is written whole or not at all")
  func atomicity() throws {
    let test = try TestStore()
    let key = try test.addKey(of: test.addProject()).key
    let usage = Usage(launches: [try tally(key): 1], lastUsed: [key.id: test.clock.now])
    try test.failingInserts(into: "api_key_use") {
      #expect(throws: StoreError.self) { try test.store.record(.count(usage, on: today)) }
    }
    #expect(try counts(test, by: .day) == [])
  }
}
