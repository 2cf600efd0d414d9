/// What an import does to one business.
public struct CatalogChange: Sendable, Equatable {
  /// The kinds of change.
  public enum Kind: String, Sendable {
    /// It was not there.
    case add
    /// It says something else.
    case change
    /// It is not in the file, and can no longer be launched.
    case deactivate
  }

  /// What is done.
  public let kind: Kind
  /// The business as it will be.
  public let business: Business
  /// What is different from before, such as `name`; empty for a new business.
  public let fields: [String]
  /// What becomes of its products, in words, but for what goes.
  public let products: [String]
  /// What of it goes.
  public let erasures: [CatalogErasure]
  /// Whether it can be launched before and not after, be it that the file says so or lacks it.
  public let deactivates: Bool

  /// Makes what a file says of a business the change that it is; nil where the business says that
  /// already.
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

  /// Whether it takes something from users or admins, so that they have to agree to it.
  public var takesAway: Bool { deactivates || !erasures.isEmpty }
}

extension Business {
  /// The API's names of what this business says otherwise than another.
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
