internal import Cryptography
internal import JSON
public import Domain
internal import SQLite

extension SQLiteStore {
  func createAPIKey(_ draft: APIKeyDraft, by actor: Actor) throws -> IssuedAPIKey {
    if let objection = APIKey.objection(to: draft.scopes, isBound: draft.projectID != nil) {
      throw StoreError(.invalid, objection)
    }
    let name = try StoreError.checkingName(draft.name, by: APIKey.name)
    return try write(by: actor) { transaction in
      if let id = draft.projectID { _ = try transaction.project(id) }
      let issued = try transaction.issueKey(
        name: name, scopes: draft.scopes, projectID: draft.projectID,
        expiresAt: draft.expiresIn.map { transaction.now.adding(seconds: $0) }, replaces: nil)
      try transaction.audit(
        "key.create", issued.key.id.description, new: issued.key.json)
      return issued
    }
  }

  func rotateAPIKey(
    _ id: KeyID, graceSeconds: Int, by actor: Actor
  ) throws -> IssuedAPIKey {
    try write(by: actor) { transaction in
      let old = try transaction.key(id)
      guard old.works(at: transaction.now) else {
        throw StoreError(
          .inUse, "The key \(id) works no more. Make a new one: launchlink key create --help")
      }
      let keys = try APIKeyTable.keys(transaction.connection, where: "replaces IS NOT NULL")
      if let successor = APIKey.workingSuccessor(of: id, among: keys, at: transaction.now) {
        throw StoreError(
          .inUse,
          "The key \(id) was rotated already. Rotate its successor: launchlink key rotate "
            + "\(successor.id)")
      }
      if keys.contains(where: { $0.replaces == id }) {
        throw StoreError(
          .inUse,
          "The key \(id) was rotated already, and its successor works no more. Make a new one: launchlink "
            + "key create --help")
      }
      let issued = try transaction.issueKey(
        name: old.name, scopes: old.scopes, projectID: old.projectID,
        expiresAt: old.renewedExpiry(from: transaction.now), replaces: id)
      var ending = old
      let end = transaction.now.adding(seconds: graceSeconds)
      ending.expiresAt = min(old.expiresAt ?? end, end)
      // No time limit, which would be open again where the time of day is set back.
      if graceSeconds == 0 { ending.revokedAt = ending.expiresAt }
      try transaction.connection.run(
        "UPDATE api_key SET expires_at = ?, revoked_at = ? WHERE key_id = ?",
        ending.expiresAt?.milliseconds, ending.revokedAt?.milliseconds, id.description)
      try transaction.audit("key.rotate", id.description, old: old.json, new: ending.json)
      try transaction.audit("key.create", issued.key.id.description, new: issued.key.json)
      return IssuedAPIKey(key: issued.key, secret: issued.secret, replaced: ending)
    }
  }

  func revokeAPIKey(_ id: KeyID, by actor: Actor) throws -> APIKey {
    try write(by: actor) { transaction in
      let old = try transaction.key(id)
      guard !old.isRevoked else { return old }
      var new = old
      new.revokedAt = transaction.now
      try transaction.connection.run(
        "UPDATE api_key SET revoked_at = ? WHERE key_id = ?",
        transaction.now.milliseconds, id.description)
      try transaction.audit("key.revoke", id.description, old: old.json, new: new.json)
      return new
    }
  }
}

extension Transaction {
  fileprivate func key(_ id: KeyID) throws -> APIKey {
    let found = try APIKeyTable.keys(connection, where: "key_id = ?", [id.description])
    guard let key = found.first else {
      throw StoreError(.notFound, "There is no API key \(id). Run: launchlink key list")
    }
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
    try connection.run(
      """
      INSERT INTO api_key (key_id, digest, name, scopes, project_id, created_at, expires_at, replaces)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      """,
      key.id.description, secret.digest, key.name, key.scopeNames.joined(separator: " "),
      key.projectID?.description, key.createdAt.milliseconds, key.expiresAt?.milliseconds,
      key.replaces?.description)
    return IssuedAPIKey(key: key, secret: secret, replaced: nil)
  }
}

extension APIKey {
  /// The newest key that took the place of another, or of one that had taken it, and that works.
  ///
  /// - Parameters:
  ///   - id: the key that was rotated.
  ///   - keys: where successors are looked for.
  ///   - now: the time.
  /// - Returns: nil where the key was not rotated, or nothing that came of it works any more.
  public static func workingSuccessor(
    of id: KeyID, among keys: [APIKey], at now: Timestamp
  ) -> APIKey? {
    let next = keys.filter { $0.replaces == id }
    let later = next.compactMap { workingSuccessor(of: $0.id, among: keys, at: now) }
    return later.first ?? next.first { $0.works(at: now) }
  }

  /// A successor lives as long from now as this key was made to live.
  fileprivate func renewedExpiry(from now: Timestamp) -> Timestamp? {
    expiresAt.map {
      Timestamp(milliseconds: now.milliseconds + $0.milliseconds - createdAt.milliseconds)
    }
  }
}

/// Rows of `api_key`.
enum APIKeyTable {
  private static let columns =
    "key_id, name, scopes, project_id, created_at, expires_at, revoked_at, replaces"

  static func keys(
    _ connection: Connection, where condition: String, _ values: [(any Bindable)?] = []
  ) throws -> [APIKey] {
    try connection.rows(
      "SELECT \(columns) FROM api_key WHERE \(condition) ORDER BY created_at DESC, key_id",
      values: values, make: make)
  }

  /// The key of an id.
  static func key(_ connection: Connection, _ id: KeyID) throws -> APIKey? {
    try connection.first(
      "SELECT \(columns) FROM api_key WHERE key_id = ?", id.description
    ) { try make($0) }
  }

  /// The key that took the place of another.
  static func successor(_ connection: Connection, of id: KeyID) throws -> KeyID? {
    try connection.first("SELECT key_id FROM api_key WHERE replaces = ?", id.description) {
      try known(KeyID($0.text(0)))
    }
  }

  /// The key of an id whose secret has this digest, looked up in the same time for every other one.
  ///
  /// The row at or behind the id's place is read, so that one is there also for an id that is not:
  /// `key_id = ?` took 0.6 µs longer for an id that is there. SQLite compares digests byte by byte;
  /// what that may tell helps nobody, for no secret can be chosen by its digest.
  static func key(_ connection: Connection, _ id: KeyID, digest: [UInt8]) throws -> APIKey? {
    try connection.first(
      """
      SELECT \(columns) FROM
        (SELECT \(columns), digest FROM api_key WHERE key_id >= ? ORDER BY key_id LIMIT 1)
      WHERE digest = ?
      """, id.description, digest
    ) { try make($0) }
  }

  private static func make(_ row: borrowing Row) throws -> APIKey {
    let scopes = try row.text(2).split(separator: " ").map {
      try known(Scope(rawValue: String($0)))
    }
    return APIKey(
      id: try known(KeyID(row.text(0))), name: try row.text(1), scopes: Set(scopes),
      projectID: try row.optionalText(3).map { try known(ProjectID($0)) },
      createdAt: try row.time(4), expiresAt: try row.optionalTime(5),
      revokedAt: try row.optionalTime(6),
      replaces: try row.optionalText(7).map { try known(KeyID($0)) })
  }
}
