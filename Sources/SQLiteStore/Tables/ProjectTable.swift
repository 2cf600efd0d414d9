package import Domain
internal import SQLite
internal import Store

/// Rows of `project`.
extension SQLiteRows {
  private static let projectColumns =
    "project_id, name, key_delivery, replay_policy, ttl, rate_limit, upstream, disabled_at, "
    + "created_at, updated_at"

  package func project(_ id: ProjectID) throws -> Project? {
    try connection.first(
      "SELECT \(Self.projectColumns) FROM project WHERE project_id = ?", id.description,
      make: Self.project)
  }

  package func projects() throws -> [Project] {
    try connection.rows(
      "SELECT \(Self.projectColumns) FROM project ORDER BY name, project_id", make: Self.project)
  }

  package func longestTTL() throws -> Int {
    try connection.first("SELECT coalesce(max(ttl), 0) FROM project") { try $0.int(0) } ?? 0
  }

  package func sealedWebAPIKey(of id: ProjectID) throws -> [UInt8]? {
    try connection.first("SELECT web_api_key FROM project WHERE project_id = ?", id.description) {
      try $0.blob(0)
    }
  }

  package func insert(_ project: Project, sealedWebAPIKey: [UInt8]) throws {
    try connection.run(
      """
      INSERT INTO project (project_id, name, web_api_key, key_delivery, replay_policy, ttl,
        rate_limit, upstream, created_at, updated_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      project.id.description, project.name, sealedWebAPIKey, project.keyDelivery.rawValue,
      project.replayPolicy.rawValue, project.ttl, project.rateLimit, project.upstream,
      project.createdAt.milliseconds, project.updatedAt.milliseconds)
  }

  package func save(_ project: Project) throws {
    try connection.run(
      """
      UPDATE project SET name = ?, key_delivery = ?, replay_policy = ?, ttl = ?, rate_limit = ?,
        upstream = ?, disabled_at = ?, updated_at = ? WHERE project_id = ?
      """,
      project.name, project.keyDelivery.rawValue, project.replayPolicy.rawValue, project.ttl,
      project.rateLimit, project.upstream, project.disabledAt?.milliseconds,
      project.updatedAt.milliseconds, project.id.description)
  }

  package func save(sealedWebAPIKey: [UInt8], of id: ProjectID) throws {
    try connection.run(
      "UPDATE project SET web_api_key = ? WHERE project_id = ?", sealedWebAPIKey, id.description)
  }

  package func remove(_ id: ProjectID) throws {
    try connection.run("DELETE FROM project WHERE project_id = ?", id.description)
  }

  private static func project(_ row: borrowing Row) throws -> Project {
    Project(
      id: try known(ProjectID(row.text(0))), name: try row.text(1),
      keyDelivery: try known(KeyDelivery(rawValue: row.text(2))),
      replayPolicy: try known(ReplayPolicy(rawValue: row.text(3))), ttl: try row.int(4),
      rateLimit: try row.int(5), upstream: try row.text(6), disabledAt: try row.optionalTime(7),
      createdAt: try row.time(8), updatedAt: try row.time(9))
  }
}
