/// Reads a catalogue that has one row for each product (README.md, "Catalogue files").
public struct CatalogCSV: CatalogReading {
  /// All columns that a catalogue may have.
  public static let columns = [
    "business_id", "name", "aliases", "category", "image_url", "url", "program_name",
    "display_allowed_cases", "display_caution", "active", "target", "starts_at", "ends_at",
    "commission_type", "commission_amount", "commission_unit",
  ]
  private static let productColumns = columns.suffix(6)

  var rules: BusinessRules
  private let header: CSVHeader
  private let collector: any CatalogCollector
  /// Whether the file has columns of products.
  private let hasProducts: Bool
  var faults: CatalogFaults
  /// The business whose rows are being read.
  private var current: CatalogEntry?
  /// The businesses whose first row had a fault.
  private var faulty: Set<String> = []
  /// How many fields the previous row had where it was too short, since the next may be its rest.
  private var brokenWidth: Int?

  /// Reads a whole file; see `CatalogFormat.read`.
  static func read(
    _ bytes: ByteReader, rules: BusinessRules, into collector: any CatalogCollector
  ) throws {
    var reader = CSVReader(bytes)
    var header = try reader.next() ?? []
    // Nothing certain is known of the rest of the file.
    if reader.isCutOff { throw reader.faults }
    if isSeparatorNote(header) {
      header = try reader.next() ?? []
      if reader.isCutOff { throw reader.faults }
    }
    var catalog = CatalogCSV(rules: rules, header: CSVHeader(header), collector: collector)
    if catalog.faults.count == 0 {
      while let record = try reader.next() {
        try catalog.add(record, isSpoilt: reader.isSpoilt)
      }
      try catalog.keepCurrent()
    }
    let faults = catalog.faults.merged(with: reader.faults)
    guard faults.count == 0 else { throw faults }
  }

  private init(rules: BusinessRules, header: CSVHeader, collector: any CatalogCollector) {
    self.rules = rules
    self.header = header
    self.collector = collector
    hasProducts = Self.productColumns.contains { header.places[$0] != nil }
    faults = header.faults
  }

  /// Whether it is the line `sep=,` before the header, which tells Excel the separator.
  private static func isSeparatorNote(_ record: [CSVField]) -> Bool {
    record.count == 2 && record[0].text.lowercased() == "sep=" && record[1].text.isEmpty
  }

  // MARK: Rows

  private mutating func add(_ record: [CSVField], isSpoilt: Bool) throws {
    guard let row = try row(record, isSpoilt: isSpoilt), let idField = row["business_id"] else {
      return
    }
    let id = idField.text
    guard !id.isEmpty else {
      report(idField, "business_id", "This is missing; each row names its business.")
      return
    }
    if current?.id != id {
      try keepCurrent()
      current = try Business.isID(id) ? collector.find(id) : nil
    }
    if let first = current {
      try reading(id, collector) { $0.checkRepeat(row, first: first) }
      if hasProducts, let product = try reading(id, collector, { $0.product(row) }) {
        addProduct(product, idField)
      }
    } else if faulty.contains(id) {
      try reading(id, collector) { _ = $0.product(row) }
    } else if let entry = try reading(id, collector, { $0.entry(row) }) {
      current = entry
    } else {
      // Without its invisible characters, the ID matches later rows, which are not at fault.
      faulty.insert(String(String.UnicodeScalarView(id.unicodeScalars.filter { !$0.isHidden })))
    }
  }

  /// The record as a row; nil where it does not fit the header, which is then reported, or where it
  /// is spoilt, which is reported already.
  private mutating func row(_ record: [CSVField], isSpoilt: Bool) throws -> CSVRow? {
    let before = brokenWidth
    brokenWidth = nil
    // The second half of a row that a line break has split; the first half was reported.
    if let before, before + record.count - 1 == header.width { return nil }
    if !isSpoilt {
      do throws(CatalogFault) {
        return try CSVRow(record, header)
      } catch {
        faults.add(error)
      }
    }
    if record.count < header.width { brokenWidth = record.count }
    // Keeps a later row from being taken for the first one, which needs more fields.
    if let id = CSVRow.businessID(of: record, header), current?.id != id,
      try collector.find(id) == nil
    {
      faulty.insert(id)
    }
    return nil
  }

  /// Passes the current business to the collector, since its rows have ended.
  private mutating func keepCurrent() throws {
    if let current { try collector.put(current) }
    current = nil
  }

  private mutating func addProduct(_ product: ProductEntry, _ idField: CSVField) {
    if (current?.products?.count ?? 0) < BusinessRules.productCount {
      current?.products?.append(product)
    } else {
      report(
        idField, "business_id",
        "A business may have \(BusinessRules.productCount) products at most.")
    }
  }

  /// Reads the first row of a business.
  private mutating func entry(_ row: CSVRow) -> CatalogEntry? {
    let before = faults.count
    let (id, field) = (value(row, "business_id", BusinessRules.id), row["business_id"])
    var entry = CatalogEntry(id: id ?? "", line: field?.line ?? 1, column: field?.column ?? 1)
    entry.name = needed(row, "name", BusinessRules.name)
    switch mention(row, "aliases", BusinessRules.aliasList) {
    case .unnamed: break
    case .erased: entry.aliases = []
    case .value(let aliases): entry.aliases = aliases
    }
    entry.category = needed(row, "category", BusinessRules.category)
    entry.imageURL = mention(row, "image_url", BusinessRules.url)
    entry.url = mention(row, "url", BusinessRules.url)
    entry.programName = mention(row, "program_name", BusinessRules.line)
    entry.displayAllowedCases = mention(row, "display_allowed_cases", BusinessRules.text)
    entry.displayCaution = mention(row, "display_caution", BusinessRules.text)
    entry.isActive = mention(row, "active", BusinessRules.truth)
    if hasProducts { entry.products = product(row).map { [$0] } }
    return faults.count == before ? entry : nil
  }

  private mutating func product(_ row: CSVRow) -> ProductEntry? {
    let before = faults.count
    var product = ProductEntry(line: row["business_id"]?.line ?? 1)
    product.target = mention(row, "target", BusinessRules.line)
    product.startsAt = mention(row, "starts_at", BusinessRules.time)
    product.endsAt = mention(row, "ends_at", BusinessRules.time)
    if case .value(let start) = product.startsAt, case .value(let end) = product.endsAt,
      end <= start, let field = row["ends_at"]
    {
      report(field, "ends_at", BusinessRules.endBeforeStart)
    }
    product.commissionType = needed(row, "commission_type", BusinessRules.commissionType)
    let unit = needed(row, "commission_unit", BusinessRules.unit)
    product.commissionUnit = unit
    product.commissionAmount = needed(row, "commission_amount") { rules in
      { text throws(BusinessRules.Objection) in try rules.commission(text, unit ?? .won).amount }
    }
    return faults.count == before ? product : nil
  }

  /// Checks a later row of a business: it adds a product, and what it repeats of the business has
  /// to agree.
  private mutating func checkRepeat(_ row: CSVRow, first: CatalogEntry) {
    func check<Value: Equatable>(
      _ column: String, _ said: Value?,
      _ rule: (BusinessRules) -> (String) throws(BusinessRules.Objection) -> Value
    ) {
      guard let repeated = value(row, column, rule), repeated != said, let field = row[column]
      else { return }
      report(
        field, column,
        "Line \(first.line) says something else of this business. Leave it empty: later rows only "
          + "add products.")
    }
    check("name", first.name, BusinessRules.name)
    check("aliases", first.aliases, BusinessRules.aliasList)
    check("category", first.category, BusinessRules.category)
    check("image_url", first.imageURL.value, BusinessRules.url)
    check("url", first.url.value, BusinessRules.url)
    check("program_name", first.programName.value, BusinessRules.line)
    check("display_allowed_cases", first.displayAllowedCases.value, BusinessRules.text)
    check("display_caution", first.displayCaution.value, BusinessRules.text)
    check("active", first.isActive.value, BusinessRules.truth)
  }

  // MARK: Fields

  /// Reads a field that may be empty, which erases the part.
  private mutating func mention<Value>(
    _ row: CSVRow, _ column: String,
    _ rule: (BusinessRules) -> (String) throws(BusinessRules.Objection) -> Value
  ) -> Mention<Value> {
    guard let field = row[column] else { return .unnamed }
    return field.text.isEmpty ? .erased : value(row, column, rule).map(Mention.value) ?? .unnamed
  }

  /// Reads a field; nil where it is empty or was reported.
  private mutating func value<Value>(
    _ row: CSVRow, _ column: String,
    _ rule: (BusinessRules) -> (String) throws(BusinessRules.Objection) -> Value
  ) -> Value? {
    guard let field = row[column], !field.text.isEmpty else { return nil }
    do throws(BusinessRules.Objection) {
      return try rule(rules)(field.text)
    } catch {
      report(field, column, error.message)
      return nil
    }
  }

  /// Reads a field that must not be empty; its column may be absent.
  private mutating func needed<Value>(
    _ row: CSVRow, _ column: String,
    _ rule: (BusinessRules) -> (String) throws(BusinessRules.Objection) -> Value
  ) -> Value? {
    if let field = row[column], field.text.isEmpty { report(field, column, "This is missing.") }
    return value(row, column, rule)
  }

  private mutating func report(_ field: CSVField, _ column: String, _ message: String) {
    faults.add(
      CatalogFault(line: field.line, column: field.column, field: column, message: message))
  }
}
