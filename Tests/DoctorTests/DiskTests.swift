import Testing

@testable import Doctor

@Suite("The doctor")
struct DoctorTests {
  private func levels(free: Int, database: Int = 1 << 20, files: Int? = 1 << 20) -> [String] {
    HealthCheck.diskFindings(
      free: free, database: database, freeFiles: files, directory: "/var/lib/launchlink"
    ).map(\.level.rawValue)
  }

  @Test("room on disk")
  func disk() {
    #expect(levels(free: 1 << 30) == ["ok"])
    #expect(levels(free: 255 << 20) == ["warning"])
    #expect(levels(free: 1 << 30, database: 400 << 20) == ["warning"], "less than three times")
    #expect(levels(free: 15 << 20) == ["error"])
    #expect(levels(free: 1 << 30, files: 999) == ["warning"])
    #expect(levels(free: 1 << 30, files: nil) == ["ok"], "a file system without a fixed number")
  }

  @Test("each check has a name of its own")
  func names() {
    let names = HealthCheck.all.map(\.name)
    #expect(Set(names).count == names.count)
  }
}
