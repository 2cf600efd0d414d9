internal import Domain
internal import Platform

/// The latest index of the catalogue, which all readers of a store share.
///
/// No reader keeps an index for longer than a search: an idle one would hold on to an old one.
final class SharedIndex: Sendable {
  private let latest = Locked<(revision: Int, index: CatalogIndex)?>(nil)

  /// The index of this revision; where it is missing, one thread builds it and the others wait.
  func index(
    of revision: Int, build: () throws -> CatalogIndex
  ) throws -> CatalogIndex {
    try latest.withLock { latest in
      if let latest, latest.revision == revision { return latest.index }
      // Freed before the next is built, unless a search is still at it.
      latest = nil
      let index = try build()
      latest = (revision, index)
      return index
    }
  }
}
