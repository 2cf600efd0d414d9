internal import Cryptography
public import Domain
internal import JSON

extension Store {
  /// Makes a pending signing key.
  public func createSigningKey(by actor: Actor) throws -> SigningKey {
    try change(by: actor) { change in try change.addSigningKey(.pending) }
  }

  /// Activates a new key where none was ever made.
  package func activateFirstSigningKey(by actor: Actor) throws -> SigningKey? {
    try change(by: actor) { change in
      try change.rows.signingKeys().isEmpty ? try change.addSigningKey(.active) : nil
    }
  }

  /// Activates a pending key and retires the active one.
  ///
  /// - Throws: `StoreError` of kind `unusable` where the key's secret does not open: nothing could be signed with it.
  public func activateSigningKey(_ id: SigningKeyID, by actor: Actor) throws -> SigningKey {
    try change(by: actor) { change in
      let key = try change.signingKey(id)
      switch key.state {
      case .active: return key
      case .pending: break
      case .retired, .revoked:
        throw StoreError(
          .inUse,
          "The signing key \(id) is \(key.state.rawValue) and signs no more. Make a new one: "
            + "launchlink signing-key create")
      }
      _ = try keyRing.secret(of: id, in: change.rows)
      for old in try change.rows.signingKeys() where old.state == .active {
        _ = try change.move(old, to: .retired)
      }
      return try change.move(key, to: .active)
    }
  }

  /// Retires a key that does not sign.
  ///
  /// - Throws: `StoreError` of kind `inUse` for the active key: activate another instead.
  public func retireSigningKey(_ id: SigningKeyID, by actor: Actor) throws -> SigningKey {
    try change(by: actor) { change in
      let key = try change.signingKey(id)
      switch key.state {
      case .retired: return key
      case .pending: return try change.move(key, to: .retired)
      case .active:
        throw StoreError(
          .inUse,
          "The signing key \(id) is the active one. Activate another, which retires it: "
            + "launchlink signing-key activate KEYID")
      case .revoked:
        throw StoreError(.inUse, "The signing key \(id) is revoked, which is final.")
      }
    }
  }

  /// Revokes a key at once; for the active key, a new one is activated.
  ///
  /// A secret that does not open is replaced, also of a key that is revoked already. A revoked key verifies nothing,
  /// and its damaged secret would stop every later rotation of the master key.
  ///
  /// - Returns: the revoked key and the new active one.
  public func revokeSigningKey(
    _ id: SigningKeyID, by actor: Actor
  ) throws -> (revoked: SigningKey, activated: SigningKey?) {
    try change(by: actor) { change in
      let key = try change.signingKey(id)
      let revoked = try change.revoke(key)
      return (revoked, key.state == .active ? try change.addSigningKey(.active) : nil)
    }
  }

  /// The project's derived key of every signing key that is pending or verifies.
  public func exportSigningKeys(
    for projectID: ProjectID, by actor: Actor
  ) throws -> [ExportedSigningKey] {
    try change(by: actor) { change in
      _ = try change.project(projectID)
      let keys = try change.rows.signingKeys()
        .filter { $0.state == .pending || $0.verifies(at: change.now) }
      let exported = try keys.map { key in
        ExportedSigningKey(
          id: key.id, state: key.state,
          secret: SigningKey.derivedKey(
            from: try keyRing.secret(of: key.id, in: change.rows), for: projectID))
      }
      try change.audit(
        "signing-key.export", projectID.description,
        new: .array(keys.map { .string($0.id.description) }))
      return exported
    }
  }
}

extension StoreError {
  /// Nothing signs launches.
  package static let noActiveSigningKey = StoreError(
    .unavailable,
    "No signing key is active. Run: launchlink signing-key create, then launchlink signing-key activate KEYID"
  )
}

extension Change {
  fileprivate func signingKey(_ id: SigningKeyID) throws -> SigningKey {
    guard let key = try rows.signingKey(id) else {
      throw StoreError(.notFound, "There is no signing key \(id). Run: launchlink signing-key list")
    }
    return key
  }

  /// Revokes every key and activates a new one.
  package func replaceSigningKeys() throws -> SigningKey {
    for key in try rows.signingKeys() { _ = try revoke(key) }
    return try addSigningKey(.active)
  }

  /// Revokes a key that is not, and replaces its secret where that does not open.
  fileprivate func revoke(_ key: SigningKey) throws -> SigningKey {
    let place = KeyRing.Place.signingKey(key.id)
    guard let sealed = try rows.sealedSecret(of: key.id), try !keyRing.opens(sealed, at: place)
    else {
      return key.state == .revoked ? key : try move(key, to: .revoked)
    }
    try rows.replace(
      SealedValue(place: place, bytes: sealed), with: seal(Self.newSecret(), at: place))
    return try move(key, to: .revoked, noting: JSON.Member(name: "secret", value: "replaced"))
  }

  private static func newSecret() -> [UInt8] {
    var generator = SecureRandom()
    return randomBytes(32, using: &generator)
  }

  /// Makes a key with a new secret of 32 random bytes.
  fileprivate func addSigningKey(_ state: SigningKey.State) throws -> SigningKey {
    var generator = SecureRandom()
    let key = SigningKey(
      id: SigningKeyID(using: &generator), state: state, createdAt: now,
      activatedAt: state == .active ? now : nil,
      longestTTL: state == .active ? try rows.longestTTL() : 0)
    try rows.insert(key, sealedSecret: seal(Self.newSecret(), at: .signingKey(key.id)))
    try audit(
      state == .active ? "signing-key.activate" : "signing-key.create", key.id.description,
      new: key.json)
    return key
  }

  /// Takes a key to a state; `member` goes into the audit log besides.
  fileprivate func move(
    _ key: SigningKey, to state: SigningKey.State, noting member: JSON.Member? = nil
  ) throws -> SigningKey {
    let moved = SigningKey(
      id: key.id, state: state, createdAt: key.createdAt,
      activatedAt: state == .active ? now : key.activatedAt,
      retiredAt: state == .retired ? now : key.retiredAt,
      revokedAt: key.revokedAt ?? (state == .revoked ? now : nil),
      longestTTL: state == .active ? try rows.longestTTL() : key.longestTTL)
    try rows.save(moved)
    let verb =
      switch state {
      case .pending, .active: "activate"
      case .retired: "retire"
      case .revoked: "revoke"
      }
    try audit(
      "signing-key.\(verb)", key.id.description, old: key.json,
      new: .object((moved.json.objectValue ?? []) + (member.map { [$0] } ?? [])))
    return moved
  }
}
