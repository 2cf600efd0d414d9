package import Domain
internal import SQLite
package import Store

/// The one row of `launch_clock` and of `latest_launch`.
extension SQLiteRows {
  package func launchClock() throws -> LaunchClockRow {
    let row = try connection.first(
      """
      SELECT boot_id, launch_offset, running_offset, latest_launch.at
      FROM launch_clock, latest_launch
      """
    ) { row in
      LaunchClockRow(
        bootID: try row.optionalText(0), launchOffset: try row.optionalInt(1).map(Int64.init),
        runningOffset: try row.optionalInt(2).map(Int64.init), latestLaunch: Int64(try row.int(3)))
    }
    return try known(row)
  }

  package func save(_ clock: LaunchClockRow) throws {
    try connection.run(
      "UPDATE launch_clock SET boot_id = ?, launch_offset = ?, running_offset = ?",
      clock.bootID, clock.launchOffset, clock.runningOffset)
  }

  package func raiseLatestLaunch(to time: Timestamp) throws {
    try connection.run("UPDATE latest_launch SET at = ?1 WHERE at < ?1", time.milliseconds)
  }

  package func launchFloor() throws -> Timestamp {
    try connection.first(
      """
      SELECT max(at, ifnull((SELECT at FROM log_out ORDER BY at DESC LIMIT 1), 0))
      FROM latest_launch
      """
    ) { try $0.time(0) } ?? Timestamp(milliseconds: 0)
  }

  package func newestRunningTime() throws -> Int64 {
    let newest = try connection.first(
      """
      SELECT max(ifnull((SELECT max(running_time) FROM used_launch), 0),
        ifnull((SELECT max(running_time) FROM log_out), 0))
      """
    ) { Int64(try $0.int(0)) }
    return newest ?? 0
  }
}
