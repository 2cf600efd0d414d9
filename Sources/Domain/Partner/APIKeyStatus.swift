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

  /// Whether it is neither revoked nor expired.
  public func works(at now: Timestamp) -> Bool {
    revokedAt == nil && expiresAt.map { $0 > now } ?? true
  }

  /// Whether an admin revoked it.
  ///
  /// A rotation without grace sets `revokedAt` and `expiresAt` to the same time, so that the key
  /// stays ended even where the clock is set back.
  public var isRevoked: Bool { revokedAt != nil && revokedAt != expiresAt }

  /// Where it stands.
  ///
  /// - Parameters:
  ///   - now: the time.
  ///   - successor: the key that replaced it; nil where it was not rotated.
  /// - Returns: one of the five; a revoked key is always `revoked`.
  public func status(at now: Timestamp, successor: KeyID?) -> Status {
    if isRevoked { return .revoked }
    if !works(at: now) { return successor == nil ? .expired : .replaced }
    let isEnding = expiresAt.map { $0 < now.adding(seconds: Self.noticePeriod) } ?? false
    return successor != nil || isEnding ? .expiring : .active
  }
}
