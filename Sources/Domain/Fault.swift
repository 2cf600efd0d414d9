/// What can be wrong with a request, as the outside sees it (CONTRACT.md section 2, Problems).
public enum ProblemCode: String, Sendable, CaseIterable {
  case invalidJSON = "invalid_json"
  case invalidRequest = "invalid_request"
  case missingAPIKey = "missing_api_key"
  case malformedAPIKey = "malformed_api_key"
  case invalidAPIKey = "invalid_api_key"
  case expiredAPIKey = "expired_api_key"
  case revokedAPIKey = "revoked_api_key"
  case insufficientScope = "insufficient_scope"
  case projectDisabled = "project_disabled"
  case projectMismatch = "project_mismatch"
  case notFound = "not_found"
  case methodNotAllowed = "method_not_allowed"
  case bodyTooLarge = "body_too_large"
  case unsupportedMediaType = "unsupported_media_type"
  case headersTooLarge = "headers_too_large"
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
  case rateLimited = "rate_limited"
  case `internal` = "internal"
  case unavailable = "unavailable"
}

/// One thing wrong with one field, in words that may be shown to the caller.
public struct Fault: Error, Sendable, Equatable {
  /// The field's name, such as `redirect_to`.
  public let field: String
  /// What kind of fault it is.
  public let code: ProblemCode
  /// What is wrong and what to do about it; never a secret.
  public let detail: String
  /// Up to three values that may have been meant.
  public let suggestions: [String]

  /// Makes a fault of one field.
  public init(_ field: String, _ code: ProblemCode, _ detail: String, suggestions: [String] = []) {
    self.field = field
    self.code = code
    self.detail = detail
    self.suggestions = suggestions
  }
}

/// Everything wrong with one request, in the order in which it is reported; never empty.
public struct Faults: Error, Sendable, Equatable {
  /// The faults, at most one a field.
  public let all: [Fault]

  /// Makes a report of `faults`.
  public init(_ faults: [Fault]) {
    all = faults
  }
}
