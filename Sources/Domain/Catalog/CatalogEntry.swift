/// What a catalogue file says about an optional part of a business.
public enum Mention<Value: Sendable & Equatable>: Sendable, Equatable {
  /// Nothing; the part stays as it is.
  case unnamed
  /// It is erased, by an empty cell or `null`.
  case erased
  /// It has this value.
  case value(Value)

  /// The value; nil where none was given.
  public var value: Value? { applied(to: nil) }

  /// The value after the change.
  func applied(to old: Value?) -> Value? {
    switch self {
    case .unnamed: old
    case .erased: nil
    case .value(let value): value
    }
  }
}

/// What a catalogue file says about one business; what it does not name stays as it is.
public struct CatalogEntry: Sendable, Equatable {
  /// The business.
  public let id: String
  /// What people call it; nil where the file does not say.
  public var name: String?
  /// All aliases; nil where the file does not say.
  public var aliases: [String]?
  /// The category's key; nil where the file does not say.
  public var category: String?
  /// Where its picture is.
  public var imageURL = Mention<String>.unnamed
  /// Where the shop is.
  public var url = Mention<String>.unnamed
  /// The cashback program's name.
  public var programName = Mention<String>.unnamed
  /// In which cases cashback is paid.
  public var displayAllowedCases = Mention<String>.unnamed
  /// What users have to pay attention to.
  public var displayCaution = Mention<String>.unnamed
  /// Whether it can be launched; true for a new business where the file does not say.
  public var isActive = Mention<Bool>.unnamed
  /// All products, the main one first; nil where the file does not say.
  public var products: [ProductEntry]?
  /// The line of the file where the entry begins, the first being 1; its column counts likewise.
  public let line: Int
  /// See `line`.
  public let column: Int

  /// Makes an entry that names the business and nothing else.
  public init(id: String, line: Int = 1, column: Int = 1) {
    (self.id, self.line, self.column) = (id, line, column)
  }

  /// Makes an entry that names every part of a business.
  public init(_ business: Business) {
    self.init(id: business.id)
    (name, aliases, category) = (business.name, business.aliases, business.category)
    imageURL = Mention(business.imageURL)
    url = Mention(business.url)
    programName = Mention(business.programName)
    displayAllowedCases = Mention(business.displayAllowedCases)
    displayCaution = Mention(business.displayCaution)
    isActive = .value(business.isActive)
    products = business.products.map { ProductEntry($0) }
  }

  /// Whether the entry is complete, so that `merged(into:now:)` cannot fail.
  public var isComplete: Bool {
    name != nil && category != nil && (products?.allSatisfy(\.isComplete) ?? false)
  }

  /// The business after the entry is applied; `predecessors(of:)` says which product is which.
  ///
  /// - Parameters:
  ///   - old: the business as it is in the catalogue; nil where it is new.
  ///   - now: becomes the time of the last change.
  /// - Returns: the whole business.
  /// - Throws: `CatalogFaults` where a new business or product lacks what it needs, or where the
  ///   entry does not go with what stays.
  public func merged(into old: Business?, now: Timestamp) throws(CatalogFaults) -> Business {
    guard let name = name ?? old?.name, let category = category ?? old?.category,
      products != nil || old != nil
    else { throw CatalogFaults(lack) }
    var faults = CatalogFaults()
    var merged = old?.products ?? []
    if let products {
      let known = merged
      merged = []
      for (product, place) in zip(products, known.predecessors(of: products.map(\.target))) {
        let kept = place.map { known[$0] }
        do throws(CatalogFault) {
          merged.append(try product.merged(into: kept, of: id))
        } catch {
          faults.add(error)
        }
      }
    }
    guard faults.count == 0 else { throw faults }
    return Business(
      id: id, name: name, aliases: aliases ?? old?.aliases ?? [], category: category,
      imageURL: imageURL.applied(to: old?.imageURL), url: url.applied(to: old?.url),
      programName: programName.applied(to: old?.programName),
      displayAllowedCases: displayAllowedCases.applied(to: old?.displayAllowedCases),
      displayCaution: displayCaution.applied(to: old?.displayCaution),
      isActive: isActive.applied(to: old?.isActive) ?? true, products: merged, updatedAt: now)
  }

  /// The parts that a new business lacks, in one fault.
  private var lack: CatalogFault {
    let missing = [
      name == nil ? "name" : nil, category == nil ? "category" : nil,
      products == nil ? "products (in CSV the columns commission_…)" : nil,
    ]
    return CatalogFault(
      line: line, column: column, field: "",
      message: "\(id) is not in the catalogue, and a new business needs "
        + missing.compactMap(\.self).joined(separator: ", ") + "; the file says nothing of that.")
  }
}

/// What a catalogue file says about one product.
public struct ProductEntry: Sendable, Equatable {
  /// Who or what is paid for.
  public var target = Mention<String>.unnamed
  /// From when.
  public var startsAt = Mention<Timestamp>.unnamed
  /// Until when.
  public var endsAt = Mention<Timestamp>.unnamed
  /// What the commission is paid for; nil where the file does not say.
  public var commissionType: CommissionType?
  /// A decimal number; nil where the file does not say.
  public var commissionAmount: String?
  /// What the amount counts; nil where the file does not say.
  public var commissionUnit: Commission.Unit?
  /// The line of the file that it is on, the first being 1.
  public let line: Int

  /// Makes an entry without any part.
  public init(line: Int) {
    self.line = line
  }

  /// Makes an entry that names every part of a product.
  public init(_ product: Product, line: Int = 1) {
    self.line = line
    target = Mention(product.target)
    startsAt = Mention(product.startsAt)
    endsAt = Mention(product.endsAt)
    commissionType = product.commissionType
    commissionAmount = product.commission.amount
    commissionUnit = product.commission.unit
  }

  /// Whether every part is named.
  var isComplete: Bool {
    target != .unnamed && startsAt != .unnamed && endsAt != .unnamed && commissionType != nil
      && commissionAmount != nil && commissionUnit != nil
  }

  func merged(into old: Product?, of id: String) throws(CatalogFault) -> Product {
    guard let type = commissionType ?? old?.commissionType,
      let amount = commissionAmount ?? old?.commission.amount,
      let unit = commissionUnit ?? old?.commission.unit
    else {
      throw fault(
        "",
        "\(id) has no such product yet, and a new one needs "
          + "\(missing.joined(separator: ", ")); the file lacks these columns.")
    }
    guard let commission = Commission(amount: amount, unit: unit) else {
      throw fault(
        commissionAmount == nil ? "commission_unit" : "commission_amount",
        "\(amount) does not go with \(unit.rawValue): a percentage is 100 at most.")
    }
    let start = startsAt.applied(to: old?.startsAt)
    let end = endsAt.applied(to: old?.endsAt)
    if let start, let end, end <= start {
      throw fault("ends_at", BusinessRules.endBeforeStart + " It lasts from \(start) to \(end).")
    }
    return Product(
      target: target.applied(to: old?.target), startsAt: start, endsAt: end, commissionType: type,
      commission: commission)
  }

  private var missing: [String] {
    [
      commissionType == nil ? "commission_type" : nil,
      commissionAmount == nil ? "commission_amount" : nil,
      commissionUnit == nil ? "commission_unit" : nil,
    ].compactMap(\.self)
  }

  private func fault(_ field: String, _ message: String) -> CatalogFault {
    CatalogFault(line: line, column: 1, field: field, message: message)
  }
}

extension Mention {
  /// Makes the mention of a part's value, `erased` where there is none.
  fileprivate init(_ value: Value?) {
    self = value.map(Mention.value) ?? .erased
  }
}
