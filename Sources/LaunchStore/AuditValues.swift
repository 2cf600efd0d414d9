public import JSON
public import LaunchDomain

/// One row of the audit log.
public struct AuditEntry: Sendable, Equatable {
  /// When it was done.
  public let at: Timestamp
  /// Who did it.
  public let actor: Actor
  /// What was done, such as `key.revoke`.
  public let action: String
  /// To what, mostly an id.
  public let subject: String
  /// What was there before; nil where nothing was.
  public let old: JSON?
  /// What was there afterwards; nil where nothing was.
  public let new: JSON?
}

/// Which rows of the audit log to read, newest first.
public struct AuditQuery: Sendable {
  /// Rows at the most and by default.
  public static let limits = 1...100_000
  /// See `limits`.
  public static let defaultLimit = 50

  /// An action, or the noun that several begin with: `key` finds `key.create` and `key.revoke`.
  public var action: String?
  /// What it was done to.
  public var subject: String?
  /// Who did it, by either name of the actor.
  public var user: String?
  /// The earliest time.
  public var since: Timestamp?
  /// The latest time.
  public var until: Timestamp?
  /// Within `limits`.
  public var limit = AuditQuery.defaultLimit

  /// Asks for the newest rows.
  public init() {}
}
