package import Domain
internal import JSON
internal import SQLite
package import Store

/// Rows of `audit`.
extension SQLiteRows {
  package func auditEntries(_ query: AuditQuery) throws -> [AuditEntry] {
    var conditions = ["1"]
    var values: [(any Bindable)?] = []
    if let action = query.action {
      conditions.append("(action = ? OR substr(action, 1, ?) = ?)")
      values += [action, action.unicodeScalars.count + 1, action + "."]
    }
    if let subject = query.subject {
      conditions.append("subject = ?")
      values.append(subject)
    }
    if let user = query.user {
      conditions.append("(os_user = ? OR sudo_user = ?)")
      values += [user, user]
    }
    if let since = query.since {
      conditions.append("at >= ?")
      values.append(since.milliseconds)
    }
    if let until = query.until {
      conditions.append("at <= ?")
      values.append(until.milliseconds)
    }
    return try connection.rows(
      """
      SELECT at, os_user, sudo_user, action, subject, old, new FROM audit
      WHERE \(conditions.joined(separator: " AND ")) ORDER BY audit_id DESC LIMIT ?
      """,
      values: values + [query.limit], make: Self.auditEntry)
  }

  /// The time of the last change; looks at something secret do not count.
  package func lastChange() throws -> Timestamp? {
    try connection.first(
      """
      SELECT max(at) FROM audit WHERE action NOT IN ('db.backup', 'launch', 'signing-key.export')
      """
    ) { try $0.optionalTime(0) } ?? nil
  }

  /// The time of the last row of an action.
  func last(_ action: String) throws -> Timestamp? {
    try connection.first("SELECT max(at) FROM audit WHERE action = ?", action) {
      try $0.optionalTime(0)
    } ?? nil
  }

  package func append(_ entry: AuditEntry) throws {
    let text: (JSON) -> String = { String(decoding: $0.encoded(), as: UTF8.self) }
    try connection.run(
      """
      INSERT INTO audit (at, os_user, sudo_user, action, subject, old, new)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      """,
      entry.at.milliseconds, entry.actor.osUser, entry.actor.sudoUser, entry.action, entry.subject,
      entry.old.map(text), entry.new.map(text))
  }

  private static func auditEntry(_ row: borrowing Row) throws -> AuditEntry {
    AuditEntry(
      at: try row.time(0),
      actor: Actor(osUser: try row.text(1), sudoUser: try row.optionalText(2)),
      action: try row.text(3), subject: try row.text(4),
      old: try row.optionalText(5).map(json), new: try row.optionalText(6).map(json))
  }

  private static func json(_ text: String) throws -> JSON {
    do throws(JSONError) {
      return try JSON.parse(Array(text.utf8), isOwn: true)
    } catch {
      throw StoreError(.unusable, "The database is damaged: a row of the audit log is no JSON.")
    }
  }
}
