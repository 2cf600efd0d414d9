internal import Cryptography
internal import JSON
internal import LaunchDomain
internal import SQLite

extension SQLiteStore {
  func logOut(
    _ userID: String, of projectID: ProjectID, at time: Timestamp, by actor: Actor?
  ) throws -> Timestamp {
    guard let actor else {
      return try write { connection, now in
        try LogOutTable.save(connection, userID, of: projectID, at: time, now: now)
      }
    }
    return try write(by: actor) { transaction in
      _ = try transaction.project(projectID)
      let time = try LogOutTable.save(
        transaction.connection, userID, of: projectID, at: time, now: transaction.now)
      let key = try DigestKeyTable.userKey(transaction.connection, transaction.keyRing)
      try transaction.audit(
        "user.revoke", projectID.description,
        new: ["user_digest": .string(key.digest(of: userID, in: projectID))])
      return time
    }
  }

  func use(_ id: LaunchID) throws -> Bool {
    try write { connection, now in
      try connection.run(
        "DELETE FROM used_launch WHERE at < ?", Retention.start(at: now).milliseconds)
      let added = try connection.run(
        "INSERT INTO used_launch (launch_id, at) VALUES (?, ?) ON CONFLICT DO NOTHING",
        id.description.lowercased(), now.milliseconds)
      return added == 1
    }
  }
}

/// How long used launches and log-outs matter.
private enum Retention {
  /// What lies before has no bundle left that it could refuse, even with the clock set back a day.
  static func start(at now: Timestamp) -> Timestamp {
    now.adding(seconds: -(86_400 + Project.lifetimes.upperBound))
  }
}

/// Rows of `log_out`; the user stands there as a digest only.
enum LogOutTable {
  /// Logs a user out up to a time, or up to the earliest launch of now where that lies later.
  ///
  /// - Returns: the time.
  static func save(
    _ connection: Connection, _ userID: String, of projectID: ProjectID, at time: Timestamp,
    now: Timestamp
  ) throws -> Timestamp {
    let time = max(time, try earliestLaunch(connection, of: projectID))
    try connection.run(
      "DELETE FROM log_out WHERE at < ?", Retention.start(at: now).milliseconds)
    try connection.run(
      """
      INSERT INTO log_out (project_id, user_digest, at) VALUES (?, ?, ?)
      ON CONFLICT DO UPDATE SET at = max(at, excluded.at)
      """,
      projectID.description, digest(userID, projectID), time.milliseconds)
    return time
  }

  /// What no launch of the project may lie before: the project itself, every log-out, and the latest
  /// launch of any server.
  ///
  /// It lies before now, unless the clock was ahead when these came; launches and log-outs then go on
  /// from there.
  static func earliestLaunch(
    _ connection: Connection, of projectID: ProjectID
  ) throws -> Timestamp {
    let created = try connection.first(
      "SELECT created_at FROM project WHERE project_id = ?", projectID.description
    ) { try $0.time(0) }
    let floor = try LatestLaunchTable.floor(connection)
    return max(created ?? floor, floor)
  }

  static func last(
    _ connection: Connection, _ userID: String, of projectID: ProjectID
  ) throws -> Timestamp? {
    try connection.first(
      "SELECT at FROM log_out WHERE project_id = ? AND user_digest = ?", projectID.description,
      digest(userID, projectID)
    ) { try $0.time(0) }
  }

  private static func digest(_ userID: String, _ projectID: ProjectID) -> [UInt8] {
    SHA256.hash(Array("\(projectID)\u{0}\(userID)".utf8)).bytes
  }
}

/// The row of `latest_launch`, from which log-outs and projects go on where the clock was ahead.
enum LatestLaunchTable {
  static func save(_ time: Timestamp, _ connection: Connection) throws {
    try connection.run("UPDATE latest_launch SET at = ?1 WHERE at < ?1", time.milliseconds)
  }

  /// What no launch may lie before that any server issues from now on: the latest, and every log-out.
  static func floor(_ connection: Connection) throws -> Timestamp {
    try connection.first(
      """
      SELECT max(at, ifnull((SELECT at + 1 FROM log_out ORDER BY at DESC LIMIT 1), 0))
      FROM latest_launch
      """
    ) { try $0.time(0) } ?? Timestamp(milliseconds: 0)
  }
}

/// Rows of `used_launch`.
enum UsedLaunchTable {
  static func contains(_ connection: Connection, _ id: LaunchID) throws -> Bool {
    try connection.first(
      "SELECT 1 FROM used_launch WHERE launch_id = ?", id.description.lowercased()
    ) { _ in true } ?? false
  }
}
