package import Domain
package import JSON

/// One change by an admin, under way in one transaction.
package struct Change: ~Copyable {
  /// The rows of the transaction.
  package let rows: any ChangingRows
  let keyRing: SharedKeyRing
  let time: StoreTime
  /// The time of the change.
  package let now: Timestamp
  /// Who makes it.
  let actor: Actor

  /// Seals a secret for a row that the transaction writes.
  func seal(_ secret: [UInt8], at place: KeyRing.Place) throws -> [UInt8] {
    try keyRing.seal(secret, at: place, in: rows)
  }

  /// Writes one row of the audit log; neither `old` nor `new` may hold a secret.
  package func audit(
    _ action: String, _ subject: String, old: JSON? = nil, new: JSON? = nil
  ) throws {
    assert(AuditQuery.actions.contains(action), "nobody could look for \(action)")
    try rows.append(
      AuditEntry(at: now, actor: actor, action: action, subject: subject, old: old, new: new))
  }
}
