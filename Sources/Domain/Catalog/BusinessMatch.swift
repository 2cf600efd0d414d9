/// How a business matched what was searched for, the best first (openapi.yaml, `GET /businesses`).
public enum BusinessMatch: String, Sendable, CaseIterable {
  /// Its id is the text, or what a pasted link names.
  case id
  /// Its name is the text.
  case name
  /// An alias or its programme's name is the text, or its shop is at the URL or host.
  case alias
  /// One of these begins with the text, or with what the text is once its last syllable is
  /// finished.
  case prefix
  /// One of these contains the text, also with its last syllable finished, or they contain each of
  /// its words.
  case part
  /// The text is initial consonants of its name or of an alias.
  case initials
  /// It matches what the other keyboard layout would have typed.
  case keyboard
  /// It matches but for one letter that is missing, added or wrong: a guess.
  case near
}

/// How good a match is, the best being the least; finer than `BusinessMatch`.
///
/// Initial consonants of a whole name rank above those at its beginning, and these above those
/// inside: ㅋㅍ finds 쿠팡 before 감사 쿠폰. Matches of the other keyboard layout have the same order among
/// themselves. Cursors carry the raw value.
public enum MatchRank: UInt8, Sendable, CaseIterable, Comparable {
  // The text itself or its beginning, exactly or except for punctuation.
  case id, name, alias
  case idButPunctuation, nameButPunctuation, aliasButPunctuation, programName, address
  case prefix, part
  case wholeInitials, firstInitials, innerInitials
  // With other punctuation or joined otherwise, unfinished texts, and programme names.
  case typedPrefix, typedPart, programPrefix, programPart
  // The other keyboard layout.
  case keyboardID, keyboardName, keyboardAlias, keyboardProgram
  case keyboardPrefix, keyboardPart
  case keyboardWholeInitials, keyboardFirstInitials, keyboardInnerInitials
  case keyboardProgramPrefix, keyboardProgramPart
  // Unfinished texts typed with the other keyboard layout.
  case unfinishedKeyboardPrefix, unfinishedKeyboardPart
  // Each word of several.
  case wholeWords, words
  case keyboardWords
  // Guesses.
  case nearLetter, nearSyllable

  /// Makes the rank of a raw value; nil for any other number.
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

  /// Whether the left one is the better match.
  public static func < (one: MatchRank, other: MatchRank) -> Bool { one.rawValue < other.rawValue }
}

/// A business in the result of a search or in a list.
public struct FoundBusiness: Sendable, Equatable {
  /// The business, whole.
  public let business: Business
  /// How it matched; nil in a list that was not searched.
  public let match: BusinessMatch?

  /// Makes a result of a business and how it matched.
  public init(_ business: Business, match: BusinessMatch?) {
    self.business = business
    self.match = match
  }
}
