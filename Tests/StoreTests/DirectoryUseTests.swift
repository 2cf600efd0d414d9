import Foundation
import Testing

@testable import Store

@Suite("Who uses a data directory")
struct DirectoryUseTests {
  @Test("a restore is refused while a store is open, and waits for nobody afterwards")
  func isSharedOrAlone() throws {
    let store = try TestStore()
    let backup = store.directory + "/copy.db"
    let ring = try KeyRing.read(store.masterKey, credentialsDirectory: nil)
    let clock = store.clock
    _ = try FileStore.backUp(
      to: backup, directory: store.directory, keyRing: ring, replacing: false,
      clock: { clock.now }, by: store.actor)
    #expect(
      try kind {
        _ = try FileStore.restore(
          from: backup, directory: store.directory, keyRing: ring, RestoreManner(),
          clock: { clock.now }, by: store.actor)
      } == .inUse)
  }

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
