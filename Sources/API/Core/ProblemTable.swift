public import Domain

/// What each problem code is to the outside: one exhaustive table (RFC 9457).
extension ProblemCode {
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
  var title: String {
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
