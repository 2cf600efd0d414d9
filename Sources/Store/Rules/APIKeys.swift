internal import Cryptography
public import Domain
internal import JSON

extension Store {
  /// Makes an API key, whose secret is returned only here and never stored.
  public func createAPIKey(_ draft: APIKeyDraft, by actor: Actor) throws -> IssuedAPIKey {
    if let objection = APIKey.objection(to: draft.scopes, isBound: draft.projectID != nil) {
      throw StoreError(.invalid, objection)
    }
    let name = try StoreError.checkingName(draft.name, by: APIKey.name)
    return try change(by: actor) { change in
      if let id = draft.projectID { _ = try change.project(id) }
      let issued = try change.issueKey(
        name: name, scopes: draft.scopes, projectID: draft.projectID,
        expiresAt: draft.expiresIn.map { change.now.adding(seconds: $0) }, replaces: nil)
      try change.audit("key.create", issued.key.id.description, new: issued.key.json)
      return issued
    }
  }

  /// Replaces the key `id`, which goes on working for `graceSeconds`.
  ///
  /// - Throws: `StoreError` of kind `inUse` where the old key was revoked, replaced or has expired.
  public func rotateAPIKey(
    _ id: KeyID, graceSeconds: Int, by actor: Actor
  ) throws -> IssuedAPIKey {
    try change(by: actor) { change in
      let old = try change.key(id)
      try old.requireRotatable(among: change.rows.successors(), at: change.now)
      let issued = try change.issueKey(
        name: old.name, scopes: old.scopes, projectID: old.projectID,
        expiresAt: old.renewedExpiry(from: change.now), replaces: id)
      var ending = old
      let end = change.now.adding(seconds: graceSeconds)
      ending.expiresAt = min(old.expiresAt ?? end, end)
      // With an expiry alone the key would work again after the time of day is set back.
      if graceSeconds == 0 { ending.revokedAt = ending.expiresAt }
      try change.rows.saveEnd(of: ending)
      try change.audit("key.rotate", id.description, old: old.json, new: ending.json)
      try change.audit("key.create", issued.key.id.description, new: issued.key.json)
      return IssuedAPIKey(key: issued.key, secret: issued.secret, replaced: ending)
    }
  }

  /// Revokes a key at once; doing it again changes nothing.
  public func revokeAPIKey(_ id: KeyID, by actor: Actor) throws -> APIKey {
    try change(by: actor) { change in
      let old = try change.key(id)
      guard !old.isRevoked else { return old }
      var new = old
      new.revokedAt = change.now
      try change.rows.saveEnd(of: new)
      try change.audit("key.revoke", id.description, old: old.json, new: new.json)
      return new
    }
  }
}

extension StoreError {
  static func noAPIKey(_ id: KeyID) -> StoreError {
    StoreError(.notFound, "There is no API key \(id). Run: launchlink key list")
  }
}

extension Change {
  fileprivate func key(_ id: KeyID) throws -> APIKey {
    guard let key = try rows.apiKey(id) else { throw StoreError.noAPIKey(id) }
    return key
  }

  fileprivate func issueKey(
    name: String, scopes: Set<Scope>, projectID: ProjectID?, expiresAt: Timestamp?,
    replaces: KeyID?
  ) throws -> IssuedAPIKey {
    var generator = SecureRandom()
    let secret = APIKeySecret(using: &generator)
    let key = APIKey(
      id: secret.keyID, name: name, scopes: scopes, projectID: projectID, createdAt: now,
      expiresAt: expiresAt, replaces: replaces)
    try rows.insert(key, digest: secret.digest)
    return IssuedAPIKey(key: key, secret: secret, replaced: nil)
  }
}

extension APIKey {
  /// The newest working key that replaced a key, directly or through others.
  ///
  /// - Parameters:
  ///   - id: the key that was rotated.
  ///   - keys: the keys to search.
  ///   - now: the time.
  /// - Returns: nil where the key was not rotated, or none of its successors works.
  public static func workingSuccessor(
    of id: KeyID, among keys: [APIKey], at now: Timestamp
  ) -> APIKey? {
    let next = keys.filter { $0.replaces == id }
    let later = next.compactMap { workingSuccessor(of: $0.id, among: keys, at: now) }
    return later.first ?? next.first { $0.works(at: now) }
  }

  /// Refuses to rotate a key that works no more or was rotated.
  fileprivate func requireRotatable(among successors: [APIKey], at now: Timestamp) throws {
    guard works(at: now) else {
      throw StoreError(
        .inUse, "The key \(id) works no more. Make a new one: launchlink key create --help")
    }
    if let successor = APIKey.workingSuccessor(of: id, among: successors, at: now) {
      throw StoreError(
        .inUse,
        "The key \(id) was rotated already. Rotate its successor: launchlink key rotate "
          + "\(successor.id)")
    }
    if successors.contains(where: { $0.replaces == id }) {
      throw StoreError(
        .inUse,
        "The key \(id) was rotated already, and its successor works no more. Make a new one: launchlink "
          + "key create --help")
    }
  }

  /// The expiry of a successor, which lives as long as this key was made to live.
  fileprivate func renewedExpiry(from now: Timestamp) -> Timestamp? {
    expiresAt.map {
      Timestamp(milliseconds: now.milliseconds + $0.milliseconds - createdAt.milliseconds)
    }
  }
}
