internal import Domain
internal import SQLite
internal import Synchronization

/// The latest index of the catalogue, which all readers of a store share.
///
/// No reader keeps an index for longer than a search: an idle one would hold on to an old one.
final class SharedIndex: Sendable {
  private let latest = Mutex<(revision: Int, index: CatalogIndex)?>(nil)

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

/// What searches read of `business`.
enum SearchTable {
  static func revision(_ connection: Connection) throws -> Int {
    let revision = try connection.first("SELECT revision FROM search_revision") { try $0.int(0) }
    guard let revision else {
      throw StoreError(.unusable, "The database is damaged: it has no search revision.")
    }
    return revision
  }

  static func index(_ connection: Connection) throws -> CatalogIndex {
    var index = CatalogIndex()
    try connection.forEach(
      """
      SELECT business_id, name, aliases, program_name, url, category, active FROM business
      ORDER BY name, business_id
      """
    ) { row in
      index.append(
        id: try row.text(0), name: try row.text(1),
        aliases: Business.aliases(in: try row.text(2)),
        programName: try row.optionalText(3), url: try row.optionalText(4),
        category: try row.text(5), isActive: try row.bool(6))
    }
    return index
  }
}
