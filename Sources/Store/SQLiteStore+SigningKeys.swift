internal import Cryptography
internal import JSON
internal import Domain
internal import SQLite

extension SQLiteStore {
  func createSigningKey(by actor: Actor) throws -> SigningKey {
    try write(by: actor) { transaction in
      try transaction.addSigningKey(.pending)
    }
  }

  /// Activates a new key where none was ever made.
  func activateFirstSigningKey(by actor: Actor) throws -> SigningKey? {
    try write(by: actor) { transaction in
      let existing = try SigningKeyTable.keys(transaction.connection)
      return existing.isEmpty ? try transaction.addSigningKey(.active) : nil
    }
  }

  func activateSigningKey(_ id: SigningKeyID, by actor: Actor) throws -> SigningKey {
    try write(by: actor) { transaction in
      let key = try transaction.signingKey(id)
      switch key.state {
      case .active: return key
      case .pending: break
      case .retired, .revoked:
        throw StoreError(
          .inUse,
          "The signing key \(id) is \(key.state.rawValue) and signs no more. Make a new one: "
            + "launchlink signing-key create")
      }
      let signing = try SigningKeyTable.keys(transaction.connection, where: "state = 'active'")
      for old in signing { _ = try transaction.move(old, to: .retired) }
      return try transaction.move(key, to: .active)
    }
  }

  func retireSigningKey(_ id: SigningKeyID, by actor: Actor) throws -> SigningKey {
    try write(by: actor) { transaction in
      let key = try transaction.signingKey(id)
      switch key.state {
      case .retired: return key
      case .pending: return try transaction.move(key, to: .retired)
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

  func revokeSigningKey(
    _ id: SigningKeyID, by actor: Actor
  ) throws -> (revoked: SigningKey, activated: SigningKey?) {
    try write(by: actor) { transaction in
      let key = try transaction.signingKey(id)
      guard key.state != .revoked else { return (key, nil) }
      let revoked = try transaction.move(key, to: .revoked)
      return (revoked, key.state == .active ? try transaction.addSigningKey(.active) : nil)
    }
  }

  func exportSigningKeys(
    for projectID: ProjectID, by actor: Actor
  ) throws -> [ExportedSigningKey] {
    try write(by: actor) { transaction in
      _ = try transaction.project(projectID)
      let keys = try SigningKeyTable.keys(transaction.connection)
        .filter { $0.state == .pending || $0.verifies(at: transaction.now) }
      let secrets = try SigningKeyTable.secrets(
        transaction.connection, transaction.keyRing, where: "1")
      try transaction.audit(
        "signing-key.export", projectID.description,
        new: .array(keys.map { .string($0.id.description) }))
      return try keys.map { key in
        let secret = try known(secrets[key.id])
        return ExportedSigningKey(
          id: key.id, state: key.state,
          secret: SigningKey.derivedKey(from: secret, for: projectID))
      }
    }
  }
}

extension Transaction {
  fileprivate func signingKey(_ id: SigningKeyID) throws -> SigningKey {
    let found = try SigningKeyTable.keys(connection, where: "key_id = ?", [id.description])
    guard let key = found.first else {
      throw StoreError(.notFound, "There is no signing key \(id). Run: launchlink signing-key list")
    }
    return key
  }

  /// Revokes every key and activates a new one.
  func replaceSigningKeys() throws -> SigningKey {
    for key in try SigningKeyTable.keys(connection) where key.state != .revoked {
      _ = try move(key, to: .revoked)
    }
    return try addSigningKey(.active)
  }

  /// Has the active key verify, once it is retired, for what a project may launch from now on.
  func letActiveKeySign(upTo ttl: Int) throws {
    try connection.run(
      "UPDATE signing_key SET longest_ttl = ? WHERE state = 'active' AND longest_ttl < ?", ttl, ttl)
  }

  /// Makes a key with a new secret of 32 random bytes.
  fileprivate func addSigningKey(_ state: SigningKey.State) throws -> SigningKey {
    var generator = SecureRandom()
    let key = SigningKey(
      id: SigningKeyID(using: &generator), state: state, createdAt: now,
      activatedAt: state == .active ? now : nil,
      longestTTL: state == .active ? try ProjectTable.longestTTL(connection) : 0)
    let secret = SigningKeyTable.makeSecret(using: &generator)
    try connection.run(
      """
      INSERT INTO signing_key (key_id, secret, state, created_at, activated_at, longest_ttl)
      VALUES (?, ?, ?, ?, ?, ?)
      """,
      key.id.description, seal(secret, at: SigningKeyTable.place(key.id)),
      key.state.rawValue, key.createdAt.milliseconds, key.activatedAt?.milliseconds,
      key.longestTTL)
    try audit(
      state == .active ? "signing-key.activate" : "signing-key.create", key.id.description,
      new: key.json)
    return key
  }

  fileprivate func move(_ key: SigningKey, to state: SigningKey.State) throws -> SigningKey {
    let moved = SigningKey(
      id: key.id, state: state, createdAt: key.createdAt,
      activatedAt: state == .active ? now : key.activatedAt,
      retiredAt: state == .retired ? now : key.retiredAt,
      revokedAt: state == .revoked ? now : key.revokedAt,
      longestTTL: state == .active ? try ProjectTable.longestTTL(connection) : key.longestTTL)
    try connection.run(
      """
      UPDATE signing_key SET state = ?, activated_at = ?, retired_at = ?, revoked_at = ?,
        longest_ttl = ? WHERE key_id = ?
      """,
      state.rawValue, moved.activatedAt?.milliseconds, moved.retiredAt?.milliseconds,
      moved.revokedAt?.milliseconds, moved.longestTTL, key.id.description)
    let verb =
      switch state {
      case .pending, .active: "activate"
      case .retired: "retire"
      case .revoked: "revoke"
      }
    try audit(
      "signing-key.\(verb)", key.id.description, old: key.json, new: moved.json)
    return moved
  }
}

/// Rows of `signing_key`.
enum SigningKeyTable {
  private static let columns = "key_id, state, created_at, activated_at, retired_at, revoked_at"

  static func place(_ id: SigningKeyID) -> KeyRing.Place {
    KeyRing.Place(table: "signing_key", row: id.description, column: "secret")
  }

  static func makeSecret(using generator: inout some RandomNumberGenerator) -> [UInt8] {
    (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
  }

  static func keys(
    _ connection: Connection, where condition: String = "1", _ values: [(any Bindable)?] = []
  ) throws -> [SigningKey] {
    try keys(connection, longestTTL: "longest_ttl", where: condition, values)
  }

  /// All keys of a database that may be of an earlier schema version; what that does not know of a
  /// key is what a migration says of it.
  static func keysOfAnyVersion(_ connection: Connection) throws -> [SigningKey] {
    let columns = try connection.rows("SELECT name FROM pragma_table_info('signing_key')") {
      try $0.text(0)
    }
    let column = "longest_ttl"
    return try keys(
      connection,
      longestTTL: columns.contains(column) ? column : "\(Project.lifetimes.upperBound)", where: "1")
  }

  private static func keys(
    _ connection: Connection, longestTTL: String, where condition: String,
    _ values: [(any Bindable)?] = []
  ) throws -> [SigningKey] {
    try connection.rows(
      """
      SELECT \(columns), \(longestTTL) FROM signing_key WHERE \(condition)
      ORDER BY created_at DESC, key_id
      """,
      values: values
    ) { row in
      SigningKey(
        id: try known(SigningKeyID(row.text(0))),
        state: try known(SigningKey.State(rawValue: row.text(1))), createdAt: try row.time(2),
        activatedAt: try row.optionalTime(3), retiredAt: try row.optionalTime(4),
        revokedAt: try row.optionalTime(5), longestTTL: try row.int(6))
    }
  }

  static func secrets(
    _ connection: Connection, _ keyRing: SharedKeyRing, where condition: String
  ) throws -> [SigningKeyID: [UInt8]] {
    let sealed = try connection.rows("SELECT key_id, secret FROM signing_key WHERE \(condition)") {
      (try known(SigningKeyID($0.text(0))), try $0.blob(1))
    }
    return try Dictionary(
      uniqueKeysWithValues: sealed.map { ($0, try keyRing.open($1, at: place($0))) })
  }

  /// Opens one sealed value, where there is one, so that a wrong key ring is found out.
  static func openNewest(_ connection: Connection, _ keyRing: SharedKeyRing) throws {
    _ = try secrets(connection, keyRing, where: "1 ORDER BY created_at DESC LIMIT 1")
  }

  static func activeSigner(
    _ connection: Connection, _ keyRing: SharedKeyRing, projectID: ProjectID
  ) throws -> LaunchSigner? {
    try secrets(connection, keyRing, where: "state = 'active'").first.map { id, secret in
      LaunchSigner(keyID: id, secret: secret, projectID: projectID)
    }
  }
}
