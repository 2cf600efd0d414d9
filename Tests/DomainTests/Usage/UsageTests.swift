import Domain
import DomainFixtures
import Testing

@Suite struct UsageTests {
  private func tally(page: String?, _ platform: Platform = .ios) throws -> LaunchTally {
    LaunchTally(
      projectID: try #require(ProjectID("67b6f2a9688f4a05db0a1d45")),
      keyID: try #require(KeyID("key_0A1b2C3d4E5f")), page: page, platform: platform)
  }

  @Test func merging_addsLaunchesAndKeepsTheLatestUse() throws {
    let (first, second) = (
      try #require(KeyID("key_0A1b2C3d4E5f")), try #require(KeyID("key_000000000000"))
    )
    var usage = Usage(
      launches: [try tally(page: "main"): 2, try tally(page: nil): 1],
      lastUsed: [first: Timestamp(seconds: 20)])
    usage.merge(
      Usage(
        launches: [try tally(page: "main"): 3, try tally(page: "main", .android): 7],
        lastUsed: [first: Timestamp(seconds: 10), second: Timestamp(seconds: 5)]))
    #expect(
      usage
        == Usage(
          launches: [
            try tally(page: "main"): 5, try tally(page: nil): 1,
            try tally(page: "main", .android): 7,
          ],
          lastUsed: [first: Timestamp(seconds: 20), second: Timestamp(seconds: 5)]))
  }

  @Test func usage_isEmptyOnlyWithoutAnything() throws {
    #expect(Usage().isEmpty)
    #expect(!Usage(launches: [try tally(page: nil): 1]).isEmpty)
    let key = try #require(KeyID("key_0A1b2C3d4E5f"))
    #expect(!Usage(lastUsed: [key: Timestamp(seconds: 1)]).isEmpty)
  }
}
