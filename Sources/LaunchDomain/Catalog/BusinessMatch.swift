/// How a business matched what was searched for, the best first (CONTRACT.md section 6).
public enum BusinessMatch: String, Sendable, CaseIterable {
  /// Its id is the text.
  case id
  /// Its name is the text.
  case name
  /// An alias is the text.
  case alias
  /// Its id, its name or an alias begins with the text.
  case prefix
  /// Its id, its name or an alias holds the text.
  case part
  /// Its name or an alias has the initial consonants.
  case initials
  /// It would have matched with the other keyboard layout on.
  case keyboard

  /// The place in the order of matches, 0 for the best.
  var rank: UInt8 {
    switch self {
    case .id: 0
    case .name: 1
    case .alias: 2
    case .prefix: 3
    case .part: 4
    case .initials: 5
    case .keyboard: 6
    }
  }
}

/// A business as a search or a list gives it.
public struct FoundBusiness: Sendable, Equatable {
  /// The business, whole.
  public let business: Business
  /// How it matched; nil in a list that was not searched.
  public let match: BusinessMatch?

  /// Puts a business beside how it matched.
  public init(_ business: Business, match: BusinessMatch?) {
    self.business = business
    self.match = match
  }
}
