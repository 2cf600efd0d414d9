package import Domain
internal import Glibc
package import Platform

/// A store's sources of time.
package struct StoreTime: Sendable {
  /// The time of day, which may be set.
  package let ofDay: Clock
  /// The time since the machine was started, which may not.
  let machine: MachineClock

  /// Takes both clocks.
  package init(ofDay: @escaping Clock, machine: MachineClock) {
    self.ofDay = ofDay
    self.machine = machine
  }
}

/// The state of the store's clocks in a transaction.
package struct StoreMoment {
  /// The time by the clock of launches.
  let launchTime: Timestamp
  /// Milliseconds that machines have run with the store in all.
  package let runningTime: Int64
  fileprivate let launchOffset: Int64

  /// Waits for the next millisecond of the clock of launches.
  func wait(_ time: StoreTime) {
    let clock = LaunchClock(offset: launchOffset, uptime: time.machine.uptime, earliest: launchTime)
    for _ in 0..<100 where clock.now <= launchTime { usleep(300) }
  }
}

/// The offsets that all processes of a store add to the time since the machine was started
/// (docs/decisions/0027-one-clock-for-launches.md).
package struct LaunchClockRow: Equatable {
  /// The start of the machine that the offsets belong to; nil until they were set.
  package var bootID: String?
  /// Added to the uptime in milliseconds, gives the time of launches; nil until it was set.
  package var launchOffset: Int64?
  /// Added to the uptime in milliseconds, gives running time; nil until it was set.
  package var runningOffset: Int64?
  /// The time of the latest launch, as far as it was written down.
  package var latestLaunch: Int64

  /// Puts the state together.
  package init(
    bootID: String?, launchOffset: Int64?, runningOffset: Int64?, latestLaunch: Int64
  ) {
    self.bootID = bootID
    self.launchOffset = launchOffset
    self.runningOffset = runningOffset
    self.latestLaunch = latestLaunch
  }
}

extension LaunchClockRow {
  /// Milliseconds that the clock of launches may lag behind the time of day before it is set forward.
  private static let largestLag: Int64 = 1000
  /// Milliseconds that the latest launch may lie after the stored one: twice the interval of writing it down.
  private static let unwritten: Int64 = 2000

  /// The offset where the clock was set since the machine was started, as far as can be told.
  fileprivate func offset(since machine: MachineClock) -> Int64? {
    bootID == nil || machine.bootID == nil || bootID == machine.bootID ? launchOffset : nil
  }

  /// The offset where the clock was not set since the machine was started.
  ///
  /// Every earlier launch lies before it, also one that was not written down and a time of day that was set back.
  fileprivate func firstOffset(
    ofDay: Timestamp, at uptime: Int64, past earliest: Timestamp
  ) -> Int64 {
    max(ofDay.milliseconds, earliest.milliseconds, latestLaunch + Self.unwritten) - uptime
  }

  /// The next offset where the clock was set: never less than the last one.
  fileprivate func nextOffset(
    _ offset: Int64, ofDay: Timestamp, at uptime: Int64, past earliest: Timestamp
  ) -> Int64 {
    let offset = max(offset, earliest.milliseconds - uptime)
    let lag = ofDay.milliseconds - uptime - offset
    return lag > Self.largestLag ? offset + lag : offset
  }
}

/// The clock of launches.
package enum LaunchTime {
  /// The clock that launches are named by, which all processes of the store share.
  ///
  /// - Parameters:
  ///   - rows: the rows.
  ///   - time: the machine's time.
  /// - Returns: the clock.
  /// - Throws: the engine's error, or `StoreError` where the database is damaged.
  static func clock(
    _ rows: any LaunchClockRows, _ time: StoreTime
  ) throws -> LaunchClock {
    let earliest = try rows.launchFloor()
    let row = try rows.launchClock()
    let offset =
      row.offset(since: time.machine)
      ?? row.firstOffset(ofDay: time.ofDay(), at: time.machine.uptime(), past: earliest)
    return LaunchClock(offset: offset, uptime: time.machine.uptime, earliest: earliest)
  }

  /// Sets the clock forward where it lags, in the transaction under way.
  ///
  /// - Parameters:
  ///   - rows: the rows.
  ///   - time: the machine's time.
  ///   - earliest: the time that the clock may not lie before.
  /// - Returns: the time of launches, and running time.
  /// - Throws: the engine's error, or `StoreError` where the database is damaged.
  package static func advance(
    _ rows: any ChangingRows, _ time: StoreTime, past earliest: Timestamp
  ) throws -> StoreMoment {
    let old = try rows.launchClock()
    let (ofDay, uptime) = (time.ofDay(), time.machine.uptime())
    let known = old.offset(since: time.machine)
    let offset =
      known.map { old.nextOffset($0, ofDay: ofDay, at: uptime, past: earliest) }
      ?? old.firstOffset(ofDay: ofDay, at: uptime, past: earliest)
    // After a start of the machine, running time goes on from the newest row.
    let newest = try rows.newestRunningTime() - uptime
    let running = known == nil ? newest : max(old.runningOffset ?? newest, newest)
    let new = LaunchClockRow(
      bootID: time.machine.bootID, launchOffset: offset, runningOffset: running,
      latestLaunch: old.latestLaunch)
    if new != old { try rows.save(new) }
    return StoreMoment(
      launchTime: Timestamp(milliseconds: uptime + offset), runningTime: uptime + running,
      launchOffset: offset)
  }

  /// Sets the clock when the store is first opened, and after the time of day was set forward.
  ///
  /// Where the database takes no change now, the next change sets the clock.
  static func setAtOpening(_ opened: any OpenedTables, _ time: StoreTime) throws {
    let row = try opened.rows.launchClock()
    let floor = try opened.rows.launchFloor()
    if let offset = row.offset(since: time.machine),
      offset
        == row.nextOffset(offset, ofDay: time.ofDay(), at: time.machine.uptime(), past: floor)
    {
      return
    }
    try opened.changeIfPossible { rows in
      _ = try advance(rows, time, past: rows.launchFloor())
    }
  }
}
