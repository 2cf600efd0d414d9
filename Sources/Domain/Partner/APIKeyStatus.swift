extension APIKey {
  /// Where a key stands in its life.
  public enum Status: String, Sendable, CaseIterable {
    /// It works, and no end is near.
    case active
    /// It works, and its end is near: it was rotated, or expires within ``noticePeriod``.
    case expiring
    /// Its time is over.
    case expired
    /// An admin ended it.
    case revoked
    /// It was rotated, and the time of grace is over.
    case replaced
  }

  /// Seconds before its end from which on a key is called expiring: 14 days.
  public static let noticePeriod = 14 * 86_400

  /// Whether it is neither revoked nor expired.
  public func works(at now: Timestamp) -> Bool {
    revokedAt == nil && expiresAt.map { $0 > now } ?? true
  }

  /// Whether an admin revoked it.
  ///
  /// A rotation without grace ends a key at one moment as both of its ends, so that no clock which is set
  /// back afterwards brings it back.
  public var isRevoked: Bool { revokedAt != nil && revokedAt != expiresAt }

  /// Where it stands.
  ///
  /// - Parameters:
  ///   - now: the time.
  ///   - successor: the key that took its place; nil where it was not rotated.
  /// - Returns: one of the five; a revoked key is that, whatever else it is.
  public func status(at now: Timestamp, successor: KeyID?) -> Status {
    if isRevoked { return .revoked }
    if !works(at: now) { return successor == nil ? .expired : .replaced }
    let isEnding = expiresAt.map { $0 < now.adding(seconds: Self.noticePeriod) } ?? false
    return successor != nil || isEnding ? .expiring : .active
  }
}
