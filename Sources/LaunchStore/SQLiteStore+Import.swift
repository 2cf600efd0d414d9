internal import JSON
internal import LaunchDomain
internal import SQLite

extension SQLiteStore {
  func importCatalog(
    _ manner: ImportManner, by actor: Actor, reading read: (any CatalogCollector) throws -> Void,
    eachChange: (CatalogChange) throws -> Void
  ) throws -> ImportSummary {
    try writeApart(by: actor, manner.isDryRun ? .deferred : .immediate) { connection in
      // Only temporary tables: the catalogue is not locked while the file is read.
      try connection.transaction(.deferred) {
        let staging = StagedCatalog(connection)
        try staging.create()
        try read(staging)
      }
    } _: { transaction in
      let staging = StagedCatalog(transaction.connection)
      let summary = try transaction.bringIn(staging, manner, eachChange: eachChange)
      if !manner.isDryRun { try transaction.audit(summary) }
      return summary
    }
  }
}

extension Transaction {
  fileprivate func bringIn(
    _ staging: StagedCatalog, _ manner: ImportManner, eachChange: (CatalogChange) throws -> Void
  ) throws -> ImportSummary {
    var summary = ImportSummary()
    try staging.forEach { business in
      let old = try BusinessTable.business(connection, business.id)
      guard let change = CatalogChange(old == nil ? .add : .change, from: old, to: business)
      else {
        summary.unchanged += 1
        return
      }
      if old == nil { summary.added += 1 } else { summary.changed += 1 }
      try carryOut(change, from: old, manner, eachChange)
    }
    let missing = try staging.findMissing()
    guard manner.prunes else {
      summary.missing = missing
      return summary
    }
    guard summary != ImportSummary() else {
      throw StoreError(.invalid, "There is no business in the file: --prune would deactivate all.")
    }
    summary.deactivated = missing
    try staging.forEachMissing { old in
      var new = old
      new.isActive = false
      if let change = CatalogChange(.deactivate, from: old, to: new) {
        try carryOut(change, from: old, manner, eachChange)
      }
    }
    return summary
  }

  private func carryOut(
    _ change: CatalogChange, from old: Business?, _ manner: ImportManner,
    _ eachChange: (CatalogChange) throws -> Void
  ) throws {
    if !manner.isDryRun {
      let new = try save(change.business)
      if let old { try audit(change, from: old, to: new) }
    }
    try eachChange(change)
  }

  /// One row for each business that was there: what was changed of it, old and new.
  private func audit(_ change: CatalogChange, from old: Business, to new: Business) throws {
    let changed = { (business: Business) -> JSON in
      .object(business.json.objectValue?.filter { change.fields.contains($0.name) } ?? [])
    }
    try audit(
      change.kind == .deactivate ? "catalog.disable" : "catalog.update", new.id,
      old: changed(old), new: changed(new))
  }

  fileprivate func audit(_ summary: ImportSummary) throws {
    guard summary.added + summary.changed + summary.deactivated > 0 else { return }
    try audit(
      "catalog.import", "catalog",
      new: [
        "added": .integer(Int64(summary.added)), "changed": .integer(Int64(summary.changed)),
        "unchanged": .integer(Int64(summary.unchanged)),
        "deactivated": .integer(Int64(summary.deactivated)),
      ])
  }
}

/// What an import has read so far, in temporary tables: SQLite keeps them in a file of its own, which
/// goes with the connection, and in memory only what its cache holds.
private final class StagedCatalog: CatalogCollector {
  private static let tables = BusinessTable.Tables(
    business: "temp.staged_business", product: "temp.staged_product")

  private let connection: Connection

  init(_ connection: Connection) {
    self.connection = connection
  }

  func create() throws {
    try connection.script(
      """
      CREATE TEMP TABLE staged_business (
        business_id TEXT PRIMARY KEY, name TEXT, aliases TEXT, category TEXT, image_url TEXT,
        url TEXT, program_name TEXT, display_allowed_cases TEXT, display_caution TEXT,
        active INTEGER, updated_at INTEGER, line INTEGER
      ) STRICT, WITHOUT ROWID;
      CREATE TEMP TABLE staged_product (
        business_id TEXT, position INTEGER, target TEXT, starts_at INTEGER, ends_at INTEGER,
        commission_type TEXT, commission_amount TEXT, commission_unit TEXT,
        PRIMARY KEY (business_id, position)
      ) STRICT, WITHOUT ROWID;
      CREATE TEMP TABLE missing_business (business_id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
      """)
  }

  func find(_ id: String) throws -> (business: Business, line: Int)? {
    let line = try connection.first(
      "SELECT line FROM temp.staged_business WHERE business_id = ?", id
    ) { try $0.int(0) }
    guard let line, let business = try BusinessTable.business(connection, id, in: Self.tables)
    else { return nil }
    return (business, line)
  }

  func put(_ business: Business, line: Int) throws {
    if let objection = business.objectionToNames() { throw StoreError(.invalid, objection) }
    try BusinessTable.save(connection, business, in: Self.tables)
    try connection.run(
      "UPDATE temp.staged_business SET line = ? WHERE business_id = ?", line, business.id)
  }

  func forEach(_ body: (Business) throws -> Void) throws {
    try BusinessTable.forEach(connection, in: Self.tables, body)
  }

  /// Notes the active businesses of the catalogue that were not read.
  ///
  /// - Returns: how many they are.
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
      if let business = try BusinessTable.business(connection, $0.text(0)) { try body(business) }
    }
  }
}
