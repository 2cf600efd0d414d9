package import Domain
internal import SQLite
package import Store

/// Rows of `business` and `product`.
extension SQLiteRows {
  private static let businessColumns =
    "business_id, name, aliases, category, image_url, url, program_name, display_allowed_cases, "
    + "display_caution, active, updated_at"

  package func business(_ id: String) throws -> Business? {
    let business = try connection.first(
      "SELECT \(Self.businessColumns) FROM business WHERE business_id = ?", id, make: Self.business)
    return try business.map(withProducts)
  }

  package func businesses(_ ids: [String]) throws -> [Business] { try ids.compactMap(business) }

  package func forEachBusiness(_ body: (Business) throws -> Void) throws {
    try connection.forEach("SELECT \(Self.businessColumns) FROM business ORDER BY business_id") {
      try body(try withProducts(Self.business($0)))
    }
  }

  package func save(_ business: Business) throws {
    try connection.run(
      """
      INSERT INTO business (\(Self.businessColumns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
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

  package func removeBusiness(_ id: String) throws {
    try connection.run("DELETE FROM business WHERE business_id = ?", id)
  }

  package func isActive(business id: String) throws -> Bool? {
    try connection.first("SELECT active FROM business WHERE business_id = ?", id) { try $0.bool(0) }
  }

  package func name(ofBusiness id: String) throws -> String? {
    try connection.first("SELECT name FROM business WHERE business_id = ?", id) { try $0.text(0) }
  }

  package func page(_ query: BusinessQuery) throws -> BusinessPage<String> {
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
      items: listed.map(\.id), next: found.count > query.limit ? listed.last : nil,
      total: total ?? 0)
  }

  package func searchRevision() throws -> Int {
    let revision = try connection.first("SELECT revision FROM search_revision") { try $0.int(0) }
    guard let revision else {
      throw StoreError(.unusable, "The database is damaged: it has no search revision.")
    }
    return revision
  }

  package func catalogIndex() throws -> CatalogIndex {
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

  private func withProducts(_ business: Business) throws -> Business {
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

  private static func business(_ row: borrowing Row) throws -> Business {
    Business(
      id: try row.text(0), name: try row.text(1),
      aliases: Business.aliases(in: try row.text(2)),
      category: try row.text(3), imageURL: try row.optionalText(4), url: try row.optionalText(5),
      programName: try row.optionalText(6), displayAllowedCases: try row.optionalText(7),
      displayCaution: try row.optionalText(8), isActive: try row.bool(9), products: [],
      updatedAt: try row.time(10))
  }
}
