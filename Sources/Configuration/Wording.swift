import Domain

/// The text in quotation marks, cut after 60 characters, with invisible characters escaped.
public func quoted(_ text: String) -> String {
  let shown = text.count > 60 ? text.prefix(60) + "…" : Substring(text)
  return "\"\(shown.withUnseenEscaped)\""
}

/// The question `; did you mean …?` with the nearest known value.
///
/// - Parameters:
///   - typed: the unknown text.
///   - known: the known values.
///   - prefix: is put before the value, such as `--`.
/// - Returns: the question; empty when no value is near.
public func didYouMean(_ typed: String, _ known: [String], prefix: String = "") -> String {
  guard let best = nearest(to: typed, in: known, limit: 1).first else { return "" }
  return "; did you mean \(prefix)\(best)?"
}

extension String {
  /// The text with a full stop unless it ends in one, a question mark or an exclamation mark.
  public var closed: String {
    guard let last else { return "." }
    return ".?!".contains(last) ? self : self + "."
  }
}
