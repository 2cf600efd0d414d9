internal import JSON
internal import Domain
internal import SQLite

extension SQLiteStore {
  func setWebVersion(_ version: WebVersion, by actor: Actor) throws {
    try write(by: actor) { transaction in
      let old = try WebVersionTable.latest(transaction.connection)
      guard old?.description != version.description else { return }
      try transaction.connection.run(
        """
        INSERT INTO web_version (only, latest) VALUES (1, ?)
        ON CONFLICT DO UPDATE SET latest = excluded.latest
        """, version.description)
      try transaction.audit(
        "web-version.set", "web-version", old: JSON(old?.description),
        new: .string(version.description))
    }
  }

  func setCookie(
    _ cookie: WebViewCookie, keeping attributes: Set<WebViewCookie.Attribute>, by actor: Actor
  ) throws -> WebViewCookie {
    try write(by: actor) { transaction in
      if let id = cookie.projectID { _ = try transaction.project(id) }
      let old = try CookieTable.cookies(transaction.connection).first(where: cookie.isSameAs)
      // Of one that has ended nothing is kept, its end least of all.
      let hasEnded = old?.expiresAt.map { $0 <= transaction.now } ?? false
      var cookie = cookie
      if let old, !hasEnded { cookie = try cookie.keeping(attributes, of: old) }
      guard old != cookie else { return cookie }
      try transaction.remove(cookie)
      try transaction.connection.run(
        """
        INSERT INTO cookie (project_id, name, value, domain, path, secure, http_only, same_site,
          expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        cookie.projectID?.description, cookie.name, cookie.value, cookie.domain, cookie.path,
        cookie.isSecure, cookie.isHTTPOnly, cookie.sameSite.rawValue,
        cookie.expiresAt?.milliseconds)
      let isOther = old.map { $0.value != cookie.value } ?? false
      try transaction.audit(
        "cookie.set", cookie.subject, old: old?.auditValue(),
        new: cookie.auditValue(isChanged: isOther))
      return cookie
    }
  }

  func removeCookie(_ cookie: WebViewCookie, by actor: Actor) throws {
    try write(by: actor) { transaction in
      let old = try CookieTable.cookies(transaction.connection).first(where: cookie.isSameAs)
      guard let old else {
        throw StoreError(.notFound, "There is no such cookie. Run: launchlink cookie list")
      }
      try transaction.remove(old)
      try transaction.audit("cookie.remove", old.subject, old: old.auditValue())
    }
  }
}

extension Transaction {
  fileprivate func remove(_ cookie: WebViewCookie) throws {
    try connection.run(
      "DELETE FROM cookie WHERE project_id IS ? AND name = ? AND domain = ? AND path = ?",
      cookie.projectID?.description, cookie.name, cookie.domain, cookie.path)
  }
}

extension WebViewCookie {
  fileprivate func isSameAs(_ other: WebViewCookie) -> Bool {
    projectID == other.projectID && takesThePlace(of: other)
  }

  fileprivate var subject: String { "\(name) of \(domain)\(path)" }

  /// Everything but the value, which may be a secret; of that only whether it became another.
  fileprivate func auditValue(isChanged: Bool = false) -> JSON {
    let members = json.objectValue?.filter { $0.name != "value" } ?? []
    return .object(
      [JSON.Member(name: "project_id", value: JSON(projectID?.description))] + members
        + (isChanged ? [JSON.Member(name: "value", value: "changed")] : []))
  }
}

/// The one row of `web_version`.
enum WebVersionTable {
  static func latest(_ connection: Connection) throws -> WebVersion? {
    try connection.first("SELECT latest FROM web_version") { try known(WebVersion($0.text(0))) }
  }
}

/// Rows of `cookie`.
enum CookieTable {
  static func cookies(_ connection: Connection) throws -> [WebViewCookie] {
    try connection.rows(
      """
      SELECT project_id, name, value, domain, path, secure, http_only, same_site, expires_at
      FROM cookie ORDER BY name, domain, path, project_id
      """
    ) { row in
      try WebViewCookie(
        projectID: row.optionalText(0).map { try known(ProjectID($0)) }, name: row.text(1),
        value: row.text(2), domain: row.text(3), path: row.text(4), isSecure: row.bool(5),
        isHTTPOnly: row.bool(6),
        sameSite: known(WebViewCookie.SameSite(rawValue: row.text(7))),
        expiresAt: row.optionalTime(8))
    }
  }
}
