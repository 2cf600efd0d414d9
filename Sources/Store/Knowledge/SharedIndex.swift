internal import Domain
internal import Platform

/// The latest index of the catalogue, which all readers of a store share.
///
/// Readers keep an index only for a search, so that an idle reader holds no old index.
final class SharedIndex: Sendable {
  private let latest = Locked<(revision: Int, index: CatalogIndex)?>(nil)

  /// The index of a revision; one thread builds a missing one while the others wait.
  func index(
    of revision: Int, build: () throws -> CatalogIndex
  ) throws -> CatalogIndex {
    try latest.withLock { latest in
      if let latest, latest.revision == revision { return latest.index }
      // The old index is freed before the next is built, unless a search uses it.
      latest = nil
      let index = try build()
      latest = (revision, index)
      return index
    }
  }
}
