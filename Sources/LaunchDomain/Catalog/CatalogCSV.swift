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
  /// The columns that are a business's own and not its product's.
  private static let ownColumns = columns[1...9]

  private let rules: BusinessRules
  private let now: Timestamp
  private var faults = CatalogFaults()
  private var businesses: [Business] = []
  /// Each business that a row was read for: where it is, if it was right, and what its row says.
  private var known: [String: (index: Int?, line: Int, row: [String: CSVField])] = [:]

  /// Reads a whole file.
  ///
  /// - Parameters:
  ///   - bytes: UTF-8, with or without a byte order mark.
  ///   - categories: the keys that `category` may hold.
  ///   - now: taken for the time of change.
  /// - Returns: the businesses in the order of their first rows.
  /// - Throws: `CatalogFaults` with everything that is wrong.
  public static func businesses(
    in bytes: [UInt8], categories: [String], now: Timestamp
  ) throws(CatalogFaults) -> [Business] {
    var reader = CSVReader(bytes)
    var catalog = CatalogCSV(rules: BusinessRules(categories: categories), now: now)
    let header = reader.next() ?? []
    if catalog.check(header) {
      while let record = reader.next() { catalog.add(record, header: header) }
    }
    let faults = catalog.faults.merged(with: reader.faults)
    guard faults.count == 0 else { throw faults }
    return catalog.businesses
  }

  private init(rules: BusinessRules, now: Timestamp) {
    self.rules = rules
    self.now = now
  }

  // MARK: Header

  private mutating func check(_ header: [CSVField]) -> Bool {
    for (index, field) in header.enumerated() {
      if !Self.columns.contains(field.text) {
        let meant = nearest(to: field.text, in: Self.columns, limit: 1).first
        report(
          field, "",
          "There is no column of this name"
            + (meant.map { "; did you mean \($0)?" }
              ?? ". Columns are separated by commas; there are \(Self.columns.joined(separator: ",")).")
        )
      } else if header[..<index].contains(where: { $0.text == field.text }) {
        report(field, field.text, "This column is there already.")
      }
    }
    for column in Self.required where !header.contains(where: { $0.text == column }) {
      faults.add(
        CatalogFault(
          place: .text(line: 1, column: 1), field: column,
          message: "This column is missing; the first row has to name the columns."))
    }
    return faults.count == 0
  }

  // MARK: Rows

  private mutating func add(_ record: [CSVField], header: [CSVField]) {
    guard record.count == header.count else {
      report(
        record[0], "", "This row has \(record.count) fields, the first row has \(header.count).")
      return
    }
    var row: [String: CSVField] = [:]
    for (name, field) in zip(header, record) { row[name.text] = field }
    guard let idField = row["business_id"] else { return }
    guard !idField.text.isEmpty else {
      report(idField, "business_id", "This is missing; each row names its business.")
      return
    }
    if let first = known[idField.text] {
      checkRepeat(row, first: first.row, line: first.line)
      if let product = product(row), let index = first.index {
        if businesses[index].products.count < BusinessRules.productCount {
          businesses[index].products.append(product)
        } else {
          report(
            idField, "business_id",
            "A business may have \(BusinessRules.productCount) products at most.")
        }
      }
      return
    }
    let business = business(row)
    if let business { businesses.append(business) }
    known[idField.text] = (business == nil ? nil : businesses.count - 1, idField.line, row)
  }

  private mutating func business(_ row: [String: CSVField]) -> Business? {
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

  private mutating func product(_ row: [String: CSVField]) -> Product? {
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
  private mutating func checkRepeat(
    _ row: [String: CSVField], first: [String: CSVField], line: Int
  ) {
    for column in Self.ownColumns {
      guard let field = row[column], !field.text.isEmpty, let said = first[column],
        !field.text.utf8.elementsEqual(said.text.utf8)
      else { continue }
      report(
        field, column,
        "Line \(line) says something else of this business. Leave it empty: later rows only add "
          + "products.")
    }
  }

  // MARK: Fields

  /// Reads a field that may be empty.
  private mutating func value<Value>(
    _ row: [String: CSVField], _ column: String,
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
    _ row: [String: CSVField], _ column: String,
    _ rule: (BusinessRules) -> (String) throws(BusinessRules.Objection) -> Value
  ) -> Value? {
    if let field = row[column], field.text.isEmpty { report(field, column, "This is missing.") }
    return value(row, column, rule)
  }

  private mutating func report(_ field: CSVField, _ column: String, _ message: String) {
    faults.add(
      CatalogFault(
        place: .text(line: field.line, column: field.column), field: column, message: message))
  }
}
