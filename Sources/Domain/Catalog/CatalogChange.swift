/// What an import does to one business.
public struct CatalogChange: Sendable, Equatable {
  /// The kinds of change.
  public enum Kind: String, Sendable {
    /// It is new.
    case add
    /// It has other values than before.
    case change
    /// It is not in the file and is deactivated.
    case deactivate
  }

  /// The kind of change.
  public let kind: Kind
  /// The business after the change.
  public let business: Business
  /// The names of the fields that change, such as `name`; empty for a new business.
  public let fields: [String]
  /// How its products change, in words; removed ones are in `erasures`.
  public let products: [String]
  /// What the change removes.
  public let erasures: [CatalogErasure]
  /// Whether it can be launched before the change and not after it, because the file says so or
  /// lacks it.
  public let deactivates: Bool

  /// Makes the change that a file asks for; nil where the business is like that already.
  ///
  /// - Parameters:
  ///   - entry: what the file says.
  ///   - old: the business as it is in the catalogue; nil where it is new.
  ///   - now: the time of the change.
  /// - Throws: see `CatalogEntry.merged(into:now:)`.
  public init?(_ entry: CatalogEntry, to old: Business?, now: Timestamp) throws(CatalogFaults) {
    business = try entry.merged(into: old, now: now)
    kind = old == nil ? .add : .change
    fields = old.map(business.differences) ?? []
    products = old.map { [business] in $0.products.changes(to: business.products) } ?? []
    erasures = old.map { [business] in entry.erasures(from: $0, to: business) } ?? []
    deactivates = old?.isActive == true && !business.isActive
    if old != nil, fields.isEmpty { return nil }
  }

  /// Deactivates a business that the file lacks; nil where it is not active.
  public init?(deactivating old: Business) {
    guard old.isActive else { return nil }
    var new = old
    new.isActive = false
    (kind, business, fields) = (.deactivate, new, new.differences(from: old))
    (products, erasures) = ([], [])
    deactivates = true
  }

  /// Whether it removes something, so that an admin has to confirm it.
  public var takesAway: Bool { deactivates || !erasures.isEmpty }
}

extension Business {
  /// The API's names of the fields that differ from another business.
  func differences(from old: Business) -> [String] {
    let parts: [(name: String, isSame: Bool)] = [
      ("name", name == old.name), ("aliases", aliases == old.aliases),
      ("category", category == old.category), ("image_url", imageURL == old.imageURL),
      ("url", url == old.url), ("program_name", programName == old.programName),
      ("display_allowed_cases", displayAllowedCases == old.displayAllowedCases),
      ("display_caution", displayCaution == old.displayCaution),
      ("active", isActive == old.isActive), ("products", products == old.products),
    ]
    return parts.filter { !$0.isSame }.map(\.name)
  }
}
