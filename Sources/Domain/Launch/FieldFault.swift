/// One thing wrong with one field, in words that may be shown to the caller.
public struct FieldFault: Error, Sendable, Equatable {
  /// What is wrong with a field; the raw value is the code that callers see.
  public enum Code: String, Sendable, CaseIterable {
    case unknownField = "unknown_field"
    case missingField = "missing_field"
    case invalidField = "invalid_field"
    case conflictingFields = "conflicting_fields"
    case invalidRedirect = "invalid_redirect"
    case redirectAlreadyEncoded = "redirect_already_encoded"
    case unknownPage = "unknown_page"
    case missingParameter = "missing_parameter"
    case duplicateParameter = "duplicate_parameter"
    case unknownBusiness = "unknown_business"
    case inactiveBusiness = "inactive_business"
    case unknownCategory = "unknown_category"
  }

  /// The field's name, such as `redirect_to`.
  public let field: String
  /// What kind of fault it is.
  public let code: Code
  /// What is wrong and what to do about it; never a secret.
  public let detail: String
  /// Up to three values that the caller may have meant.
  public let suggestions: [String]

  /// Makes a fault of one field.
  public init(_ field: String, _ code: Code, _ detail: String, suggestions: [String] = []) {
    self.field = field
    self.code = code
    self.detail = detail
    self.suggestions = suggestions
  }
}

/// All faults of one request in the order in which they are reported; never empty.
public struct FieldFaults: Error, Sendable, Equatable {
  /// The faults, at most one a field.
  public let all: [FieldFault]

  /// Makes a report of `faults`.
  public init(_ faults: [FieldFault]) {
    all = faults
  }
}
