internal import Cryptography
internal import Domain

extension UserDigestKey {
  /// Makes the key where a new database, or one of an older schema, has none.
  ///
  /// - Parameters:
  ///   - opened: the database.
  ///   - keyRing: the ring, which has just opened a secret of the database where there is one.
  /// - Throws: `StoreError` where the ring is not the database's.
  static func addMissing(to opened: any OpenedTables, _ keyRing: SharedKeyRing) throws {
    guard try opened.rows.sealedUserDigestKey() == nil else { return }
    try opened.change { rows in
      guard try rows.sealedUserDigestKey() == nil else { return }
      var generator = SecureRandom()
      let secret = randomBytes(32, using: &generator)
      try rows.insert(
        sealedUserDigestKey: keyRing.seal(secret, at: .userDigestKey, in: rows))
    }
  }
}
