package import Domain
internal import SQLite
package import Store

/// Rows of `launch_count`.
extension SQLiteRows {
  package func add(_ launches: [LaunchTally: Int], on day: Day) throws {
    for (tally, count) in launches {
      try connection.run(
        """
        INSERT INTO launch_count (day, project_id, key_id, page, platform, launches)
        VALUES (?, ?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET launches = launches + excluded.launches
        """,
        day.number, tally.projectID.description, tally.keyID.description, tally.page ?? "",
        tally.platform.rawValue, count)
    }
  }

  package func newestCountedDay() throws -> Day? {
    try connection.first("SELECT day FROM launch_count ORDER BY day DESC LIMIT 1") {
      Day(number: try $0.int(0))
    }
  }

  // By the days that are there and not by the clock: a clock that is years ahead for a moment leaves one wrong
  // day, and removes no others.
  package func removeCounts(keepingDays days: Int) throws {
    try connection.run(
      """
      DELETE FROM launch_count WHERE day < (
        SELECT min(day) FROM (SELECT DISTINCT day FROM launch_count ORDER BY day DESC LIMIT ?))
      """, days)
  }

  package func launchCounts(
    by properties: [LaunchProperty], in period: ClosedRange<Day>, of projectID: ProjectID?
  ) throws -> [[LaunchCount]] {
    try connection.transaction(.deferred) {
      try properties.map { try launchCounts(by: $0, in: period, of: projectID) }
    }
  }

  private func launchCounts(
    by property: LaunchProperty, in period: ClosedRange<Day>, of projectID: ProjectID?
  ) throws -> [LaunchCount] {
    let column = Self.column(of: property)
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
extension SQLiteRows {
  package func save(lastUses: [KeyID: Timestamp]) throws {
    for (keyID, time) in lastUses {
      let id = keyID.description
      let known = try connection.run(
        "UPDATE api_key_use SET last_used_at = max(last_used_at, ?2) WHERE key_id = ?1", id,
        time.milliseconds)
      // Only a key's first use looks whether the key is there: its row is wide and seldom in memory.
      guard known == 0 else { continue }
      try connection.run(
        """
        INSERT INTO api_key_use (key_id, last_used_at)
        SELECT key_id, ?2 FROM api_key WHERE key_id = ?1
        """, id, time.milliseconds)
    }
  }

  package func lastUses() throws -> [KeyID: Timestamp] {
    let rows = try connection.rows("SELECT key_id, last_used_at FROM api_key_use") { row in
      (try known(KeyID(row.text(0))), try row.time(1))
    }
    return Dictionary(uniqueKeysWithValues: rows)
  }

  package func lastUse(of keyID: KeyID) throws -> Timestamp? {
    try connection.first(
      "SELECT last_used_at FROM api_key_use WHERE key_id = ?", keyID.description
    ) { try $0.time(0) }
  }
}
