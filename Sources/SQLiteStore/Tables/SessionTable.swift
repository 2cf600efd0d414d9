package import Domain
internal import SQLite
internal import Store

/// Rows of `session`.
extension SQLiteRows {
  /// The time of a lookup by digest tells nothing of the id.
  package func session(digest: [UInt8]) throws -> SupportSession? {
    let found = try connection.first(
      "SELECT key_id, expires_at FROM session WHERE digest = ?", digest
    ) { row in (keyID: try known(KeyID(row.text(0))), expiresAt: try row.time(1)) }
    guard let found, let key = try apiKey(found.keyID) else { return nil }
    return SupportSession(key: key, expiresAt: found.expiresAt)
  }

  package func insertSession(digest: [UInt8], of keyID: KeyID, expiresAt: Timestamp) throws {
    try connection.run(
      "INSERT INTO session (digest, key_id, expires_at) VALUES (?, ?, ?)", digest,
      keyID.description, expiresAt.milliseconds)
  }

  package func removeSession(digest: [UInt8]) throws {
    try connection.run("DELETE FROM session WHERE digest = ?", digest)
  }

  package func removeEndedSessions(at now: Timestamp) throws {
    try connection.run(
      """
      DELETE FROM session WHERE expires_at <= ?1 OR key_id IN (
        SELECT key_id FROM api_key WHERE revoked_at IS NOT NULL OR expires_at <= ?1)
      """, now.milliseconds)
  }

  package func removeAllSessions() throws {
    try connection.run("DELETE FROM session")
  }
}
