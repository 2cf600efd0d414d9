package import Domain
internal import SQLite
package import Store

/// Rows of `used_launch` and `log_out`.
extension SQLiteRows {
  package func isUsed(_ id: LaunchID) throws -> Bool {
    try connection.first(
      "SELECT 1 FROM used_launch WHERE launch_id = ?", id.description
    ) { _ in true } ?? false
  }

  package func insertUse(of id: LaunchID, at now: Timestamp, runningTime: Int64) throws -> Bool {
    let added = try connection.run(
      """
      INSERT INTO used_launch (launch_id, at, running_time) VALUES (?, ?, ?) ON CONFLICT DO NOTHING
      """,
      id.description, now.milliseconds, runningTime)
    return added == 1
  }

  package func forEachUsedLaunch(_ body: (LaunchID, _ at: Timestamp) throws -> Void) throws {
    try connection.forEach("SELECT launch_id, at FROM used_launch") { row in
      try body(known(LaunchID(row.text(0))), row.time(1))
    }
  }

  package func latestLogOut(of projectID: ProjectID) throws -> Timestamp? {
    try connection.first(
      "SELECT at FROM log_out WHERE project_id = ? ORDER BY at DESC LIMIT 1", projectID.description
    ) { try $0.time(0) }
  }

  package func lastLogOut(of user: LoggedOutUser) throws -> Timestamp? {
    try connection.first(
      "SELECT at FROM log_out WHERE project_id = ? AND user_digest = ?",
      user.projectID.description, user.digest
    ) { try $0.time(0) }
  }

  package func saveLogOut(
    of user: LoggedOutUser, at time: Timestamp, runningTime: Int64
  ) throws {
    try connection.run(
      """
      INSERT INTO log_out (project_id, user_digest, at, running_time) VALUES (?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET at = max(at, excluded.at), running_time = excluded.running_time
      """,
      user.projectID.description, user.digest, time.milliseconds, runningTime)
  }

  package func carryLogOut(
    of user: LoggedOutUser, at time: Timestamp, runningTime: Int64
  ) throws {
    try connection.run(
      """
      INSERT INTO log_out (project_id, user_digest, at, running_time)
      SELECT project_id, ?2, ?3, ?4 FROM project WHERE project_id = ?1
      ON CONFLICT DO UPDATE SET at = max(at, excluded.at)
      """,
      user.projectID.description, user.digest, time.milliseconds, runningTime)
  }

  package func forEachLogOut(_ body: (LoggedOutUser, _ at: Timestamp) throws -> Void) throws {
    try connection.forEach("SELECT project_id, user_digest, at FROM log_out") { row in
      let user = LoggedOutUser(of: try known(ProjectID(row.text(0))), digest: try row.blob(1))
      try body(user, row.time(2))
    }
  }

  package func removeUsesAndLogOuts(
    runningTimeBelow runningTime: Int64, before time: Timestamp, atMost count: Int
  ) throws -> Bool {
    let removed = try [("used_launch", "launch_id"), ("log_out", "project_id, user_digest")].map {
      table, key in
      try connection.run(
        """
        DELETE FROM \(table) WHERE (\(key)) IN
          (SELECT \(key) FROM \(table) WHERE running_time < ? AND at < ? LIMIT ?)
        """, runningTime, time.milliseconds, count)
    }
    return removed.contains(count)
  }
}
