/// An admin's edit of one business, each part as text; a part that is nil was not given.
///
/// An empty text removes an optional part.
public struct BusinessEdit: Sendable {
  /// The name.
  public var name: String?
  /// All aliases, replacing the present ones.
  public var aliases: [String]?
  /// Aliases to add to the present ones.
  public var addedAliases: [String] = []
  /// Aliases to remove from the present ones; each has to be among them.
  public var removedAliases: [String] = []
  /// A category's key.
  public var category: String?
  /// Where its picture is.
  public var imageURL: String?
  /// Where the shop is.
  public var url: String?
  /// The cashback program's name.
  public var programName: String?
  /// In which cases cashback is paid.
  public var displayAllowedCases: String?
  /// What users have to pay attention to.
  public var displayCaution: String?
  /// Whether it can be launched.
  public var isActive: Bool?
  /// The number of the product that the parts below belong to, from 1; one past the last adds a
  /// product.
  public var productNumber = 1
  /// Who or what is paid for.
  public var target: String?
  /// From when, as in RFC 3339.
  public var startsAt: String?
  /// Until when, as in RFC 3339.
  public var endsAt: String?
  /// What the commission is paid for.
  public var commissionType: CommissionType?
  /// A decimal number.
  public var commissionAmount: String?
  /// What the amount counts.
  public var commissionUnit: Commission.Unit?

  /// Makes an edit without any part.
  public init() {}

  /// A part that does not fit, such as `commission_amount`, and why.
  public struct Objection: Sendable, Equatable {
    /// The part's name in a catalogue file.
    public let field: String
    /// What is wrong and what to do.
    public let message: String
  }

  /// The parts that do not fit; never empty.
  public struct Objections: Error, Sendable, Equatable {
    /// The faults, in the order of the columns of a catalogue file.
    public let all: [Objection]
  }

  /// Whether no part is given.
  public var isEmpty: Bool {
    name == nil && aliases == nil && addedAliases.isEmpty && removedAliases.isEmpty
      && category == nil && imageURL == nil && url == nil
      && programName == nil && displayAllowedCases == nil && displayCaution == nil
      && isActive == nil && !namesProduct
  }

  /// Whether a part of a product is given.
  public var namesProduct: Bool {
    target != nil || startsAt != nil || endsAt != nil || commissionType != nil
      || commissionAmount != nil || commissionUnit != nil
  }

  /// Makes a new business, by the rules that hold for catalogue files.
  ///
  /// - Parameters:
  ///   - id: its id.
  ///   - categories: the keys that `category` may hold.
  /// - Returns: the business; the store sets the time of its change.
  /// - Throws: `Objections` with everything that does not fit.
  public func business(id: String, categories: [String]) throws(Objections) -> Business {
    var business = Business(
      id: id, name: "", category: "", products: [], updatedAt: Timestamp(seconds: 0))
    var check = EditCheck(BusinessRules(categories: categories))
    check.take("business_id", id, BusinessRules.id) { _ in }
    if name == nil { check.report("name", "This is missing.") }
    if category == nil { check.report("category", "This is missing.") }
    apply(to: &business, &check)
    try check.finish()
    return business
  }

  /// Changes the given parts of a business, or none where one does not fit, by the rules for
  /// catalogue files; `categories` are the keys that `category` may hold.
  public func apply(to business: inout Business, categories: [String]) throws(Objections) {
    var check = EditCheck(BusinessRules(categories: categories))
    var changed = business
    apply(to: &changed, &check)
    try check.finish()
    business = changed
  }

  private func apply(to business: inout Business, _ check: inout EditCheck) {
    check.take("name", name, BusinessRules.name) { business.name = $0 }
    check.take("aliases", aliases, BusinessRules.aliases) { business.aliases = $0 }
    for alias in removedAliases {
      if let index = business.aliases.firstIndex(of: alias) {
        business.aliases.remove(at: index)
      } else {
        let meant = nearest(to: alias, in: business.aliases, limit: 1).first
        check.report(
          "remove_alias",
          "The business has no such alias" + (meant.map { "; did you mean \($0)?" } ?? "."))
      }
    }
    if !addedAliases.isEmpty {
      check.take("add_alias", business.aliases + addedAliases, BusinessRules.aliases) {
        business.aliases = $0
      }
    }
    check.take("category", category, BusinessRules.category) { business.category = $0 }
    check.takeOrClear("image_url", imageURL, BusinessRules.url) { business.imageURL = $0 }
    check.takeOrClear("url", url, BusinessRules.url) { business.url = $0 }
    check.takeOrClear("program_name", programName, BusinessRules.line) {
      business.programName = $0
    }
    check.takeOrClear("display_allowed_cases", displayAllowedCases, BusinessRules.text) {
      business.displayAllowedCases = $0
    }
    check.takeOrClear("display_caution", displayCaution, BusinessRules.text) {
      business.displayCaution = $0
    }
    business.isActive = isActive ?? business.isActive
    if namesProduct || business.products.isEmpty { applyProduct(to: &business, &check) }
  }

  private func applyProduct(to business: inout Business, _ check: inout EditCheck) {
    let limit = min(business.products.count + 1, BusinessRules.productCount)
    guard (1...limit).contains(productNumber) else {
      check.report("product", "This has to be from 1 to \(limit).")
      return
    }
    let old =
      productNumber <= business.products.count ? business.products[productNumber - 1] : nil
    var (start, end) = (old?.startsAt, old?.endsAt)
    var target = old?.target
    check.takeOrClear("target", self.target, BusinessRules.line) { target = $0 }
    check.takeOrClear("starts_at", startsAt, BusinessRules.time) { start = $0 }
    check.takeOrClear("ends_at", endsAt, BusinessRules.time) { end = $0 }
    if let start, let end, end <= start { check.report("ends_at", BusinessRules.endBeforeStart) }
    let type = commissionType ?? old?.commissionType
    if type == nil { check.report("commission_type", "This is missing.") }
    let amount = commissionAmount ?? old?.commission.amount
    if amount == nil { check.report("commission_amount", "This is missing.") }
    let unit = commissionUnit ?? old?.commission.unit
    if unit == nil { check.report("commission_unit", "This is missing.") }
    var commission: Commission?
    check.take("commission_amount", amount) { rules in
      { text throws(BusinessRules.Objection) in try rules.commission(text, unit ?? .won) }
    } set: {
      commission = $0
    }
    guard let type, let commission else { return }
    let product = Product(
      target: target, startsAt: start, endsAt: end, commissionType: type, commission: commission)
    if old == nil {
      business.products.append(product)
    } else {
      business.products[productNumber - 1] = product
    }
  }
}

/// Checks an edit's parts against the rules and collects the faults.
private struct EditCheck {
  private let rules: BusinessRules
  private var faults: [BusinessEdit.Objection] = []

  init(_ rules: BusinessRules) {
    self.rules = rules
  }

  mutating func report(_ field: String, _ message: String) {
    faults.append(BusinessEdit.Objection(field: field, message: message))
  }

  /// Sets a part that is given.
  mutating func take<Written, Value>(
    _ field: String, _ written: Written?,
    _ rule: (BusinessRules) -> (Written) throws(BusinessRules.Objection) -> Value,
    set: (Value) -> Void
  ) {
    guard let written else { return }
    do throws(BusinessRules.Objection) {
      set(try rule(rules)(written))
    } catch {
      report(field, error.message)
    }
  }

  /// Sets a part that is given; an empty text removes it.
  mutating func takeOrClear<Value>(
    _ field: String, _ text: String?,
    _ rule: (BusinessRules) -> (String) throws(BusinessRules.Objection) -> Value,
    set: (Value?) -> Void
  ) {
    if text?.isEmpty == true { return set(nil) }
    take(field, text, rule) { set($0) }
  }

  func finish() throws(BusinessEdit.Objections) {
    if !faults.isEmpty { throw BusinessEdit.Objections(all: faults) }
  }
}
