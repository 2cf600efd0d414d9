internal import Domain
internal import SQLite

extension SQLiteStore {
  func beginSession(
    _ token: SessionToken, of keyID: KeyID, seconds: Int, replacing old: SessionToken?
  ) throws {
    try write { connection, now in
      try connection.run(
        """
        DELETE FROM session WHERE expires_at <= ?1 OR digest = ?2 OR key_id IN (
          SELECT key_id FROM api_key WHERE revoked_at IS NOT NULL OR expires_at <= ?1)
        """,
        now.milliseconds, old?.digest)
      guard try APIKeyTable.key(connection, keyID) != nil else {
        throw StoreError(.notFound, "There is no API key \(keyID). Run: launchlink key list")
      }
      try connection.run(
        "INSERT INTO session (digest, key_id, expires_at) VALUES (?, ?, ?)", token.digest,
        keyID.description, now.adding(seconds: min(seconds, SupportSession.lifetime)).milliseconds)
    }
  }

  func endSession(_ token: SessionToken) throws {
    try write { connection, _ in
      _ = try connection.run("DELETE FROM session WHERE digest = ?", token.digest)
    }
  }
}

/// Rows of `session`.
enum SessionTable {
  /// Looked up by digest, which tells nothing of the id by how long it takes.
  static func session(_ connection: Connection, _ token: SessionToken) throws -> SupportSession? {
    let found = try connection.first(
      "SELECT key_id, expires_at FROM session WHERE digest = ?", token.digest
    ) { row in (keyID: try known(KeyID(row.text(0))), expiresAt: try row.time(1)) }
    guard let found, let key = try APIKeyTable.key(connection, found.keyID) else {
      return nil
    }
    return SupportSession(key: key, expiresAt: found.expiresAt)
  }
}
