public import Domain

extension Happening {
  /// A browser's sign-in to the support pages, which removes the sessions that have ended.
  ///
  /// The audit log has no row of it, since it is no change by an admin.
  ///
  /// - Parameters:
  ///   - token: the new session's id, of which only the digest is stored.
  ///   - keyID: the key that was presented; the session ends with it.
  ///   - seconds: the lifetime, at most `SupportSession.lifetime`.
  ///   - old: the browser's session so far, which ends.
  /// - Returns: the happening; it fails with `StoreError` of kind `notFound` where the key has gone meanwhile.
  public static func beginSession(
    _ token: SessionToken, of keyID: KeyID, seconds: Int, replacing old: SessionToken?
  ) -> Happening<Void> {
    Happening<Void> { group in
      let (rows, now) = (group.rows, group.now)
      try rows.removeEndedSessions(at: now)
      if let old { try rows.removeSession(digest: old.digest) }
      guard try rows.apiKey(keyID) != nil else { throw StoreError.noAPIKey(keyID) }
      try rows.insertSession(
        digest: token.digest, of: keyID,
        expiresAt: now.adding(seconds: min(seconds, SupportSession.lifetime)))
    }
  }

  /// The end of a session; a second one changes nothing.
  public static func endSession(_ token: SessionToken) -> Happening<Void> {
    Happening<Void> { try $0.rows.removeSession(digest: token.digest) }
  }
}
