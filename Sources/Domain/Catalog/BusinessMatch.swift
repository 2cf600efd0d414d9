/// How a business matched what was searched for, the best first (CONTRACT.md section 6).
public enum BusinessMatch: String, Sendable, CaseIterable {
  /// Its id is the text, or what a pasted link names.
  case id
  /// Its name is the text.
  case name
  /// An alias or its programme's name is the text, or its shop is at the URL or host.
  case alias
  /// Any of these begins with the text, or with what the text is about to become.
  case prefix
  /// Any of these holds the text, or what the text is about to become, or they hold each of its words.
  case part
  /// Its name or an alias has the initial consonants.
  case initials
  /// It would have matched with the other keyboard layout on.
  case keyboard
  /// It would have matched with one letter less, more or another: a guess.
  case near
}

/// How good a match is, the best being the least; it tells more than the kind of match does.
///
/// Initial consonants are worth more of a whole name than at its beginning, and there more than
/// inside: ㅋㅍ is rather 쿠팡 than 감사 쿠폰. Among what the other keyboard layout gives the order is
/// the same as without it. The raw value is what a cursor carries.
public enum MatchRank: UInt8, Sendable, CaseIterable, Comparable {
  // What the text is or begins with, to the letter or but for punctuation.
  case id, name, alias
  case idButPunctuation, nameButPunctuation, aliasButPunctuation, programName, address
  case prefix, part
  case wholeInitials, firstInitials, innerInitials
  // What is punctuated or joined otherwise, or is about to become the text, and programme names.
  case typedPrefix, typedPart, programPrefix, programPart
  // The other keyboard layout.
  case keyboardID, keyboardName, keyboardAlias, keyboardProgram
  case keyboardPrefix, keyboardPart
  case keyboardWholeInitials, keyboardFirstInitials, keyboardInnerInitials
  case keyboardProgramPrefix, keyboardProgramPart
  // What is about to become the text with the other keyboard layout on.
  case unfinishedKeyboardPrefix, unfinishedKeyboardPart
  // Each word of several.
  case wholeWords, words
  case keyboardWords
  // Guesses.
  case nearLetter, nearSyllable

  /// Takes back what `rawValue` gave; nil for any other number.
  public init?(_ value: Int) {
    guard let value = UInt8(exactly: value) else { return nil }
    self.init(rawValue: value)
  }

  /// The kind of the match.
  public var match: BusinessMatch {
    switch self {
    case .id, .idButPunctuation: .id
    case .name, .nameButPunctuation: .name
    case .alias, .aliasButPunctuation, .programName, .address: .alias
    case .prefix, .typedPrefix, .programPrefix: .prefix
    case .part, .typedPart, .programPart, .wholeWords, .words: .part
    case .wholeInitials, .firstInitials, .innerInitials: .initials
    case .nearLetter, .nearSyllable: .near
    default: .keyboard
    }
  }

  /// Whether the one is the better match.
  public static func < (one: MatchRank, other: MatchRank) -> Bool { one.rawValue < other.rawValue }
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
