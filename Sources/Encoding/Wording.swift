/// A language that texts for people are written in; the raw value is its ISO 639-1 code.
public enum Language: String, Sendable, CaseIterable {
  case korean = "ko"
  case english = "en"
}

/// A text in every language; leaving one out does not compile.
public struct Wording: Sendable, Equatable {
  private let korean: String
  private let english: String

  /// Makes a text from its translations.
  public init(korean: String, english: String) {
    self.korean = korean
    self.english = english
  }

  /// The text in one language.
  public subscript(language: Language) -> String {
    switch language {
    case .korean: korean
    case .english: english
    }
  }

  /// The text with `change` applied in each language.
  public func mapped(_ change: (String) -> String) -> Wording {
    Wording(korean: change(korean), english: change(english))
  }
}
