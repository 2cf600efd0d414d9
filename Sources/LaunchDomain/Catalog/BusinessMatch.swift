/// How a business matched what was searched for, the best first (CONTRACT.md section 6).
public enum BusinessMatch: String, Sendable, CaseIterable {
  /// Its id is the text.
  case id
  /// Its name is the text.
  case name
  /// An alias is the text.
  case alias
  /// Its id, its name or an alias begins with the text, or with what the text is about to become.
  case prefix
  /// Its id, its name or an alias holds the text, or what the text is about to become.
  case part
  /// Its name or an alias has the initial consonants.
  case initials
  /// It would have matched with the other keyboard layout on.
  case keyboard
}

/// How good a match is, the best being the least; it tells more than the kind of match does.
///
/// Initial consonants are worth more of a whole name than at its beginning, and there more than
/// inside: ㅋㅍ is rather 쿠팡 than 감사 쿠폰. Among what the other keyboard layout gives the order is
/// the same as without it.
public struct MatchRank: Sendable, Comparable {
  static let id = MatchRank(unchecked: 0)
  static let name = MatchRank(unchecked: 1)
  static let alias = MatchRank(unchecked: 2)
  static let prefix = MatchRank(unchecked: 3)
  static let part = MatchRank(unchecked: 4)
  static let wholeInitials = MatchRank(unchecked: 5)
  static let firstInitials = MatchRank(unchecked: 6)
  static let innerInitials = MatchRank(unchecked: 7)
  /// The other layout's ranks come behind these.
  private static let ownCount: UInt8 = 8

  /// All ranks, the best first.
  static let all = (0..<2 * ownCount).map(MatchRank.init(unchecked:))

  /// The number that a cursor carries.
  public let value: UInt8

  private init(unchecked value: UInt8) {
    self.value = value
  }

  /// Takes back what `value` gave; nil for any other number.
  public init?(_ value: Int) {
    guard Self.all.indices.contains(value) else { return nil }
    self.value = UInt8(value)
  }

  /// The same match by way of the other keyboard layout.
  var ofOtherLayout: MatchRank { MatchRank(unchecked: value % Self.ownCount + Self.ownCount) }

  /// The kind of the match.
  public var match: BusinessMatch {
    switch self {
    case .id: .id
    case .name: .name
    case .alias: .alias
    case .prefix: .prefix
    case .part: .part
    case .wholeInitials, .firstInitials, .innerInitials: .initials
    default: .keyboard
    }
  }

  /// Whether the one is the better match.
  public static func < (one: MatchRank, other: MatchRank) -> Bool { one.value < other.value }
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
