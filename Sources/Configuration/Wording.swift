import Domain

/// The text in quotation marks, cut to a length that fits a message, every invisible character escaped.
public func quoted(_ text: String) -> String {
  let shown = text.count > 60 ? text.prefix(60) + "…" : Substring(text)
  return "\"\(shown.withUnseenEscaped)\""
}

/// `; did you mean …?` with the nearest known value, or nothing.
///
/// - Parameters:
///   - typed: the text that is not known.
///   - known: the values that there are.
///   - prefix: stands before the value in the question, such as `--`.
/// - Returns: the question, or an empty text where no value is near.
public func didYouMean(_ typed: String, _ known: [String], prefix: String = "") -> String {
  guard let best = nearest(to: typed, in: known, limit: 1).first else { return "" }
  return "; did you mean \(prefix)\(best)?"
}

extension String {
  /// The text as a sentence with an end.
  public var closed: String {
    guard let last else { return "." }
    return ".?!".contains(last) ? self : self + "."
  }
}
