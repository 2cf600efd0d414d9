internal import SQLite
internal import Store

/// Rows of `digest_key`: secrets that logs name things with.
extension SQLiteRows {
  private static let user = "user"

  package func sealedUserDigestKey() throws -> [UInt8]? {
    try connection.first("SELECT secret FROM digest_key WHERE subject = ?", Self.user) {
      try $0.blob(0)
    }
  }

  package func insert(sealedUserDigestKey: [UInt8]) throws {
    try connection.run(
      "INSERT INTO digest_key (subject, secret) VALUES (?, ?)", Self.user, sealedUserDigestKey)
  }
}
