extension APIKey {
  /// Where a key stands in its life.
  public enum Status: String, Sendable, CaseIterable {
    /// It works, and no end is near.
    case active
    /// It works, and its end is near: it was rotated, or expires within ``noticePeriod``.
    case expiring
    /// It has expired.
    case expired
    /// An admin ended it.
    case revoked
    /// It was rotated, and its grace period is over.
    case replaced
  }

  /// How many seconds before its end a key counts as expiring: 14 days.
  public static let noticePeriod = 14 * 86_400

  /// Whether a key works, or why not.
  public enum State: Sendable, Equatable {
    /// It works.
    case working
    /// Its time is over.
    case expired(at: Timestamp)
    /// An admin ended it.
    case revoked
  }

  /// Whether it works, or why not; the queries that count and remove keys by their state repeat this rule in SQL.
  ///
  /// A rotation without grace sets `revokedAt` and `expiresAt` to the same time. Such a key has
  /// expired, and stays so even where the clock is set back.
  public func state(at now: Timestamp) -> State {
    guard revokedAt == expiresAt || revokedAt == nil else { return .revoked }
    guard let end = expiresAt, revokedAt != nil || end <= now else { return .working }
    return .expired(at: end)
  }

  /// Whether it is neither revoked nor expired.
  public func works(at now: Timestamp) -> Bool { state(at: now) == .working }

  /// Whether an admin revoked it, which no time changes.
  public var isRevoked: Bool { state(at: createdAt) == .revoked }

  /// Where it stands.
  ///
  /// - Parameters:
  ///   - now: the time.
  ///   - successor: the key that replaced it; nil where it was not rotated.
  /// - Returns: one of the five; a revoked key is always `revoked`.
  public func status(at now: Timestamp, successor: KeyID?) -> Status {
    switch state(at: now) {
    case .revoked: return .revoked
    case .expired: return successor == nil ? .expired : .replaced
    case .working:
      let isEnding = expiresAt.map { $0 < now.adding(seconds: Self.noticePeriod) } ?? false
      return successor != nil || isEnding ? .expiring : .active
    }
  }
}
