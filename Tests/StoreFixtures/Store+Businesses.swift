public import Domain
public import Store

extension Store {
  /// Adds or replaces businesses that are in memory, all or none.
  public func importBusinesses(
    _ businesses: [Business], by actor: Actor
  ) throws -> ImportSummary {
    try importCatalog(ImportManner(mayErase: true), by: actor) { collector in
      for business in businesses { try collector.put(CatalogEntry(business)) }
    } eachChange: { _ in
    } confirm: { _ in
    }
  }
}
