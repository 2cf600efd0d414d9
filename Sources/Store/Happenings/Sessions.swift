public import Domain

extension Store {
  /// Signs a browser in to the support pages, and removes the sessions that have ended.
  ///
  /// The audit log has no row of it, since it is no change by an admin.
  ///
  /// - Parameters:
  ///   - token: the new session's id, of which only the digest is stored.
  ///   - keyID: the key that was presented; the session ends with it.
  ///   - seconds: the lifetime, at most `SupportSession.lifetime`.
  ///   - old: the browser's session so far, which ends.
  /// - Throws: `StoreError` of kind `notFound` where the key has gone meanwhile.
  public func beginSession(
    _ token: SessionToken, of keyID: KeyID, seconds: Int, replacing old: SessionToken?
  ) throws {
    try tables.change(.request) { rows in
      let now = time.ofDay()
      try rows.removeEndedSessions(at: now)
      if let old { try rows.removeSession(digest: old.digest) }
      guard try rows.apiKey(keyID) != nil else { throw StoreError.noAPIKey(keyID) }
      try rows.insertSession(
        digest: token.digest, of: keyID,
        expiresAt: now.adding(seconds: min(seconds, SupportSession.lifetime)))
    }
  }

  /// Ends a session; doing it again changes nothing.
  public func endSession(_ token: SessionToken) throws {
    try tables.change(.request) { rows in try rows.removeSession(digest: token.digest) }
  }
}
