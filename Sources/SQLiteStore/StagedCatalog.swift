internal import Domain
internal import SQLite
internal import Store

/// The businesses that an import has read so far, in temporary tables.
///
/// SQLite keeps these in a file of its own, which goes with the connection, and only its cache in memory.
final class StagedCatalog: CatalogCollector, CatalogStaging {
  private static let columns =
    "business_id, named, name, aliases, category, image_url, url, program_name, "
    + "display_allowed_cases, display_caution, active, line, place"

  private let connection: Connection
  private let rows: SQLiteRows

  init(_ connection: Connection) {
    self.connection = connection
    rows = SQLiteRows(connection)
  }

  // Only temporary tables are written, so the catalogue is not locked meanwhile.
  func fill(_ read: (any CatalogCollector) throws -> Void) throws -> CatalogFaults {
    try connection.transaction(.deferred) {
      try create()
      do {
        try read(self)
        return CatalogFaults()
      } catch let faults as CatalogFaults {
        return faults
      }
    }
  }

  func change<Value>(
    isDryRun: Bool, _ body: (any ChangingRows) throws -> Value
  ) throws -> Value {
    try connection.transaction(isDryRun ? .deferred : .immediate) { try body(rows) }
  }

  private func create() throws {
    try connection.script(
      """
      CREATE TEMP TABLE staged_business (
        business_id TEXT PRIMARY KEY, named INTEGER, name TEXT, aliases TEXT, category TEXT,
        image_url TEXT, url TEXT, program_name TEXT, display_allowed_cases TEXT,
        display_caution TEXT, active INTEGER, line INTEGER, place INTEGER
      ) STRICT, WITHOUT ROWID;
      CREATE TEMP TABLE staged_product (
        business_id TEXT, position INTEGER, named INTEGER, target TEXT, starts_at INTEGER,
        ends_at INTEGER, commission_type TEXT, commission_amount TEXT, commission_unit TEXT,
        line INTEGER, PRIMARY KEY (business_id, position)
      ) STRICT, WITHOUT ROWID;
      CREATE TEMP TABLE missing_business (business_id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
      """)
  }

  func find(_ id: String) throws -> CatalogEntry? {
    let entry = try connection.first(
      "SELECT \(Self.columns) FROM temp.staged_business WHERE business_id = ?", id, make: make)
    return try entry.map(withProducts)
  }

  func storedTexts(of id: String) throws -> Set<String> {
    Set(try rows.business(id)?.texts ?? [])
  }

  func put(_ entry: CatalogEntry) throws {
    try connection.run(
      """
      INSERT OR REPLACE INTO temp.staged_business (\(Self.columns))
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      entry.id, NamedParts(entry).rawValue, entry.name, entry.aliases?.joined(separator: "|"),
      entry.category, entry.imageURL.value, entry.url.value, entry.programName.value,
      entry.displayAllowedCases.value, entry.displayCaution.value, entry.isActive.value,
      entry.line, entry.column)
    try connection.run("DELETE FROM temp.staged_product WHERE business_id = ?", entry.id)
    for (position, product) in (entry.products ?? []).enumerated() {
      try connection.run(
        "INSERT INTO temp.staged_product VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        entry.id, position, NamedParts(product).rawValue, product.target.value,
        product.startsAt.value?.milliseconds, product.endsAt.value?.milliseconds,
        product.commissionType?.rawValue, product.commissionAmount,
        product.commissionUnit?.rawValue, product.line)
    }
  }

  func forEach(_ body: (CatalogEntry) throws -> Void) throws {
    try connection.forEach("SELECT \(Self.columns) FROM temp.staged_business ORDER BY business_id")
    {
      try body(try withProducts(make($0)))
    }
  }

  func findMissing() throws -> Int {
    try connection.run(
      """
      INSERT INTO temp.missing_business SELECT business_id FROM main.business AS old
      WHERE active = 1
        AND NOT EXISTS (SELECT 1 FROM temp.staged_business WHERE business_id = old.business_id)
      """)
  }

  func forEachMissing(_ body: (Business) throws -> Void) throws {
    try connection.forEach("SELECT business_id FROM temp.missing_business ORDER BY business_id") {
      if let business = try rows.business($0.text(0)) { try body(business) }
    }
  }

  private func make(_ row: borrowing Row) throws -> CatalogEntry {
    let named = NamedParts(rawValue: try row.int(1))
    var entry = CatalogEntry(id: try row.text(0), line: try row.int(11), column: try row.int(12))
    entry.name = try row.optionalText(2)
    entry.aliases = try row.optionalText(3).map(Business.aliases(in:))
    entry.category = try row.optionalText(4)
    entry.imageURL = named.mention(.imageURL, try row.optionalText(5))
    entry.url = named.mention(.url, try row.optionalText(6))
    entry.programName = named.mention(.programName, try row.optionalText(7))
    entry.displayAllowedCases = named.mention(.displayAllowedCases, try row.optionalText(8))
    entry.displayCaution = named.mention(.displayCaution, try row.optionalText(9))
    entry.isActive = named.mention(.isActive, try row.optionalBool(10))
    entry.products = named.contains(.products) ? [] : nil
    return entry
  }

  private func withProducts(_ entry: CatalogEntry) throws -> CatalogEntry {
    guard entry.products != nil else { return entry }
    var entry = entry
    entry.products = try connection.rows(
      """
      SELECT named, target, starts_at, ends_at, commission_type, commission_amount, commission_unit,
        line
      FROM temp.staged_product WHERE business_id = ? ORDER BY position
      """,
      entry.id
    ) { row in
      let named = NamedParts(rawValue: try row.int(0))
      var product = ProductEntry(line: try row.int(7))
      product.target = named.mention(.target, try row.optionalText(1))
      product.startsAt = named.mention(.startsAt, try row.optionalTime(2))
      product.endsAt = named.mention(.endsAt, try row.optionalTime(3))
      product.commissionType = try row.optionalText(4).flatMap(CommissionType.init)
      product.commissionAmount = try row.optionalText(5)
      product.commissionUnit = try row.optionalText(6).flatMap(Commission.Unit.init)
      return product
    }
    return entry
  }
}

/// The parts that an entry names: in a row, NULL stands both for an erased part and for one that is not named.
private struct NamedParts: OptionSet {
  static let imageURL = NamedParts(rawValue: 1)
  static let url = NamedParts(rawValue: 1 << 1)
  static let programName = NamedParts(rawValue: 1 << 2)
  static let displayAllowedCases = NamedParts(rawValue: 1 << 3)
  static let displayCaution = NamedParts(rawValue: 1 << 4)
  static let isActive = NamedParts(rawValue: 1 << 5)
  static let products = NamedParts(rawValue: 1 << 6)
  static let target = NamedParts(rawValue: 1 << 7)
  static let startsAt = NamedParts(rawValue: 1 << 8)
  static let endsAt = NamedParts(rawValue: 1 << 9)

  let rawValue: Int

  init(rawValue: Int) {
    self.rawValue = rawValue
  }

  init(_ entry: CatalogEntry) {
    self = []
    note(.imageURL, entry.imageURL)
    note(.url, entry.url)
    note(.programName, entry.programName)
    note(.displayAllowedCases, entry.displayAllowedCases)
    note(.displayCaution, entry.displayCaution)
    note(.isActive, entry.isActive)
    if entry.products != nil { insert(.products) }
  }

  init(_ product: ProductEntry) {
    self = []
    note(.target, product.target)
    note(.startsAt, product.startsAt)
    note(.endsAt, product.endsAt)
  }

  private mutating func note<Value>(_ part: NamedParts, _ mention: Mention<Value>) {
    if mention != .unnamed { insert(part) }
  }

  /// The mention of a part whose column holds `value`.
  func mention<Value>(_ part: NamedParts, _ value: Value?) -> Mention<Value> {
    contains(part) ? value.map(Mention.value) ?? .erased : .unnamed
  }
}
