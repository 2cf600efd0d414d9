package import Domain
internal import SQLite
internal import Store

/// Rows of `api_key`.
extension SQLiteRows {
  private static let apiKeyColumns =
    "key_id, name, scopes, project_id, created_at, expires_at, revoked_at, replaces"

  package func apiKey(_ id: KeyID) throws -> APIKey? {
    try connection.first(
      "SELECT \(Self.apiKeyColumns) FROM api_key WHERE key_id = ?", id.description,
      make: Self.apiKey)
  }

  /// The key with an id and the digest of its secret; every refusal takes the same time.
  ///
  /// The query reads the row at or after the id, so that it reads a row for an unknown id too: with `key_id = ?`
  /// a known id took 0.6 µs longer. SQLite compares digests byte by byte, which tells an attacker nothing, since
  /// nobody can choose a secret by its digest.
  package func apiKey(_ id: KeyID, digest: [UInt8]) throws -> APIKey? {
    try connection.first(
      """
      SELECT \(Self.apiKeyColumns) FROM
        (SELECT \(Self.apiKeyColumns), digest FROM api_key WHERE key_id >= ? ORDER BY key_id LIMIT 1)
      WHERE digest = ?
      """, id.description, digest, make: Self.apiKey)
  }

  package func apiKeys(of projectID: ProjectID?) throws -> [APIKey] {
    guard let projectID else { return try apiKeys(where: "1") }
    return try apiKeys(where: "project_id = ?", [projectID.description])
  }

  package func successors() throws -> [APIKey] { try apiKeys(where: "replaces IS NOT NULL") }

  private func apiKeys(
    where condition: String, _ values: [(any Bindable)?] = []
  ) throws -> [APIKey] {
    try connection.rows(
      "SELECT \(Self.apiKeyColumns) FROM api_key WHERE \(condition) ORDER BY created_at DESC, key_id",
      values: values, make: Self.apiKey)
  }

  package func successor(of id: KeyID) throws -> KeyID? {
    try connection.first("SELECT key_id FROM api_key WHERE replaces = ?", id.description) {
      try known(KeyID($0.text(0)))
    }
  }

  package func countAPIKeys(validAt now: Timestamp, expiringBefore end: Timestamp) throws -> Int {
    try connection.first(
      """
      SELECT count(*) FROM api_key AS key
      WHERE revoked_at IS NULL AND expires_at > ? AND expires_at < ?
        AND NOT EXISTS (SELECT 1 FROM api_key WHERE replaces = key.key_id)
      """, now.milliseconds, end.milliseconds
    ) { try $0.int(0) } ?? 0
  }

  package func insert(_ key: APIKey, digest: [UInt8]) throws {
    try connection.run(
      """
      INSERT INTO api_key (key_id, digest, name, scopes, project_id, created_at, expires_at, replaces)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      """,
      key.id.description, digest, key.name, key.scopeNames.joined(separator: " "),
      key.projectID?.description, key.createdAt.milliseconds, key.expiresAt?.milliseconds,
      key.replaces?.description)
  }

  package func saveEnd(of key: APIKey) throws {
    try connection.run(
      "UPDATE api_key SET expires_at = ?, revoked_at = ? WHERE key_id = ?",
      key.expiresAt?.milliseconds, key.revokedAt?.milliseconds, key.id.description)
  }

  private static func apiKey(_ row: borrowing Row) throws -> APIKey {
    APIKey(
      id: try known(KeyID(row.text(0))), name: try row.text(1), scopes: try scopes(row.text(2)),
      projectID: try row.optionalText(3).map { try known(ProjectID($0)) },
      createdAt: try row.time(4), expiresAt: try row.optionalTime(5),
      revokedAt: try row.optionalTime(6),
      replaces: try row.optionalText(7).map { try known(KeyID($0)) })
  }

  private static func scopes(_ names: String) throws -> Set<Scope> {
    // Most keys have one scope.
    if let scope = Scope(rawValue: names) { return [scope] }
    return Set(try names.split(separator: " ").map { try known(Scope(rawValue: String($0))) })
  }
}
