internal import LaunchDomain

/// What each problem code means to the outside: one exhaustive table (RFC 9457).
extension ProblemCode {
  /// The HTTP status that it is answered with.
  var status: Int {
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

  /// What it means and how to mend it, for `GET /problems/{code}`.
  var explanation: (meaning: String, remedy: String) {
    switch self {
    case .invalidJSON:
      (
        "The body is not one JSON text, names a member of an object twice, or has bytes after it.",
        "Mend the body at the line and column that the detail names."
      )
    case .invalidRequest:
      (
        "The request's framing or its query string cannot be taken as it is.",
        "Send a well-formed HTTP/1.1 request with the query parameters that the API describes, each once."
      )
    case .missingAPIKey:
      (
        "The request carries no API key.",
        "Send the header Authorization: Bearer followed by the API key."
      )
    case .malformedAPIKey:
      (
        "What was sent as API key cannot be one: its form or its checksum is wrong.",
        "Look for a mistyped, cut short or doubled key; it has 66 characters and begins with llk_."
      )
    case .invalidAPIKey:
      (
        "The API key is well formed and not known here.",
        "Check that the key belongs to this installation, or ask the administrator for a new one."
      )
    case .expiredAPIKey:
      (
        "The API key's time is over.",
        "Use the key that took its place, or ask the administrator for a new one."
      )
    case .revokedAPIKey:
      (
        "The API key was revoked by the administrator.",
        "Ask the administrator for a new key, and find out where the old one leaked."
      )
    case .insufficientScope:
      (
        "The API key may not be used for this operation.",
        "Use a key with the scope that the detail names."
      )
    case .projectDisabled:
      (
        "The API key's project is disabled.",
        "Ask the administrator to enable the project: launchlink project enable."
      )
    case .projectMismatch:
      (
        "The header x-moment-project-id names another project than the API key's own.",
        "Use the API key of that project, or leave the header out."
      )
    case .notFound:
      (
        "There is nothing at this path.",
        "Check the path against the API's description, GET /openapi.yaml."
      )
    case .methodNotAllowed:
      (
        "The path exists, and not for this method.",
        "Use one of the methods that the header Allow lists."
      )
    case .bodyTooLarge:
      (
        "The body is larger than the operation takes.",
        "Send at most 16 KiB, to /launch/batch at most 256 KiB."
      )
    case .unsupportedMediaType:
      (
        "The body is not declared as JSON, or is compressed.",
        "Send the header Content-Type: application/json and no Content-Encoding."
      )
    case .unknownField:
      (
        "The body has a member that the operation does not know.",
        "Remove it, or correct its name to one that the API's description has."
      )
    case .missingField:
      ("A required member is absent or null.", "Add the member that the pointer names.")
    case .invalidField:
      (
        "A member has a value that it cannot have.",
        "Correct the value as the detail says."
      )
    case .conflictingFields:
      (
        "Two members say different things, or one has no place beside the others.",
        "Send page with its own parameters, or redirect_to, and not both."
      )
    case .invalidRedirect:
      (
        "The redirect_to is no path of the cashback web.",
        "Send the raw path as the page's bridge hands it over, such as /cashback/detail?business_id=11st."
      )
    case .redirectAlreadyEncoded:
      (
        "The redirect_to begins with an encoded slash, so it was percent-encoded before it was sent.",
        "Send the raw path, such as /cashback/detail?business_id=11st: it is encoded here, once."
      )
    case .unknownPage:
      (
        "The page is not one of this installation.",
        "Use one that GET /pages lists; a path has to match to the letter."
      )
    case .missingParameter:
      (
        "The page needs a parameter that is absent or empty.",
        "Add the parameter; GET /pages says what each page needs."
      )
    case .duplicateParameter:
      (
        "The redirect_to names one of the page's parameters twice, perhaps once in escapes.",
        "Name each parameter once."
      )
    case .unknownBusiness:
      (
        "The business is not in the catalogue.",
        "Use an id that GET /businesses lists; the suggestions are near ones."
      )
    case .inactiveBusiness:
      (
        "The business is switched off and cannot be launched.",
        "Do not offer it; GET /businesses?active=true lists those that can be launched."
      )
    case .unknownCategory:
      (
        "The category is not one of this installation.",
        "Use one that GET /categories lists: in page requests key or label, in redirect_to the label."
      )
    case .rateLimited:
      (
        "The project's requests come faster than its rate limit allows.",
        "Wait as many seconds as Retry-After says; ask the administrator if the limit is too low."
      )
    case .headersTooLarge:
      (
        "The request's head is larger than 12 KiB.",
        "Send fewer or shorter headers; cookies are not needed."
      )
    case .internal:
      (
        "Something went wrong that is not the caller's fault.",
        "Try again; tell the operator the request id if it stays."
      )
    case .unavailable:
      (
        "The server cannot answer now: its database is out of reach, no signing key is active, it is shutting down, or it has more requests or bodies of requests than it can take.",
        "Try again after as many seconds as Retry-After says."
      )
    }
  }
}
