import Store

/// What a shell can offer where a value is due.
enum CompletionKind: Equatable {
  case values([String])
  case files
  case directories
  /// Ids that the store knows.
  case identifiers(IdentifierKind)
  /// Keys of configured categories.
  case categories
  /// Names of configured pages.
  case pages
  /// Names of configured upstreams.
  case upstreams
  /// Nothing that is known before it is typed.
  case nothing
}
