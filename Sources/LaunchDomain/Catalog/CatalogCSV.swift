/// Reads a catalogue of one row a product (CONTRACT.md section 6).
public struct CatalogCSV {
  /// The columns that there are.
  public static let columns = [
    "business_id", "name", "aliases", "category", "image_url", "url", "program_name",
    "display_allowed_cases", "display_caution", "active", "target", "starts_at", "ends_at",
    "commission_type", "commission_amount", "commission_unit",
  ]
  private static let required = [
    "business_id", "name", "category", "commission_type", "commission_amount", "commission_unit",
  ]

  /// A row by the names of its columns.
  private struct Row {
    let fields: [CSVField]
    let places: [String: Int]

    /// The field of a column; nil where the file has no such column.
    subscript(column: String) -> CSVField? { places[column].map { fields[$0] } }
  }

  private let rules: BusinessRules
  private let now: Timestamp
  private let collector: any CatalogCollector
  private var places: [String: Int] = [:]
  private var width = 0
  private var faults = CatalogFaults()
  /// The business whose rows are being read, and the line of its first one.
  private var current: (business: Business, line: Int)?
  /// The businesses whose first row had a fault.
  private var faulty: Set<String> = []

  /// Reads a whole file; see `CatalogFormat.read`.
  static func read(
    _ bytes: ByteReader, rules: BusinessRules, now: Timestamp, into collector: any CatalogCollector
  ) throws {
    var reader = CSVReader(bytes)
    var catalog = CatalogCSV(rules: rules, now: now, collector: collector)
    var header = try reader.next() ?? []
    if isSeparatorNote(header) { header = try reader.next() ?? [] }
    if catalog.check(header) {
      while let record = try reader.next() { try catalog.add(record) }
      try catalog.keepCurrent()
    }
    let faults = catalog.faults.merged(with: reader.faults)
    guard faults.count == 0 else { throw faults }
  }

  private init(rules: BusinessRules, now: Timestamp, collector: any CatalogCollector) {
    self.rules = rules
    self.now = now
    self.collector = collector
  }

  // MARK: Header

  /// Whether it is the line `sep=,` before the header, by which Excel knows the separator.
  private static func isSeparatorNote(_ record: [CSVField]) -> Bool {
    record.count == 2 && record[0].text.lowercased() == "sep=" && record[1].text.isEmpty
  }

  private mutating func check(_ record: [CSVField]) -> Bool {
    // A spreadsheet writes as many columns as any of its rows ever had.
    let header = record.droppingLast { $0.text.isEmpty }
    width = header.count
    if header.count <= 2,
      let field = header.first(where: { $0.text.contains { ";\t".contains($0) } })
    {
      // The one cause of every column that would be missing.
      report(field, "", objection(toColumn: field.text))
      return false
    }
    for (index, field) in header.enumerated() {
      if !Self.columns.contains(field.text) {
        report(field, "", objection(toColumn: field.text))
      } else if places.updateValue(index, forKey: field.text) != nil {
        report(field, field.text, "This column is there already.")
      }
    }
    for column in Self.required where !header.contains(where: { $0.text == column }) {
      faults.add(
        CatalogFault(
          line: header.first?.line ?? 1, column: 1, field: column,
          message: "This column is missing; the first row has to name the columns."))
    }
    return faults.count == 0
  }

  private func objection(toColumn name: String) -> String {
    if let separator = [";", "\t"].first(where: name.contains) {
      return "The columns are separated by \(separator == "\t" ? "tabs" : "semicolons"); "
        + "export them separated by commas."
    }
    let meant = nearest(to: name, in: Self.columns, limit: 1).first
    return "There is no column of this name"
      + (meant.map { "; did you mean \($0)?" }
        ?? ". Columns are separated by commas; there are \(Self.columns.joined(separator: ",")).")
  }

  // MARK: Rows

  private mutating func add(_ record: [CSVField]) throws {
    guard let row = row(record), let idField = row["business_id"] else { return }
    let id = idField.text
    guard !id.isEmpty else {
      report(idField, "business_id", "This is missing; each row names its business.")
      return
    }
    if current?.business.id != id {
      try keepCurrent()
      current = try Business.isID(id) ? collector.find(id) : nil
    }
    if let first = current {
      checkRepeat(row, first: first.business, line: first.line)
      if let product = product(row) { addProduct(product, idField) }
    } else if faulty.contains(id) {
      _ = product(row)
    } else if let business = business(row) {
      current = (business, idField.line)
    } else if Business.isID(id) {
      faulty.insert(id)
    }
  }

  /// The record with its columns' names; nil, and reported, where it cannot be one of this file.
  private mutating func row(_ record: [CSVField]) -> Row? {
    let fields = record.droppingLast { $0.text.isEmpty }
    // Spreadsheets may leave out empty fields at a row's end. Where one of those that every row
    // needs is missing, the row was rather broken in two.
    let isBroken = places.contains { column, place in
      place >= record.count && (column == "business_id" || column.hasPrefix("commission_"))
    }
    guard !isBroken, fields.count <= width else {
      report(
        record[0], "", "This row has \(record.count) fields, the first row has \(width).")
      return nil
    }
    let (line, column) = (record[0].line, record[0].column)
    let padding = repeatElement(
      CSVField(text: "", line: line, column: column), count: max(0, width - record.count))
    let meant = record.map { field in
      var field = field
      field.text = SpreadsheetGuard.unguarded(field.text)
      return field
    }
    return Row(fields: meant + padding, places: places)
  }

  /// Hands the business whose rows have ended to the collector.
  private mutating func keepCurrent() throws {
    if let (business, line) = current { try collector.put(business, line: line) }
    current = nil
  }

  private mutating func addProduct(_ product: Product, _ idField: CSVField) {
    if (current?.business.products.count ?? 0) < BusinessRules.productCount {
      current?.business.products.append(product)
    } else {
      report(
        idField, "business_id",
        "A business may have \(BusinessRules.productCount) products at most.")
    }
  }

  private mutating func business(_ row: Row) -> Business? {
    let before = faults.count
    let id = value(row, "business_id", BusinessRules.id)
    let name = needed(row, "name", BusinessRules.name)
    let aliases = value(row, "aliases", BusinessRules.aliasList)
    let category = needed(row, "category", BusinessRules.category)
    let imageURL = value(row, "image_url", BusinessRules.url)
    let url = value(row, "url", BusinessRules.url)
    let program = value(row, "program_name", BusinessRules.line)
    let cases = value(row, "display_allowed_cases", BusinessRules.text)
    let caution = value(row, "display_caution", BusinessRules.text)
    let isActive = value(row, "active", BusinessRules.truth)
    let product = product(row)
    guard faults.count == before, let id, let name, let category, let product else { return nil }
    return Business(
      id: id, name: name, aliases: aliases ?? [], category: category, imageURL: imageURL, url: url,
      programName: program, displayAllowedCases: cases, displayCaution: caution,
      isActive: isActive ?? true, products: [product], updatedAt: now)
  }

  private mutating func product(_ row: Row) -> Product? {
    let before = faults.count
    let target = value(row, "target", BusinessRules.line)
    let start = value(row, "starts_at", BusinessRules.time)
    let end = value(row, "ends_at", BusinessRules.time)
    if let start, let end, end <= start, let field = row["ends_at"] {
      report(field, "ends_at", BusinessRules.endBeforeStart)
    }
    let type = needed(row, "commission_type", BusinessRules.commissionType)
    let unit = needed(row, "commission_unit", BusinessRules.unit)
    let commission = needed(row, "commission_amount") { rules in
      { text throws(BusinessRules.Objection) in try rules.commission(text, unit ?? .won) }
    }
    guard faults.count == before, let type, let commission else { return nil }
    return Product(
      target: target, startsAt: start, endsAt: end, commissionType: type, commission: commission)
  }

  /// A later row of a business only adds a product; where it repeats the business, it has to agree.
  private mutating func checkRepeat(_ row: Row, first: Business, line: Int) {
    func check<Value: Equatable>(
      _ column: String, _ said: Value?,
      _ rule: (BusinessRules) -> (String) throws(BusinessRules.Objection) -> Value
    ) {
      guard let repeated = value(row, column, rule), repeated != said, let field = row[column]
      else { return }
      report(
        field, column,
        "Line \(line) says something else of this business. Leave it empty: later rows only add "
          + "products.")
    }
    check("name", first.name, BusinessRules.name)
    check("aliases", first.aliases, BusinessRules.aliasList)
    check("category", first.category, BusinessRules.category)
    check("image_url", first.imageURL, BusinessRules.url)
    check("url", first.url, BusinessRules.url)
    check("program_name", first.programName, BusinessRules.line)
    check("display_allowed_cases", first.displayAllowedCases, BusinessRules.text)
    check("display_caution", first.displayCaution, BusinessRules.text)
    check("active", first.isActive, BusinessRules.truth)
  }

  // MARK: Fields

  /// Reads a field that may be empty.
  private mutating func value<Value>(
    _ row: Row, _ column: String,
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

  private mutating func needed<Value>(
    _ row: Row, _ column: String,
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

extension Array {
  /// What is left without those elements at the end that are alike.
  fileprivate func droppingLast(where isEmpty: (Element) -> Bool) -> ArraySlice<Element> {
    prefix((lastIndex { !isEmpty($0) } ?? -1) + 1)
  }
}
