public import Domain

/// The catalogue.
extension Knowledge: BusinessDirectory {
  /// One business.
  public func business(_ id: String) throws -> Business? {
    try read { try rows.business(id) }
  }

  /// The id nearest to an unknown one, of inactive businesses too.
  public func businessID(nearestTo id: String) throws -> String? {
    try read { try ids(nearestTo: id, onlyActive: false).first }
  }

  /// Whether a business can be launched; for an unknown one the nearest ids.
  public func standing(ofBusiness id: String) throws -> BusinessStanding {
    try read {
      if let known = memory.standings[id] { return known }
      guard let isActive = try rows.isActive(business: id) else {
        return .unknown(nearest: try ids(nearestTo: id, onlyActive: true))
      }
      let standing: BusinessStanding = isActive ? .active : .inactive
      memory.standings.remember(standing, as: id)
      return standing
    }
  }

  /// Hands the whole catalogue of one moment to `body`, by id, without holding it in memory.
  ///
  /// `body` should be quick: while it runs, the database's log only grows.
  public func forEachBusiness(_ body: (Business) throws -> Void) throws {
    try read { try view.atOneMoment { try rows.forEachBusiness(body) } }
  }

  /// The answer about a business, made once and remembered until something changes.
  ///
  /// - Parameters:
  ///   - id: the business.
  ///   - make: makes it of the business; it must depend on nothing else.
  /// - Returns: nil where there is no such business.
  /// - Throws: `StoreError`.
  public func representation(
    ofBusiness id: String, make: (FoundBusiness) -> Representation
  ) throws -> Representation? {
    try read {
      let name = KnowledgeMemory.RepresentationName(id: id, match: nil)
      if let known = memory.representations[name] { return known }
      guard let business = try rows.business(id) else { return nil }
      let made = make(FoundBusiness(business, match: nil))
      memory.representations.remember(made, as: name)
      return made
    }
  }

  /// Whether a query waits until the index of the catalogue is built anew: that takes some 10 µs a business.
  public func takesLong(_ query: BusinessQuery) throws -> Bool {
    guard query.isSearch else { return false }
    return try read { searchIndex.builtIndex(of: try rows.searchRevision()) == nil }
  }

  /// A page of the catalogue, by name and then by id.
  public func businesses(_ query: BusinessQuery) throws -> BusinessPage<FoundBusiness> {
    try page(query) { finds in
      let businesses = try read(finds.map(\.id))
      return try finds.map { FoundBusiness(try indexed(businesses[$0.id]), match: $0.match) }
    }
  }

  /// The answers about the businesses of a page, made and remembered like ``representation(ofBusiness:make:)``.
  ///
  /// - Parameters:
  ///   - query: the search or list.
  ///   - make: makes it of a business; it must depend on nothing else.
  /// - Returns: the page.
  /// - Throws: `StoreError`.
  public func representations(
    ofBusinesses query: BusinessQuery, make: (FoundBusiness) -> Representation
  ) throws -> BusinessPage<Representation> {
    try page(query) { finds in
      // Looked up before any is remembered, which may forget others.
      let known = finds.map { memory.representations[$0.name] }
      let unknown = zip(finds, known).compactMap { $1 == nil ? $0.id : nil }
      let businesses = unknown.isEmpty ? [:] : try read(unknown)
      return try zip(finds, known).map { find, known in
        if let known { return known }
        let made = make(FoundBusiness(try indexed(businesses[find.id]), match: find.match))
        memory.representations.remember(made, as: find.name)
        return made
      }
    }
  }

  private func read(_ ids: [String]) throws -> [String: Business] {
    Dictionary(try rows.businesses(ids).map { ($0.id, $0) }) { first, _ in first }
  }

  /// A page of one moment; `items` makes its items of the businesses that were found.
  private func page<Item>(
    _ query: BusinessQuery, _ items: ([Find]) throws -> [Item]
  ) throws -> BusinessPage<Item> {
    try read {
      try view.atOneMoment {
        if query.isSearch { return try searched(query, items) }
        let page = try rows.page(query)
        return BusinessPage(
          items: try items(page.items.map { Find(id: $0, match: nil) }), next: page.next,
          total: page.total)
      }
    }
  }

  private func searched<Item>(
    _ query: BusinessQuery, _ items: ([Find]) throws -> [Item]
  ) throws -> BusinessPage<Item> {
    var search = CatalogSearch(query.text ?? "", limit: query.limit)
    search.category = query.category
    search.isActive = query.isActive
    if let after = query.after, let rank = after.rank {
      search.after = (rank, after.name, after.id)
    }
    let finds = try currentIndex().search(search)
    let found = try items(finds.items.map { id, rank in Find(id: id, match: rank.match) })
    var next: BusinessPosition?
    if finds.hasMore, let (id, rank) = finds.items.last {
      next = try rows.name(ofBusiness: id).map { BusinessPosition(rank: rank, name: $0, id: id) }
    }
    return BusinessPage(items: found, next: next, total: finds.total)
  }

  /// A business that the list or the index names, which is there unless the database is damaged.
  private func indexed(_ business: Business?) throws -> Business {
    guard let business else {
      throw StoreError(
        .unusable, "The database is damaged: an index names a business that is not there.")
    }
    return business
  }

  private func ids(nearestTo id: String, onlyActive: Bool) throws -> [String] {
    try view.atOneMoment { try currentIndex().ids(nearestTo: id, onlyActive: onlyActive) }
  }

  /// The index of the catalogue at the moment of the answer.
  private func currentIndex() throws -> CatalogIndex {
    try searchIndex.index(of: rows.searchRevision()) { try rows.catalogIndex() }
  }
}

/// A business that a list or a search names.
private struct Find {
  let id: String
  let match: BusinessMatch?

  var name: KnowledgeMemory.RepresentationName { .init(id: id, match: match) }
}
