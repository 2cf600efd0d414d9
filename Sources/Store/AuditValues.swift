public import Domain
public import JSON

/// One row of the audit log.
public struct AuditEntry: Sendable, Equatable {
  /// The time.
  public let at: Timestamp
  /// Who did it.
  public let actor: Actor
  /// The action, such as `key.revoke`.
  public let action: String
  /// The thing that was changed, mostly by its id.
  public let subject: String
  /// The value before; nil where there was none.
  public let old: JSON?
  /// The value afterwards; nil where there is none.
  public let new: JSON?

  /// Puts a row together.
  package init(
    at: Timestamp, actor: Actor, action: String, subject: String, old: JSON?, new: JSON?
  ) {
    self.at = at
    self.actor = actor
    self.action = action
    self.subject = subject
    self.old = old
    self.new = new
  }
}

/// A choice of rows of the audit log, newest first.
public struct AuditQuery: Sendable {
  /// Rows at the most and by default.
  public static let limits = 1...100_000
  /// See `limits`.
  public static let defaultLimit = 50
  /// Every action.
  public static let actions = [
    "catalog.add", "catalog.disable", "catalog.enable", "catalog.import", "catalog.remove",
    "catalog.update", "cookie.remove", "cookie.set", "db.backup", "db.restore", "key.create",
    "key.revoke", "key.rotate", "launch", "master-key.drop", "master-key.rotate", "project.create",
    "project.delete", "project.disable", "project.enable", "project.update",
    "signing-key.activate", "signing-key.create", "signing-key.export", "signing-key.retire",
    "signing-key.revoke", "user.revoke", "web-version.set",
  ]

  /// An action, or the noun that several begin with: `key` finds `key.create` and `key.revoke`.
  public var action: String?
  /// The thing that was changed.
  public var subject: String?
  /// Either name of the actor.
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
