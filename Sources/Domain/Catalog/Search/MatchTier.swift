/// Ways of matching; only the best one that finds anything counts.
enum MatchTier: UInt8, Comparable {
  /// As typed, exactly.
  case literal
  /// As typed, by the keys.
  case typed
  /// With the other keyboard layout on.
  case keyboard
  /// The same with the last syllable unfinished.
  case unfinishedKeyboard
  /// By every word of several.
  case words
  /// By words with the other keyboard layout on.
  case keyboardWords
  /// Nearly.
  case near

  static func < (one: MatchTier, other: MatchTier) -> Bool { one.rawValue < other.rawValue }
}

extension MatchRank {
  /// The way that a match belongs to.
  var tier: MatchTier {
    switch self {
    case ...MatchRank.innerInitials: .literal
    case ...MatchRank.programPart: .typed
    case ...MatchRank.keyboardProgramPart: .keyboard
    case ...MatchRank.unfinishedKeyboardPart: .unfinishedKeyboard
    case ...MatchRank.words: .words
    case .keyboardWords: .keyboardWords
    default: .near
    }
  }
}
