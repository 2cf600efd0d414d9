public import Domain

/// What can be wrong with a request, as callers see it (openapi.yaml, Problems).
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

extension ProblemCode {
  /// The code that a fault of a field is answered with.
  public init(_ code: FieldFault.Code) {
    self =
      switch code {
      case .unknownField: .unknownField
      case .missingField: .missingField
      case .invalidField: .invalidField
      case .conflictingFields: .conflictingFields
      case .invalidRedirect: .invalidRedirect
      case .redirectAlreadyEncoded: .redirectAlreadyEncoded
      case .unknownPage: .unknownPage
      case .missingParameter: .missingParameter
      case .duplicateParameter: .duplicateParameter
      case .unknownBusiness: .unknownBusiness
      case .inactiveBusiness: .inactiveBusiness
      case .unknownCategory: .unknownCategory
      }
  }

  /// The HTTP status that it is answered with.
  public var status: Int {
    switch self {
    case .invalidJSON, .invalidRequest: 400
    case .missingAPIKey, .malformedAPIKey, .invalidAPIKey, .expiredAPIKey, .revokedAPIKey: 401
    case .insufficientScope, .projectDisabled, .projectMismatch: 403
    case .notFound: 404
    case .methodNotAllowed: 405
    case .bodyTooLarge: 413
    case .unsupportedMediaType: 415
    case .unknownField, .missingField, .invalidField, .conflictingFields, .invalidRedirect,
      .redirectAlreadyEncoded, .unknownPage, .missingParameter, .duplicateParameter,
      .unknownBusiness, .inactiveBusiness, .unknownCategory:
      422
    case .rateLimited: 429
    case .headersTooLarge: 431
    case .internal: 500
    case .unavailable: 503
    }
  }

  /// A short name, the same for every occurrence.
  public var title: String {
    let words = rawValue.split(separator: "_").map { word in
      switch word {
      case "json", "api": word.uppercased()
      default: String(word)
      }
    }
    let title = words.joined(separator: " ")
    return title.prefix(1).uppercased() + title.dropFirst()
  }
}
