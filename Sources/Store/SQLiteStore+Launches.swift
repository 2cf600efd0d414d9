internal import Cryptography
internal import Glibc
internal import JSON
internal import Domain
internal import SQLite

extension SQLiteStore {
  func logOut(
    _ userID: String, of projectID: ProjectID, by actor: Actor?
  ) throws -> Timestamp {
    guard let actor else {
      let moment = try write { connection, now in
        try LogOutTable.save(connection, userID, of: projectID, time, retention, now: now)
      }
      wait(past: moment)
      return moment.launchTime
    }
    let moment = try write(by: actor) { transaction in
      _ = try transaction.project(projectID)
      let moment = try LogOutTable.save(
        transaction.connection, userID, of: projectID, time, retention, now: transaction.now)
      let key = try DigestKeyTable.userKey(transaction.connection, transaction.keyRing)
      try transaction.audit(
        "user.revoke", projectID.description,
        new: ["user_digest": .string(key.digest(of: userID, in: projectID))])
      return moment
    }
    wait(past: moment)
    return moment.launchTime
  }

  /// Waits until launches are named by a later time, which is the next millisecond.
  func wait(past moment: StoreMoment) {
    let clock = moment.clock(time)
    for _ in 0..<100 where clock.now <= moment.launchTime { usleep(300) }
  }

  func use(_ id: LaunchID) throws -> Bool {
    try write { connection, now in
      let moment = try LaunchClockTable.advance(
        connection, time, past: LatestLaunchTable.floor(connection))
      try retention.clean(connection, at: moment, now: now)
      let added = try connection.run(
        """
        INSERT INTO used_launch (launch_id, at, running_time) VALUES (?, ?, ?) ON CONFLICT DO NOTHING
        """,
        id.description.lowercased(), now.milliseconds, moment.runningTime)
      return added == 1
    }
  }
}

/// Rows of `log_out`; the user stands there as a digest only.
enum LogOutTable {
  /// Logs a user out: every launch that was issued until now lies at or before the moment's time.
  static func save(
    _ connection: Connection, _ userID: String, of projectID: ProjectID, _ time: StoreTime,
    _ retention: Retention, now: Timestamp
  ) throws -> StoreMoment {
    let moment = try LaunchClockTable.advance(
      connection, time, past: earliestLaunch(connection, of: projectID))
    try retention.clean(connection, at: moment, now: now)
    try connection.run(
      """
      INSERT INTO log_out (project_id, user_digest, at, running_time) VALUES (?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET at = max(at, excluded.at), running_time = excluded.running_time
      """,
      projectID.description, digest(userID, projectID), moment.launchTime.milliseconds,
      moment.runningTime)
    return moment
  }

  /// The clock that the project's launches are named by.
  static func clock(
    _ connection: Connection, _ time: StoreTime, of projectID: ProjectID
  ) throws -> LaunchClock {
    try LaunchClockTable.clock(
      connection, time, earliest: earliestLaunch(connection, of: projectID))
  }

  /// What no launch of the project may lie before: the project itself, and what the store has seen.
  ///
  /// It lies before now by the clock of launches, unless that was never set since.
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

/// The row of `latest_launch`, from which the clock of launches goes on after the machine was started.
enum LatestLaunchTable {
  static func save(_ time: Timestamp, _ connection: Connection) throws {
    try connection.run("UPDATE latest_launch SET at = ?1 WHERE at < ?1", time.milliseconds)
  }

  /// What the clock of launches has passed already: the latest launch, as far as it was written down, and
  /// every log-out.
  static func floor(_ connection: Connection) throws -> Timestamp {
    try connection.first(
      """
      SELECT max(at, ifnull((SELECT at FROM log_out ORDER BY at DESC LIMIT 1), 0))
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
