package import Domain
internal import SQLite
package import Store

/// Rows of `signing_key`.
extension SQLiteRows {
  private static let signingKeyColumns =
    "key_id, state, created_at, activated_at, retired_at, revoked_at"

  package func signingKey(_ id: SigningKeyID) throws -> SigningKey? {
    try signingKeys(longestTTL: "longest_ttl", where: "key_id = ?", id.description).first
  }

  package func signingKeys() throws -> [SigningKey] {
    try signingKeys(longestTTL: "longest_ttl", where: "1")
  }

  /// The ids of all keys of a database of whatever schema version.
  package func signingKeyIDs() throws -> Set<String> {
    Set(try connection.rows("SELECT key_id FROM signing_key") { try $0.text(0) })
  }

  /// All keys of a database that may be of an earlier schema version.
  ///
  /// A column that such a database lacks has the value that its migration gives it.
  func signingKeysOfAnyVersion() throws -> [SigningKey] {
    let columns = try connection.rows("SELECT name FROM pragma_table_info('signing_key')") {
      try $0.text(0)
    }
    let column = "longest_ttl"
    return try signingKeys(
      longestTTL: columns.contains(column) ? column : "\(Project.lifetimes.upperBound)", where: "1")
  }

  private func signingKeys(
    longestTTL: String, where condition: String, _ values: (any Bindable)?...
  ) throws -> [SigningKey] {
    try connection.rows(
      """
      SELECT \(Self.signingKeyColumns), \(longestTTL) FROM signing_key WHERE \(condition)
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

  package func sealedSecret(of id: SigningKeyID) throws -> [UInt8]? {
    try signingSecrets("key_id = ?", id.description).first?.bytes
  }

  package func activeSigningSecret() throws -> SealedSigningSecret? {
    try signingSecrets("state = 'active'").first
  }

  package func signingSecrets() throws -> [SealedSigningSecret] {
    try signingSecrets("1 ORDER BY state = 'active' DESC, created_at DESC")
  }

  private func signingSecrets(
    _ condition: String, _ values: (any Bindable)?...
  ) throws -> [SealedSigningSecret] {
    try connection.rows(
      "SELECT key_id, secret FROM signing_key WHERE \(condition)", values: values
    ) {
      SealedSigningSecret(id: try known(SigningKeyID($0.text(0))), bytes: try $0.blob(1))
    }
  }

  package func insert(_ key: SigningKey, sealedSecret: [UInt8]) throws {
    try connection.run(
      """
      INSERT INTO signing_key (key_id, secret, state, created_at, activated_at, longest_ttl)
      VALUES (?, ?, ?, ?, ?, ?)
      """,
      key.id.description, sealedSecret, key.state.rawValue, key.createdAt.milliseconds,
      key.activatedAt?.milliseconds, key.longestTTL)
  }

  package func save(_ key: SigningKey) throws {
    try connection.run(
      """
      UPDATE signing_key SET state = ?, activated_at = ?, retired_at = ?, revoked_at = ?,
        longest_ttl = ? WHERE key_id = ?
      """,
      key.state.rawValue, key.activatedAt?.milliseconds, key.retiredAt?.milliseconds,
      key.revokedAt?.milliseconds, key.longestTTL, key.id.description)
  }

  package func raiseLongestTTL(to ttl: Int) throws {
    try connection.run(
      "UPDATE signing_key SET longest_ttl = ? WHERE state = 'active' AND longest_ttl < ?", ttl, ttl)
  }
}
