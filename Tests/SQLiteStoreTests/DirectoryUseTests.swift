import Foundation
import Store
import StoreFixtures
import Testing
@testable import SQLiteStore

@Suite("Who uses a data directory")
struct DirectoryUseTests {
  @Test("shared twice, alone once")
  func locks() throws {
    let directory = FileManager.default.temporaryDirectory.path + "/use-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    do {
      let uses = [
        try DirectoryUse(shared: directory), try DirectoryUse(shared: directory),
      ]
      #expect(throws: StoreError.self) { _ = try DirectoryUse(alone: directory) }
      withExtendedLifetime(uses) {}
    }
    _ = try DirectoryUse(alone: directory)
  }
}
