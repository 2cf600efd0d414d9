import Domain
import Store
import StoreFixtures
import Testing
import TestSupport

extension TestAPI {
  /// Adds active businesses of these ids.
  func addBusinesses(_ ids: [String]) throws {
    let commission = try #require(Commission(amount: "1", unit: .won))
    _ = try store.importBusinesses(
      ids.map {
        Business(
          id: $0, name: "이름 \($0)", category: "mall",
          products: [Product(commissionType: .perAction, commission: commission)],
          updatedAt: Timestamp(seconds: 0))
      }, by: actor)
  }

  /// Sets the project's replay policy to `once`.
  func letLaunchesInOnce() throws {
    var changes = ProjectChanges()
    changes.replayPolicy = .once
    _ = try store.updateProject(project.id, changes, by: actor)
  }
}
