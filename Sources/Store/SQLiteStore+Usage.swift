internal import Domain
internal import SQLite

extension SQLiteStore {
  func add(_ usage: Usage, on day: Day) throws {
    guard !usage.isEmpty else { return }
    try write { connection, _ in
      let newest = try LaunchCountTable.newestDay(connection)
      for (tally, launches) in usage.launches where launches > 0 {
        try LaunchCountTable.add(launches, to: tally, on: day, connection)
      }
      // Once a day; never where the clock is far behind, whose counts would go at once.
      if !usage.launches.isEmpty, newest.map({ $0 < day }) ?? false {
        try LaunchCountTable.removeOld(connection)
      }
      if let latest = usage.latestLaunch {
        try LatestLaunchTable.save(latest, connection)
        _ = try LaunchClockTable.advance(connection, time, past: latest)
      }
      for (keyID, time) in usage.lastUsed {
        try APIKeyUseTable.save(connection, keyID, at: time)
      }
    }
  }
}

/// Rows of `launch_count`.
enum LaunchCountTable {
  static func add(
    _ launches: Int, to tally: LaunchTally, on day: Day, _ connection: Connection
  ) throws {
    try connection.run(
      """
      INSERT INTO launch_count (day, project_id, key_id, page, platform, launches)
      VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET launches = launches + excluded.launches
      """,
      day.number, tally.projectID.description, tally.keyID.description, tally.page ?? "",
      tally.platform.rawValue, launches)
  }

  /// The last day that has counts; nil where none has.
  static func newestDay(_ connection: Connection) throws -> Day? {
    try connection.first("SELECT day FROM launch_count ORDER BY day DESC LIMIT 1") {
      Day(number: try $0.int(0))
    }
  }

  /// Removes all but the newest days that have counts.
  ///
  /// It goes by the days that are there and not by the clock: one that was years ahead for a moment
  /// leaves a wrong day behind, and no gap.
  static func removeOld(_ connection: Connection) throws {
    try connection.run(
      """
      DELETE FROM launch_count WHERE day < (
        SELECT min(day) FROM (SELECT DISTINCT day FROM launch_count ORDER BY day DESC LIMIT ?))
      """,
      LaunchCount.daysKept)
  }

  /// Launches of a period by the values of a property: days in their order, else most first.
  static func counts(
    _ connection: Connection, by property: LaunchProperty, in period: ClosedRange<Day>,
    of projectID: ProjectID?
  ) throws -> [LaunchCount] {
    let column = column(of: property)
    let order = property == .day ? "day" : "2 DESC, 1"
    return try connection.rows(
      """
      SELECT \(column), sum(launches) FROM launch_count
      WHERE day BETWEEN ?1 AND ?2 AND (?3 IS NULL OR project_id = ?3)
      GROUP BY \(column) ORDER BY \(order)
      """,
      period.lowerBound.number, period.upperBound.number, projectID?.description
    ) { row in
      let value =
        property == .day ? Day(number: try row.int(0)).description : try row.text(0)
      return LaunchCount(value: value, launches: try row.int(1))
    }
  }

  private static func column(of property: LaunchProperty) -> String {
    switch property {
    case .project: "project_id"
    case .key: "key_id"
    case .page: "page"
    case .platform: "platform"
    case .day: "day"
    }
  }
}

/// Rows of `api_key_use`.
enum APIKeyUseTable {
  /// A key that was deleted meanwhile gets no row.
  static func save(_ connection: Connection, _ keyID: KeyID, at time: Timestamp) throws {
    try connection.run(
      """
      INSERT INTO api_key_use (key_id, last_used_at)
      SELECT key_id, ?2 FROM api_key WHERE key_id = ?1
      ON CONFLICT DO UPDATE SET last_used_at = max(last_used_at, excluded.last_used_at)
      """,
      keyID.description, time.milliseconds)
  }

  static func all(_ connection: Connection) throws -> [KeyID: Timestamp] {
    let rows = try connection.rows("SELECT key_id, last_used_at FROM api_key_use") { row in
      (try known(KeyID(row.text(0))), try row.time(1))
    }
    return Dictionary(uniqueKeysWithValues: rows)
  }

  static func lastUse(_ connection: Connection, of keyID: KeyID) throws -> Timestamp? {
    try connection.first(
      "SELECT last_used_at FROM api_key_use WHERE key_id = ?", keyID.description
    ) { try $0.time(0) }
  }
}
