package import Domain
internal import SQLite
internal import Store

/// Rows of `web_version`, which has one, and of `cookie`.
extension SQLiteRows {
  package func webVersion() throws -> WebVersion? {
    try connection.first("SELECT latest FROM web_version") { try known(WebVersion($0.text(0))) }
  }

  package func save(_ version: WebVersion) throws {
    try connection.run(
      """
      INSERT INTO web_version (only, latest) VALUES (1, ?)
      ON CONFLICT DO UPDATE SET latest = excluded.latest
      """, version.description)
  }

  package func cookies() throws -> [WebViewCookie] {
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

  package func insert(_ cookie: WebViewCookie) throws {
    try connection.run(
      """
      INSERT INTO cookie (project_id, name, value, domain, path, secure, http_only, same_site,
        expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      cookie.projectID?.description, cookie.name, cookie.value, cookie.domain, cookie.path,
      cookie.isSecure, cookie.isHTTPOnly, cookie.sameSite.rawValue,
      cookie.expiresAt?.milliseconds)
  }

  package func remove(_ cookie: WebViewCookie) throws {
    try connection.run(
      "DELETE FROM cookie WHERE project_id IS ? AND name = ? AND domain = ? AND path = ?",
      cookie.projectID?.description, cookie.name, cookie.domain, cookie.path)
  }
}
