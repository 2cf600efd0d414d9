/// The kinds of ids that people type.
public enum IdentifierKind: Sendable {
  /// Projects.
  case project
  /// API keys.
  case apiKey
  /// Signing keys.
  case signingKey
  /// Businesses of the catalogue.
  case business
}
