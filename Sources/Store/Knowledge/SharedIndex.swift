internal import Domain
internal import Platform

/// The latest index of the catalogue, which all readers of a store share.
///
/// Readers keep an index only for a search, so that an idle reader holds no old index.
final class SharedIndex: Sendable {
  private let latest = Locked<(revision: Int, index: CatalogIndex)?>(nil)
  /// Held while an index is built.
  private let building = Locked<Void>(())

  /// The index of a revision, if it is built; this never waits.
  func builtIndex(of revision: Int) -> CatalogIndex? {
    latest.withLock { latest in latest?.revision == revision ? latest?.index : nil }
  }

  /// The index of a revision; one thread builds a missing one while the others wait.
  func index(
    of revision: Int, build: () throws -> CatalogIndex
  ) throws -> CatalogIndex {
    if let index = builtIndex(of: revision) { return index }
    return try building.withLock { _ in
      if let index = builtIndex(of: revision) { return index }
      // The old index is freed before the next is built, unless a search uses it.
      latest.withLock { $0 = nil }
      let index = try build()
      latest.withLock { $0 = (revision, index) }
      return index
    }
  }
}
