internal import JSON
internal import LaunchDomain
internal import SQLite

extension SQLiteStore {
  func importBusinesses(
    _ businesses: [Business], by actor: Actor
  ) throws -> ImportSummary {
    try write(by: actor) { transaction in
      var summary = ImportSummary()
      for business in businesses {
        switch try BusinessTable.business(transaction.connection, business.id) {
        case nil: summary.added += 1
        case .some(let old) where old.hasSameContent(as: business):
          summary.unchanged += 1
          continue
        default: summary.changed += 1
        }
        try BusinessTable.save(transaction.connection, business, at: transaction.now)
      }
      guard summary.added + summary.changed > 0 else { return summary }
      let counts: JSON = [
        "added": .integer(Int64(summary.added)), "changed": .integer(Int64(summary.changed)),
        "unchanged": .integer(Int64(summary.unchanged)),
      ]
      try transaction.audit("catalog.import", "catalog", new: counts)
      return summary
    }
  }
}

/// Rows of `business` and `product`.
enum BusinessTable {
  /// Between aliases in the database, as in a CSV file; no alias holds it.
  private static let aliasSeparator = UInt8(ascii: "|")

  private static let columns =
    "business_id, name, aliases, category, image_url, url, program_name, display_allowed_cases, "
    + "display_caution, active, updated_at"

  static func business(_ connection: Connection, _ id: String) throws -> Business? {
    let business = try connection.first(
      "SELECT \(columns) FROM business WHERE business_id = ?", id, make: make)
    return try business.map { try withProducts($0, connection) }
  }

  static func save(_ connection: Connection, _ business: Business, at now: Timestamp) throws {
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
      business.displayAllowedCases, business.displayCaution, business.isActive, now.milliseconds)
    try connection.run("DELETE FROM product WHERE business_id = ?", business.id)
    for (position, product) in business.products.enumerated() {
      try connection.run(
        "INSERT INTO product VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        business.id, position, product.target, product.startsAt?.milliseconds,
        product.endsAt?.milliseconds, product.commissionType.rawValue, product.commission.amount,
        product.commission.unit.rawValue)
    }
  }

  static func isActive(_ connection: Connection, _ id: String) throws -> Bool? {
    try connection.first("SELECT active FROM business WHERE business_id = ?", id) { try $0.bool(0) }
  }

  /// Ids that begin like `id` and are about as long: where a mistyped one is looked for.
  static func idsNear(_ connection: Connection, _ id: String) throws -> [String] {
    guard let first = id.utf8.first, Business.isID(id) else { return [] }
    let start = String(UnicodeScalar(first))
    return try connection.rows(
      """
      SELECT business_id FROM business WHERE business_id >= ? AND business_id < ?
        AND length(business_id) BETWEEN ? AND ? LIMIT 5000
      """,
      start, String(UnicodeScalar(first + 1)), id.utf8.count - 4, id.utf8.count + 8
    ) { try $0.text(0) }
  }

  static func aliases(in text: String) -> [String] {
    // By bytes, which is many times quicker than by what people see as characters.
    text.utf8.split(separator: aliasSeparator).map { String(Substring($0)) }
  }

  /// A page of what a search finds, in an index as it is in this transaction.
  static func page(
    _ connection: Connection, searching index: CatalogIndex, _ query: BusinessQuery
  ) throws -> BusinessPage {
    var search = CatalogSearch(query.text ?? "", limit: query.limit)
    search.category = query.category
    search.isActive = query.isActive
    if let after = query.after, let rank = after.rank {
      search.after = (rank, after.name, after.id)
    }
    let finds = index.search(search)
    let items = try finds.items.map { id, rank in
      guard let business = try business(connection, id) else {
        throw StoreError(.unusable, "The database is damaged: its search revision is out of date.")
      }
      return FoundBusiness(business, match: rank.match)
    }
    var next: BusinessPosition?
    if finds.hasMore, let last = items.last?.business {
      next = BusinessPosition(rank: finds.items.last?.rank, name: last.name, id: last.id)
    }
    return BusinessPage(items: items, next: next, total: finds.total)
  }

  /// A page of the whole list.
  static func page(_ connection: Connection, _ query: BusinessQuery) throws -> BusinessPage {
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
      SELECT \(columns) FROM business WHERE \(conditions.joined(separator: " AND "))
      ORDER BY name, business_id LIMIT ?
      """,
      values: values + [query.limit + 1], make: make)
    let items = try found.prefix(query.limit).map { business in
      FoundBusiness(try withProducts(business, connection), match: nil)
    }
    let next = found.count > query.limit ? items.last?.business : nil
    return BusinessPage(
      items: items, next: next.map { BusinessPosition(name: $0.name, id: $0.id) },
      total: total ?? 0)
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
      aliases: aliases(in: try row.text(2)),
      category: try row.text(3), imageURL: try row.optionalText(4), url: try row.optionalText(5),
      programName: try row.optionalText(6), displayAllowedCases: try row.optionalText(7),
      displayCaution: try row.optionalText(8), isActive: try row.bool(9), products: [],
      updatedAt: try row.time(10))
  }
}
