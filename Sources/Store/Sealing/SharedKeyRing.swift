internal import Domain
internal import Platform

/// The key ring of a process, which finds out that another process has changed it.
package final class SharedKeyRing: Sendable {
  private let ring: Locked<KeyRing>

  /// Shares a ring.
  package init(_ ring: KeyRing) {
    self.ring = Locked(ring)
  }

  /// The ring as it was last read.
  var current: KeyRing {
    get { ring.withLock { $0 } }
    set { ring.withLock { $0 = newValue } }
  }

  /// Seals a value that the transaction under way writes.
  ///
  /// The file is read anew. Commands rotate and drop master keys only under the write lock, so they find every
  /// key that seals a value. A copy of the ring from before a rotation opens no value and is refused.
  func seal(
    _ secret: [UInt8], at place: KeyRing.Place, in rows: any ChangingRows
  ) throws -> [UInt8] {
    let ring = try underWriteLock(of: rows)
    try requireFit(to: rows)
    return try ring.seal(secret, at: place)
  }

  /// The ring of the transaction under way, which nobody changes while it has the write lock.
  func underWriteLock(of rows: any ChangingRows) throws -> KeyRing {
    precondition(rows.isAlone, "the ring could change before the transaction ends")
    let ring = try current.asOfNow()
    current = ring
    return ring
  }

  /// Opens a sealed value, with a ring that is read anew where the key is not known.
  package func open(_ sealed: [UInt8], at place: KeyRing.Place) throws -> [UInt8] {
    if !current.holds(KeyRing.id(of: sealed)) { current = try current.asOfNow() }
    return try current.open(sealed, at: place)
  }

  /// Whether a sealed value opens.
  func opens(_ sealed: [UInt8], at place: KeyRing.Place) throws -> Bool {
    do {
      _ = try open(sealed, at: place)
      return true
    } catch let error as StoreError where error.kind == .unusable {
      return false
    }
  }
}

// The secrets of the rows; each question opens only the value that it is about.
extension SharedKeyRing {
  /// Refuses a key ring that is not the database's: it opens neither a signing key nor the key for users' names.
  ///
  /// It opens the active signing key. Only where that is damaged does it try the others, since one damaged secret
  /// says nothing of the ring.
  func requireFit(to rows: any KnowledgeRows) throws {
    let secrets = try rows.signingSecrets()
    for secret in secrets where try opens(secret.bytes, at: .signingKey(secret.id)) { return }
    let digest = try rows.sealedUserDigestKey()
    if let digest, try opens(digest, at: .userDigestKey) { return }
    // The error of the first one says why.
    if let secret = secrets.first {
      _ = try open(secret.bytes, at: .signingKey(secret.id))
    } else if let digest {
      _ = try open(digest, at: .userDigestKey)
    }
  }

  /// The secret of a signing key that is there.
  func secret(of id: SigningKeyID, in rows: any KnowledgeRows) throws -> [UInt8] {
    try open(known(rows.sealedSecret(of: id)), at: .signingKey(id))
  }

  /// Signs a project's launches with the active signing key; nil where none is active.
  func activeSigner(for projectID: ProjectID, in rows: any KnowledgeRows) throws -> LaunchSigner? {
    guard let active = try rows.activeSigningSecret() else { return nil }
    let secret = try open(active.bytes, at: .signingKey(active.id))
    return LaunchSigner(keyID: active.id, secret: secret, projectID: projectID)
  }

  /// The Web API Key of a project that is there.
  func webAPIKey(of id: ProjectID, in rows: any KnowledgeRows) throws -> String {
    let key = try open(rows.sealedWebAPIKey(of: id) ?? [], at: .webAPIKey(of: id))
    return String(decoding: key, as: UTF8.self)
  }

  /// The key that names users in logs.
  func userDigestKey(in rows: any KnowledgeRows) throws -> UserDigestKey {
    UserDigestKey(secret: try open(known(rows.sealedUserDigestKey()), at: .userDigestKey))
  }
}
