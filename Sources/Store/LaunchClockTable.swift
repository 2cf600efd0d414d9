internal import Platform
internal import Domain
internal import SQLite

/// What tells a store the time.
struct StoreTime: Sendable {
  /// The time of day, which may be set.
  let ofDay: Clock
  /// The time since the machine was started, which cannot.
  let machine: MachineClock
}

/// Where the store's clocks stood in a transaction.
struct StoreMoment {
  /// What the clock of launches says.
  let launchTime: Timestamp
  /// For how long, in milliseconds, machines have run with the store in all.
  let runningTime: Int64
  fileprivate let launchOffset: Int64
}

/// The row of `launch_clock`: what all processes of a store add to the time since the machine was started
/// (docs/decisions/0027-one-clock-for-launches.md).
enum LaunchClockTable {
  /// Milliseconds that launches may be named behind the time of day before that is made up for.
  private static let largestLag: Int64 = 1000
  /// Milliseconds that the latest launch may lie after the one written down: twice the interval.
  private static let unwritten: Int64 = 2000

  private struct Row {
    let bootID: String?
    let launchOffset: Int64?
    let runningOffset: Int64?
    let latestLaunch: Int64

    /// Milliseconds to add where the clock was set since the machine was started, as far as can be told.
    func offset(since machine: MachineClock) -> Int64? {
      bootID == nil || machine.bootID == nil || bootID == machine.bootID ? launchOffset : nil
    }

    /// Milliseconds to add where the clock was not set since the machine was started.
    ///
    /// Launches of before that were not written down lie before it, also where the time of day does not.
    func firstOffset(ofDay: Timestamp, at uptime: Int64, past earliest: Timestamp) -> Int64 {
      max(ofDay.milliseconds, earliest.milliseconds, latestLaunch + unwritten) - uptime
    }

    /// Milliseconds to add where it was: no fewer than so far.
    func nextOffset(
      _ offset: Int64, ofDay: Timestamp, at uptime: Int64, past earliest: Timestamp
    ) -> Int64 {
      let offset = max(offset, earliest.milliseconds - uptime)
      let lag = ofDay.milliseconds - uptime - offset
      return lag > largestLag ? offset + lag : offset
    }
  }

  /// The clock that launches are named by, as every process of the store has it.
  ///
  /// - Parameters:
  ///   - connection: the database.
  ///   - time: the machine's.
  ///   - earliest: what no launch may lie before.
  /// - Returns: the clock.
  /// - Throws: `SQLiteError`, or `StoreError` where the database is damaged.
  static func clock(
    _ connection: Connection, _ time: StoreTime, earliest: Timestamp
  ) throws -> LaunchClock {
    let row = try row(connection)
    let offset =
      row.offset(since: time.machine)
      ?? row.firstOffset(ofDay: time.ofDay(), at: time.machine.uptime(), past: earliest)
    return LaunchClock(offset: offset, uptime: time.machine.uptime, earliest: earliest)
  }

  /// Sets the clock forward where it lags, in the transaction under way, and tells the time by it.
  ///
  /// - Parameters:
  ///   - connection: the database.
  ///   - time: the machine's.
  ///   - earliest: what it may not lie before.
  /// - Returns: the time of launches, and running time.
  /// - Throws: `SQLiteError`, or `StoreError` where the database is damaged.
  static func advance(
    _ connection: Connection, _ time: StoreTime, past earliest: Timestamp
  ) throws -> StoreMoment {
    let row = try row(connection)
    let (ofDay, uptime) = (time.ofDay(), time.machine.uptime())
    let known = row.offset(since: time.machine)
    let offset =
      known.map { row.nextOffset($0, ofDay: ofDay, at: uptime, past: earliest) }
      ?? row.firstOffset(ofDay: ofDay, at: uptime, past: earliest)
    // Where the machine was started anew, running time goes on from the newest row.
    let newest = try newestRow(connection) - uptime
    let running = known == nil ? newest : max(row.runningOffset ?? newest, newest)
    if offset != row.launchOffset || running != row.runningOffset
      || row.bootID != time.machine.bootID
    {
      try connection.run(
        "UPDATE launch_clock SET boot_id = ?, launch_offset = ?, running_offset = ?",
        time.machine.bootID, offset, running)
    }
    return StoreMoment(
      launchTime: Timestamp(milliseconds: uptime + offset), runningTime: uptime + running,
      launchOffset: offset)
  }

  /// Sets the clock where a process opens the store first or after the time of day was set forward.
  ///
  /// Where the database takes no change now, the next one sets it.
  static func setAtOpening(_ connection: Connection, _ time: StoreTime) throws {
    let row = try row(connection)
    let floor = try LatestLaunchTable.floor(connection)
    if let offset = row.offset(since: time.machine),
      offset
        == row.nextOffset(offset, ofDay: time.ofDay(), at: time.machine.uptime(), past: floor)
    {
      return
    }
    do {
      _ = try connection.transaction(.immediate) {
        try advance(connection, time, past: LatestLaunchTable.floor(connection))
      }
    } catch let error as SQLiteError where [.busy, .full, .io].contains(error.kind) {
      return
    }
  }

  private static func row(_ connection: Connection) throws -> Row {
    let row = try connection.first(
      """
      SELECT boot_id, launch_offset, running_offset, latest_launch.at
      FROM launch_clock, latest_launch
      """
    ) { row in
      Row(
        bootID: try row.optionalText(0), launchOffset: try row.optionalInt(1).map(Int64.init),
        runningOffset: try row.optionalInt(2).map(Int64.init), latestLaunch: Int64(try row.int(3)))
    }
    return try known(row)
  }

  /// When, in running time, the newest used launch or log-out was written.
  private static func newestRow(_ connection: Connection) throws -> Int64 {
    let newest = try connection.first(
      """
      SELECT max(ifnull((SELECT max(running_time) FROM used_launch), 0),
        ifnull((SELECT max(running_time) FROM log_out), 0))
      """
    ) { Int64(try $0.int(0)) }
    return newest ?? 0
  }
}

extension StoreMoment {
  /// The clock that goes on from here.
  func clock(_ time: StoreTime) -> LaunchClock {
    LaunchClock(offset: launchOffset, uptime: time.machine.uptime, earliest: launchTime)
  }
}
