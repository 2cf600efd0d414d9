import Domain
import Foundation
import SQLiteStore
import Store
import Testing

@testable import CLI

@Suite("Statistics") struct StatsCommandTests {
  /// What `counts` say, by page, were launched on days before today.
  private func installation(
    _ counts: [(daysAgo: Int, page: String?, launches: Int)]
  ) throws -> (Installation, KeyID) {
    let installation = try Installation.withProject()
    let project = try #require(ProjectID(Installation.project))
    let clock: Clock = { Timestamp(seconds: 1_800_000_000) }
    let store = try SQLiteStore.open(
      directory: installation.data,
      keyRing: KeyRing.read(installation.data + "/master.key", credentialsDirectory: nil),
      clock: clock)
    let key = try store.createAPIKey(
      APIKeyDraft(name: "서버", scopes: [.launch], projectID: project), by: Actor(osUser: "admin")
    ).key
    for (daysAgo, page, launches) in counts {
      let tally = LaunchTally(projectID: project, keyID: key.id, page: page, platform: .ios)
      try store.record(
        .count(
          Usage(launches: [tally: launches], lastUsed: [key.id: clock()]),
          on: Day(clock()).advanced(by: -daysAgo)))
    }
    return (installation, key.id)
  }

  @Test("each day has its line and its bar, days without launches too, and then the total")
  func days() throws {
    let (installation, _) = try installation([(0, "main", 1000), (2, nil, 500), (3, "cs", 7)])
    let shown = installation.run("stats", "--days", "3").expect(.success)
    let bar = String(repeating: "█", count: 80 - 12 - 8 - 2)
    #expect(
      shown.output == """
        DAY         LAUNCHES
        2027-01-13       500  \(bar.prefix(29))
        2027-01-14         0
        2027-01-15     1,000  \(bar)
        Total          1,500  2027-01-13 to 2027-01-15 UTC

        """)
  }

  @Test("projects and keys are named, Hangul aligned, and programs get the API's names")
  func named() throws {
    let (installation, key) = try installation([(0, "main", 2), (29, nil, 3), (30, "main", 9)])
    let shown = installation.run("stats", "--by", "project").expect(.success)
    let line = shown.output.split(separator: "\n")[1]
    #expect(line.hasPrefix("\(Installation.project)  에이스         5  ██"))
    #expect(line.reduce(0) { $0 + String($1).displayWidth } == 80)
    let told = try installation.run("stats", "--by", "key", "--output", "json").expect(.success)
      .json()
    #expect(told["from"] as? String == "2026-12-17" && told["to"] as? String == "2027-01-15")
    #expect(told["total"] as? Int == 5)
    let item = try #require((told["items"] as? [[String: Any]])?.first)
    #expect(item["key_id"] as? String == key.description)
    #expect(item["name"] as? String == "서버" && item["launches"] as? Int == 5)
  }

  @Test("a launch without a page has a line of its own, null to programs")
  func pages() throws {
    let (installation, _) = try installation([(0, "main", 2), (0, nil, 3)])
    let shown = installation.run("stats", "--by", "page").expect(.success).output
    let lines = shown.split(separator: "\n")
    #expect(lines[1].hasPrefix("(none)") && lines[2].hasPrefix("main"))
    let told = try installation.run("stats", "--by", "page", "--output", "json").expect(.success)
      .json()
    let items = try #require(told["items"] as? [[String: Any]])
    #expect(items[0]["page"] is NSNull && items[1]["page"] as? String == "main")
  }

  @Test("counts of a deleted project are there still; an unknown project is refused")
  func deleted() throws {
    let (installation, key) = try installation([(0, "main", 2)])
    installation.run("key", "revoke", key.description, "--yes").expect(.success)
    installation.run("project", "delete", Installation.project, "--yes").expect(.success)
    let shown = installation.run("stats", "--by", "project", "--project", Installation.project)
    #expect(shown.expect(.success).output.contains("(deleted)"))
    installation.run("stats", "--project", "0123456789abcdef01234567").expect(.refused)
  }

  @Test("without launches there is a word about it, and programs get the days all the same")
  func nothing() throws {
    let installation = try Installation.withProject()
    let shown = installation.run("stats").expect(.success)
    #expect(shown.output.isEmpty && shown.errors.contains("No launches were counted"))
    let told = try installation.run("stats", "--output", "json").expect(.success).json()
    #expect((told["items"] as? [Any])?.count == 30 && told["total"] as? Int == 0)
    installation.run("stats", "--days", "0").expect(.usage)
    installation.run("stats", "--days", "401").expect(.usage)
  }

  @Test("lists and shows of keys say when they were last used")
  func lastUse() throws {
    let (installation, key) = try installation([(0, "main", 2)])
    installation.run("key", "create", "--scope", "catalog").expect(.success)
    let listed = try installation.run("key", "list", "--output", "json").expect(.success).json()
    let items = try #require(listed["items"] as? [[String: Any]])
    let uses = items.reduce(into: [:]) { $0[$1["key_id"] as? String ?? ""] = $1["last_used_at"] }
    #expect(uses.count == 2)
    #expect(uses[key.description] as? String == "2027-01-15T08:00:00Z")
    #expect(uses.values.contains { $0 is NSNull })
    let shown = installation.run("key", "show", key.description).expect(.success).output
    #expect(shown.contains("Last used") && shown.contains("2027-01-15T08:00:00Z"))
  }

  @Test(
    "a bar is drawn to an eighth, and never vanishes",
    arguments: [(0, ""), (1, "▏"), (100, "▊"), (125, "█"), (500, "████"), (1000, "████████")])
  func bars(value: Int, expected: String) {
    #expect(Bar.text(of: value, largest: 1000, columns: 8) == expected)
  }
}
