/// A part of a business that a change removes without replacement.
public struct CatalogErasure: Sendable, Equatable {
  /// The API's name of the part, such as `aliases`, `url` or `products`.
  public let field: String
  /// What is removed, for people: each alias or product, or the text.
  public let values: [String]
}

extension CatalogEntry {
  /// What is removed from a business `old` where this entry turns it into `new`.
  func erasures(from old: Business, to new: Business) -> [CatalogErasure] {
    var found: [CatalogErasure] = []
    func compare(_ field: String, _ old: [String], _ isErased: Bool = true) {
      if isErased, !old.isEmpty { found.append(CatalogErasure(field: field, values: old)) }
    }
    func compare(_ field: String, _ old: String?, _ new: String?) {
      compare(field, old.map { [$0] } ?? [], new == nil)
    }
    if old.aliases != new.aliases {
      let kept = Set(new.aliases)
      compare("aliases", old.aliases.filter { !kept.contains($0) })
    }
    compare("image_url", old.imageURL, new.imageURL)
    compare("url", old.url, new.url)
    compare("program_name", old.programName, new.programName)
    compare("display_allowed_cases", old.displayAllowedCases, new.displayAllowedCases)
    compare("display_caution", old.displayCaution, new.displayCaution)
    // Counted, so that an empty cell does not reactivate a business unnoticed.
    compare("active", ["false"], isActive == .erased && !old.isActive)
    compare("products", Product.erased(from: old.products, to: new.products))
    return found
  }
}

extension Product {
  /// The commission for people, such as `CPS 2.5 %` or `CPA 3000 KRW`.
  public var rate: String {
    let unit =
      switch commission.unit {
      case .percentage: "%"
      case .won: "KRW"
      }
    return "\(commissionType.rawValue) \(commission.amount) \(unit)"
  }

  /// The whole product in one line, for people.
  public var summary: String {
    let parts = [rate, target, startsAt.map { "from \($0)" }, endsAt.map { "until \($0)" }]
    return parts.compactMap(\.self).joined(separator: "  ")
  }

  /// What replacing products removes, in words: whole products, and parts of those that have a
  /// successor.
  fileprivate static func erased(from old: [Product], to new: [Product]) -> [String] {
    guard old != new else { return [] }
    // Unchanged products may have another position.
    var changed = new
    let left = old.filter { product in
      guard let index = changed.firstIndex(of: product) else { return true }
      changed.remove(at: index)
      return false
    }
    let places = left.predecessors(of: changed)
    var found: [String] = []
    for (index, product) in left.enumerated() {
      guard let place = places.firstIndex(of: index) else {
        found.append(product.summary)
        continue
      }
      let next = changed[place]
      let parts = [
        ("target", product.target, next.target),
        ("starts_at", product.startsAt?.description, next.startsAt?.description),
        ("ends_at", product.endsAt?.description, next.endsAt?.description),
      ]
      for case (let name, let value?, nil) in parts {
        found.append("\(name) \(value) of \(product.rate)")
      }
    }
    return found
  }
}

extension [Product] {
  /// The index of the product here that each new one succeeds.
  ///
  /// Where the targets on each side are distinct (no target counting as one), a new product
  /// succeeds the one with its target; one with a new target succeeds the one at its position,
  /// unless that has another successor. Otherwise it succeeds the one at its position.
  ///
  /// - Parameter targets: the targets of the new products; `unnamed` where the file does not say.
  /// - Returns: an index for each; nil for a product that is new.
  func predecessors(of targets: [Mention<String>]) -> [Int?] {
    let places = targets.indices.map { $0 < count ? $0 : nil }
    let (known, wanted) = (map(\.target), targets.map(\.value))
    guard Set(known).count == count, !targets.contains(.unnamed),
      Set(wanted).count == targets.count
    else { return places }
    let byTarget = wanted.map { known.firstIndex(of: $0) }
    return zip(byTarget, places).map { index, place in
      index ?? place.flatMap { byTarget.contains($0) ? nil : $0 }
    }
  }

  /// The index of the product here that each of `products` succeeds.
  func predecessors(of products: [Product]) -> [Int?] {
    predecessors(of: products.map { $0.target.map(Mention.value) ?? .erased })
  }

  /// How these products change, in words; removed ones are not named.
  func changes(to new: [Product]) -> [String] {
    guard self != new else { return [] }
    let found = zip(new, predecessors(of: new)).compactMap { product, index in
      guard let old = index.map({ self[$0] }) else { return "new: \(product.summary)" }
      return old == product ? nil : "\(old.summary) → \(product.summary)"
    }
    return found.isEmpty && count == new.count ? ["in another order"] : found
  }
}

/// What an import removes, business by business.
public struct CatalogLosses: Sendable {
  /// The most businesses that are kept to be shown.
  public static let limit = 50

  /// The changes that remove something, of the first businesses by ID.
  public private(set) var first: [CatalogChange] = []
  /// How many businesses lose a part.
  public private(set) var erased = 0
  /// How many businesses can no longer be launched.
  public private(set) var deactivated = 0
  /// How many businesses lose a part, can no longer be launched, or both.
  public private(set) var count = 0
  private var hasher = Hasher()

  /// Makes an account without losses.
  public init() {}

  /// Counts a change if it removes something.
  public mutating func add(_ change: CatalogChange) {
    guard change.takesAway else { return }
    count += 1
    if change.deactivates { deactivated += 1 }
    if !change.erasures.isEmpty { erased += 1 }
    if first.count < Self.limit { first.append(change) }
    hasher.combine(change.business.id)
    hasher.combine(change.deactivates)
    for erasure in change.erasures {
      hasher.combine(erasure.field)
      hasher.combine(erasure.values)
    }
  }

  /// Whether two imports remove the same.
  public func isSame(as other: CatalogLosses) -> Bool {
    count == other.count && hasher.finalize() == other.hasher.finalize()
  }
}
