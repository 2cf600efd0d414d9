public import Domain
internal import Encoding
internal import HTTPServer
internal import Observability
public import Store

extension RequestContext {
  /// Finds the holder of the request's key (RFC 6750 section 2.1), and refuses one that may not call.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - scopes: the key needs one of these.
  ///   - allowsDisabledProject: whether a key of a disabled project is accepted.
  /// - Returns: the holder of the key.
  /// - Throws: ``Problem``, or the store's error.
  func authenticate(
    _ request: Request, scopes: [Scope], allowsDisabledProject: Bool = false
  ) throws -> Partner {
    try authenticate(
      presentedKey(request), scopes: scopes, allowsDisabledProject: allowsDisabledProject)
  }

  /// Finds the holder of a key, and refuses one that may not call.
  ///
  /// - Parameters:
  ///   - secret: the key as it was presented.
  ///   - scopes: the key needs one of these.
  ///   - allowsDisabledProject: whether a key of a disabled project is accepted.
  /// - Returns: the holder of the key.
  /// - Throws: ``Problem``, or the store's error.
  public func authenticate(
    _ secret: APIKeySecret, scopes: [Scope], allowsDisabledProject: Bool = false
  ) throws -> Partner {
    guard let partner = try reader().knowledge.partner(holding: secret) else {
      throw Problem(
        .invalidAPIKey, "This API key is not known here. Check it, or ask for a new one.")
    }
    note.keyID = partner.key.id
    note.projectID = partner.key.projectID
    switch partner.key.state(at: now) {
    case .working: break
    case .revoked:
      throw Problem(
        .revokedAPIKey,
        "The API key \(partner.key.id) was revoked. Ask the administrator for a new one.")
    case .expired(let end):
      throw Problem(
        .expiredAPIKey,
        "The API key \(partner.key.id) expired at \(end). Ask the administrator for a new one."
      )
    }
    guard scopes.contains(where: { partner.key.scopes.contains($0) }) else {
      let needed = scopes.map(\.rawValue).joined(separator: ", ")
      throw Problem(
        .insufficientScope,
        "The API key \(partner.key.id) has the scope \(partner.key.scopeNames.joined(separator: ", ")); this needs "
          + "\(scopes.count == 1 ? needed : "one of \(needed)").")
    }
    if !allowsDisabledProject, partner.project?.disabledAt != nil {
      throw Problem(
        .projectDisabled, "The project of this API key is disabled. Ask the administrator.")
    }
    meter.used(partner.key.id, at: now)
    return partner
  }

  /// The well-formed key of `Authorization: Bearer <key>`.
  private func presentedKey(_ request: Request) throws -> APIKeySecret {
    try request.withHeader("authorization") { value in
      guard let value else { throw Self.missingKey }
      let scheme = value.prefix { $0 != UInt8(ascii: " ") }
      guard isWord("bearer", UnsafeRawBufferPointer(rebasing: scheme)) else {
        throw Self.missingKey
      }
      let key = value[scheme.endIndex...].drop { $0 == UInt8(ascii: " ") }
      guard !key.isEmpty else { throw Self.missingKey }
      guard let secret = APIKeySecret(UnsafeRawBufferPointer(rebasing: key)) else {
        throw Problem(
          .malformedAPIKey,
          "The API key is malformed: it was mistyped or cut short. It has 66 characters "
            + "and begins with llk_.")
      }
      return secret
    }
  }

  private static let missingKey = Problem(
    .missingAPIKey, "Send the API key in the header Authorization: Bearer <API key>.")
}

extension Partner {
  /// Refuses a request that names another project than the key's.
  func checkProject(of request: Request) throws {
    guard request.header("x-moment-project-id") != nil else { return }
    let id = project?.id.description
    guard request.headerValues("x-moment-project-id").allSatisfy({ $0 == id }) else {
      throw Problem(
        .projectMismatch,
        "The header x-moment-project-id names another project than this API key's. Use that "
          + "project's key.")
    }
  }
}
