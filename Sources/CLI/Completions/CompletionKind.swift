import Store

/// What a shell offers for a value.
enum CompletionKind: Equatable {
  case values([String])
  case files
  case directories
  /// The ids of a kind in the store.
  case identifiers(IdentifierKind)
  /// The keys of configured categories.
  case categories
  /// The names of configured pages.
  case pages
  /// The names of configured upstreams.
  case upstreams
  /// No candidates.
  case nothing
}
