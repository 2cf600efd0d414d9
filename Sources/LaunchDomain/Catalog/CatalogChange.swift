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

  /// Compares a business with what there was.
  ///
  /// - Returns: nil where they say the same.
  public init?(_ kind: Kind, from old: Business?, to new: Business) {
    let fields = old.map(new.differences) ?? []
    if old != nil, fields.isEmpty { return nil }
    (self.kind, business, self.fields) = (kind, new, fields)
  }
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
