internal import JSON

/// Reads a catalogue that is a JSON array of businesses as the API writes them (README.md, "Catalogue files").
struct CatalogJSON: CatalogReading {
  private static let members = [
    "business_id", "name", "aliases", "category", "image_url", "url", "program_name",
    "display_allowed_cases", "display_caution", "active", "products", "updated_at",
  ]
  private static let productMembers = [
    "target", "starts_at", "ends_at", "commission_type", "commission",
  ]

  var rules: BusinessRules
  private var element = JSONElement()
  var faults = CatalogFaults()
  /// The businesses that had a fault, and their lines.
  private var faulty: [String: Int] = [:]

  /// Reads a whole file; see `CatalogFormat.read`.
  static func read(
    _ bytes: ByteReader, rules: BusinessRules, into collector: any CatalogCollector
  ) throws {
    var elements = JSONElements(bytes)
    var catalog = CatalogJSON(rules: rules)
    do {
      var index = 0
      while let element = try elements.next() {
        try catalog.add(element, at: "/\(index)", to: collector)
        index += 1
      }
    } catch let fault as CatalogFault {
      // After a syntax error nothing is certain.
      catalog.faults.add(fault)
    }
    guard catalog.faults.count == 0 else { throw catalog.faults }
  }

  private init(rules: BusinessRules) {
    self.rules = rules
  }

  private mutating func add(
    _ element: JSONElement, at place: String, to collector: any CatalogCollector
  ) throws {
    self.element = element
    let item = try element.parsed()
    let id = item["business_id"]?.stringValue
    if let id, Business.isID(id), let line = try collector.find(id)?.line ?? faulty[id] {
      report("\(place)/business_id", "This business is there already, in line \(line).")
    }
    let before = faults.count
    if let entry = try reading(id ?? "", collector, { $0.entry(item, at: place) }) {
      if before == faults.count { try collector.put(entry) }
    } else if let id, Business.isID(id) {
      faulty[id] = element.line
    }
  }

  private mutating func entry(_ item: JSON, at place: String) -> CatalogEntry? {
    let before = faults.count
    guard checkMembers(of: item, at: place, known: Self.members, ignored: ["match"]) else {
      return nil
    }
    let id = needed(item, "business_id", place, BusinessRules.id) ?? ""
    var entry = CatalogEntry(id: id, line: element.line, column: element.column)
    entry.name = essential(item, "name", place, BusinessRules.name)
    entry.aliases = aliases(item, at: place)
    entry.category = essential(item, "category", place, BusinessRules.category)
    entry.imageURL = mention(item, "image_url", place, BusinessRules.url)
    entry.url = mention(item, "url", place, BusinessRules.url)
    entry.programName = mention(item, "program_name", place, BusinessRules.line)
    entry.displayAllowedCases = mention(item, "display_allowed_cases", place, BusinessRules.text)
    entry.displayCaution = mention(item, "display_caution", place, BusinessRules.text)
    entry.isActive = truth(item, "active", place)
    entry.products = products(item, at: place)
    return faults.count == before ? entry : nil
  }

  private mutating func products(_ item: JSON, at place: String) -> [ProductEntry]? {
    guard let value = item["products"] else { return nil }
    guard let items = value.arrayValue, !items.isEmpty else {
      report("\(place)/products", "This has to be an array of at least one product.")
      return nil
    }
    guard items.count <= BusinessRules.productCount else {
      report(
        "\(place)/products", "A business may have \(BusinessRules.productCount) products at most.")
      return nil
    }
    var products: [ProductEntry] = []
    for (index, item) in items.enumerated() {
      if let product = product(item, at: "\(place)/products/\(index)") { products.append(product) }
    }
    return products
  }

  /// A product is always complete: a member that is absent means that the part is absent.
  private mutating func product(_ item: JSON, at place: String) -> ProductEntry? {
    guard checkMembers(of: item, at: place, known: Self.productMembers) else { return nil }
    let target = text(item, "target", place, BusinessRules.line)
    let start = text(item, "starts_at", place, BusinessRules.time)
    let end = text(item, "ends_at", place, BusinessRules.time)
    if let start, let end, end <= start {
      report("\(place)/ends_at", BusinessRules.endBeforeStart)
    }
    let type = needed(item, "commission_type", place, BusinessRules.commissionType)
    guard let commission = commission(item["commission"], at: "\(place)/commission"), let type
    else {
      return nil
    }
    return ProductEntry(
      Product(
        target: target, startsAt: start, endsAt: end, commissionType: type, commission: commission),
      line: element.line)
  }

  private mutating func commission(_ item: JSON?, at place: String) -> Commission? {
    guard checkMembers(of: item ?? .null, at: place, known: ["amount", "unit"]), let item else {
      return nil
    }
    let unit = needed(item, "unit", place, BusinessRules.unit)
    return needed(item, "amount", place) { rules in
      { text throws(BusinessRules.Objection) in try rules.commission(text, unit ?? .won) }
    }
  }

  private mutating func aliases(_ item: JSON, at place: String) -> [String]? {
    guard let value = item["aliases"] else { return nil }
    if value.isNull { return [] }
    let texts = value.arrayValue?.compactMap(\.stringValue) ?? []
    guard let count = value.arrayValue?.count, texts.count == count else {
      report("\(place)/aliases", "This has to be an array of strings.")
      return nil
    }
    do throws(BusinessRules.Objection) {
      return try rules.aliases(texts)
    } catch {
      report("\(place)/aliases", error.message)
      return nil
    }
  }

  // MARK: Members

  /// `ignored` are members of an API answer that are not part of a business, such as how a search
  /// found it.
  private mutating func checkMembers(
    of item: JSON, at place: String, known: [String], ignored: [String] = []
  ) -> Bool {
    guard let members = item.objectValue else {
      report(place, "This has to be an object with \(known.joined(separator: ", ")).")
      return false
    }
    for member in members where !known.contains(member.name) && !ignored.contains(member.name) {
      let meant = nearest(to: member.name, in: known, limit: 1).first
      report(
        "\(place)/\(Self.escaped(member.name))",
        "There is no member of this name" + (meant.map { "; did you mean \($0)?" } ?? "."))
    }
    return true
  }

  /// Reads a string that may be absent or null.
  private mutating func text<Value>(
    _ item: JSON, _ name: String, _ place: String,
    _ rule: (BusinessRules) -> (String) throws(BusinessRules.Objection) -> Value
  ) -> Value? {
    guard let value = item[name], !value.isNull else { return nil }
    guard let text = value.stringValue else {
      report("\(place)/\(name)", "This has to be a string.")
      return nil
    }
    do throws(BusinessRules.Objection) {
      return try rule(rules)(text)
    } catch {
      report("\(place)/\(name)", error.message)
      return nil
    }
  }

  /// Reads a string that may be absent, which leaves the part as it is, or null, which erases it.
  private mutating func mention<Value>(
    _ item: JSON, _ name: String, _ place: String,
    _ rule: (BusinessRules) -> (String) throws(BusinessRules.Objection) -> Value
  ) -> Mention<Value> {
    guard let value = item[name] else { return .unnamed }
    return value.isNull ? .erased : text(item, name, place, rule).map(Mention.value) ?? .unnamed
  }

  /// Reads a string that may be absent, which leaves the part as it is, but not null.
  private mutating func essential<Value>(
    _ item: JSON, _ name: String, _ place: String,
    _ rule: (BusinessRules) -> (String) throws(BusinessRules.Objection) -> Value
  ) -> Value? {
    item[name] == nil ? nil : needed(item, name, place, rule)
  }

  private mutating func needed<Value>(
    _ item: JSON, _ name: String, _ place: String,
    _ rule: (BusinessRules) -> (String) throws(BusinessRules.Objection) -> Value
  ) -> Value? {
    if item[name]?.isNull ?? true { report("\(place)/\(name)", "This is missing.") }
    return text(item, name, place, rule)
  }

  private mutating func truth(_ item: JSON, _ name: String, _ place: String) -> Mention<Bool> {
    guard let value = item[name] else { return .unnamed }
    if value.isNull { return .erased }
    guard let isTrue = value.boolValue else {
      report("\(place)/\(name)", "This has to be true or false.")
      return .unnamed
    }
    return .value(isTrue)
  }

  private mutating func report(_ pointer: String, _ message: String) {
    // A fault beyond the limit is only counted and needs no position.
    let isKept = faults.count < CatalogFaults.limit
    let (line, column) = isKept ? element.place(of: pointer) : (element.line, element.column)
    faults.add(CatalogFault(line: line, column: column, field: pointer, message: message))
  }

  /// A member's name in a JSON Pointer (RFC 6901 section 3), shortened and without control
  /// characters.
  private static func escaped(_ name: String) -> String {
    var result = ""
    for scalar in name.unicodeScalars.prefix(60) {
      switch scalar {
      case "~": result += "~0"
      case "/": result += "~1"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result.withUnseenEscaped
  }
}
