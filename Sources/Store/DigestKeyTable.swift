internal import Cryptography
internal import Domain
internal import SQLite

/// Rows of `digest_key`: secrets that logs name things with.
enum DigestKeyTable {
  private static let user = "user"
  private static let place = KeyRing.Place(table: "digest_key", row: user, column: "secret")

  /// Makes what a new database, or one of an older schema, does not have yet.
  ///
  /// - Parameters:
  ///   - connection: the database; outside a transaction.
  ///   - keyRing: what has just opened a secret of the database, where there is one.
  /// - Throws: `StoreError` where the ring is not the database's.
  static func addMissing(_ connection: Connection, _ keyRing: SharedKeyRing) throws {
    guard try sealed(connection) == nil else { return }
    try connection.transaction(.immediate) {
      guard try sealed(connection) == nil else { return }
      var generator = SecureRandom()
      let secret = randomBytes(32, using: &generator)
      try connection.run(
        "INSERT INTO digest_key (subject, secret) VALUES (?, ?)", user,
        keyRing.seal(secret, at: place, in: connection))
    }
  }

  /// What names users in logs.
  static func userKey(_ connection: Connection, _ keyRing: SharedKeyRing) throws -> UserDigestKey {
    UserDigestKey(secret: try keyRing.open(try known(sealed(connection)), at: place))
  }

  private static func sealed(_ connection: Connection) throws -> [UInt8]? {
    try connection.first("SELECT secret FROM digest_key WHERE subject = ?", user) {
      try $0.blob(0)
    }
  }
}
