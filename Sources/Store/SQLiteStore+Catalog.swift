internal import JSON
internal import Domain
internal import SQLite

extension SQLiteStore {
  func createBusiness(_ business: Business, by actor: Actor) throws -> Business {
    if let objection = business.objectionToNames() { throw StoreError(.invalid, objection) }
    return try write(by: actor) { transaction in
      guard try BusinessTable.business(transaction.connection, business.id) == nil else {
        throw StoreError(
          .alreadyExists,
          "There is a business \(business.id) already. Change it: launchlink catalog update \(business.id)"
        )
      }
      let new = try transaction.save(business)
      try transaction.audit("catalog.add", new.id, new: new.json)
      return new
    }
  }

  func updateBusiness(
    _ id: String, by actor: Actor, _ change: (inout Business) throws -> Void
  ) throws -> Business {
    try updateBusiness(id, action: "catalog.update", by: actor, change)
  }

  func setBusiness(_ id: String, active: Bool, by actor: Actor) throws -> Business {
    try updateBusiness(id, action: active ? "catalog.enable" : "catalog.disable", by: actor) {
      $0.isActive = active
    }
  }

  func removeBusiness(_ id: String, by actor: Actor) throws {
    try write(by: actor) { transaction in
      let old = try transaction.business(id)
      try transaction.remove(old)
      try transaction.audit("catalog.remove", id, old: old.json)
    }
  }

  private func updateBusiness(
    _ id: String, action: String, by actor: Actor, _ change: (inout Business) throws -> Void
  ) throws -> Business {
    try write(by: actor) { transaction in
      let old = try transaction.business(id)
      var new = old
      try change(&new)
      guard !new.hasSameContent(as: old) else { return old }
      if let objection = new.objectionToNames(besides: old) {
        throw StoreError(.invalid, objection)
      }
      new = try transaction.save(new)
      try transaction.audit(action, id, old: old.json, new: new.json)
      return new
    }
  }
}

// Every change of the catalogue is one of these two.
extension Transaction {
  /// Adds a business or puts it in the place of the one with its id.
  ///
  /// - Returns: the business as it is now, with the time of the change.
  func save(_ business: Business) throws -> Business {
    var new = business
    new.updatedAt = now
    try BusinessTable.save(connection, new)
    return new
  }

  /// Takes a business away.
  func remove(_ business: Business) throws {
    try BusinessTable.remove(connection, business.id)
  }

  /// A business, or an error that names the nearest one.
  fileprivate func business(_ id: String) throws -> Business {
    if let business = try BusinessTable.business(connection, id) { return business }
    let near = try SearchTable.index(connection).ids(nearestTo: id, onlyActive: false).first
    let name = Business.isID(id) ? "There is no business \(id)" : "There is no such business"
    throw StoreError(.notFound, name + (near.map { "; did you mean \($0)?" } ?? "."))
  }
}

/// Rows of `business` and `product`.
enum BusinessTable {
  private static let columns =
    "business_id, name, aliases, category, image_url, url, program_name, display_allowed_cases, "
    + "display_caution, active, updated_at"

  static func business(
    _ connection: Connection, _ id: String
  ) throws -> Business? {
    let business = try connection.first(
      "SELECT \(columns) FROM business WHERE business_id = ?", id, make: make)
    return try business.map { try withProducts($0, connection) }
  }

  /// Hands every business to `body`, by id, never holding more than one in memory.
  static func forEach(
    _ connection: Connection, _ body: (Business) throws -> Void
  ) throws {
    try connection.forEach("SELECT \(columns) FROM business ORDER BY business_id") {
      try body(try withProducts(make($0), connection))
    }
  }

  /// Writes a business with its products.
  static func save(
    _ connection: Connection, _ business: Business
  ) throws {
    try connection.run(
      """
      INSERT INTO business (\(columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (business_id) DO UPDATE SET name = excluded.name, aliases = excluded.aliases,
        category = excluded.category, image_url = excluded.image_url, url = excluded.url,
        program_name = excluded.program_name,
        display_allowed_cases = excluded.display_allowed_cases,
        display_caution = excluded.display_caution, active = excluded.active,
        updated_at = excluded.updated_at
      """,
      business.id, business.name, business.aliases.joined(separator: "|"),
      business.category, business.imageURL, business.url, business.programName,
      business.displayAllowedCases, business.displayCaution, business.isActive,
      business.updatedAt.milliseconds)
    try connection.run("DELETE FROM product WHERE business_id = ?", business.id)
    for (position, product) in business.products.enumerated() {
      try connection.run(
        "INSERT INTO product VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        business.id, position, product.target, product.startsAt?.milliseconds,
        product.endsAt?.milliseconds, product.commissionType.rawValue, product.commission.amount,
        product.commission.unit.rawValue)
    }
  }

  /// Deletes a business with its products.
  static func remove(_ connection: Connection, _ id: String) throws {
    try connection.run("DELETE FROM business WHERE business_id = ?", id)
  }

  static func isActive(_ connection: Connection, _ id: String) throws -> Bool? {
    try connection.first("SELECT active FROM business WHERE business_id = ?", id) { try $0.bool(0) }
  }

  /// A page of what a search finds, in an index as it is in this transaction; `read` reads a business.
  static func page<Item>(
    _ connection: Connection, searching index: CatalogIndex, _ query: BusinessQuery,
    read: (_ id: String, BusinessMatch?) throws -> Item?
  ) throws -> BusinessPage<Item> {
    var search = CatalogSearch(query.text ?? "", limit: query.limit)
    search.category = query.category
    search.isActive = query.isActive
    if let after = query.after, let rank = after.rank {
      search.after = (rank, after.name, after.id)
    }
    let finds = index.search(search)
    let items = try finds.items.map { id, rank in try indexed(read(id, rank.match)) }
    var next: BusinessPosition?
    if finds.hasMore, let (id, rank) = finds.items.last {
      let name = try connection.first("SELECT name FROM business WHERE business_id = ?", id) {
        try $0.text(0)
      }
      next = name.map { BusinessPosition(rank: rank, name: $0, id: id) }
    }
    return BusinessPage(items: items, next: next, total: finds.total)
  }

  /// A page of the whole list; `read` reads a business.
  static func page<Item>(
    _ connection: Connection, _ query: BusinessQuery,
    read: (_ id: String, BusinessMatch?) throws -> Item?
  ) throws -> BusinessPage<Item> {
    var conditions = ["1"]
    var values: [(any Bindable)?] = []
    if let category = query.category {
      conditions.append("category = ?")
      values.append(category)
    }
    if let isActive = query.isActive {
      conditions.append("active = ?")
      values.append(isActive)
    }
    let total = try connection.first(
      "SELECT count(*) FROM business WHERE \(conditions.joined(separator: " AND "))",
      values: values
    ) { try $0.int(0) }
    if let after = query.after {
      conditions.append("(name, business_id) > (?, ?)")
      values += [after.name, after.id]
    }
    let found = try connection.rows(
      """
      SELECT name, business_id FROM business WHERE \(conditions.joined(separator: " AND "))
      ORDER BY name, business_id LIMIT ?
      """,
      values: values + [query.limit + 1]
    ) { BusinessPosition(name: try $0.text(0), id: try $0.text(1)) }
    let listed = found.prefix(query.limit)
    return BusinessPage(
      items: try listed.map { try indexed(read($0.id, nil)) },
      next: found.count > query.limit ? listed.last : nil, total: total ?? 0)
  }

  /// Takes what was read of a business that an index has just named.
  private static func indexed<Item>(_ item: Item?) throws -> Item {
    guard let item else {
      throw StoreError(
        .unusable, "The database is damaged: an index names a business that is not there.")
    }
    return item
  }

  private static func withProducts(
    _ business: Business, _ connection: Connection
  ) throws -> Business {
    var business = business
    business.products = try connection.rows(
      """
      SELECT target, starts_at, ends_at, commission_type, commission_amount, commission_unit
      FROM product WHERE business_id = ? ORDER BY position
      """,
      business.id
    ) { row in
      let unit = try known(Commission.Unit(rawValue: row.text(5)))
      return Product(
        target: try row.optionalText(0), startsAt: try row.optionalTime(1),
        endsAt: try row.optionalTime(2),
        commissionType: try known(CommissionType(rawValue: row.text(3))),
        commission: try known(Commission(amount: row.text(4), unit: unit)))
    }
    return business
  }

  private static func make(_ row: borrowing Row) throws -> Business {
    Business(
      id: try row.text(0), name: try row.text(1),
      aliases: Business.aliases(in: try row.text(2)),
      category: try row.text(3), imageURL: try row.optionalText(4), url: try row.optionalText(5),
      programName: try row.optionalText(6), displayAllowedCases: try row.optionalText(7),
      displayCaution: try row.optionalText(8), isActive: try row.bool(9), products: [],
      updatedAt: try row.time(10))
  }
}
