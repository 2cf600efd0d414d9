public import Domain

extension Store {
  /// Adds to the counts of launches, notes when keys were last used, and removes all but the newest
  /// `LaunchCount.daysKept` days that have counts.
  ///
  /// The audit log has no row of it, since it is no change by an admin.
  ///
  /// - Parameters:
  ///   - usage: the counts; empty ones make no transaction.
  ///   - day: the day that the launches are counted for.
  /// - Throws: `StoreError`; then nothing was added.
  public func add(_ usage: Usage, on day: Day) throws {
    guard !usage.isEmpty else { return }
    try tables.change(.request) { rows in
      let newest = try rows.newestCountedDay()
      try rows.add(usage.launches.filter { $0.value > 0 }, on: day)
      // Once a day, and never for a day far in the past, whose counts would be removed at once.
      if !usage.launches.isEmpty, newest.map({ $0 < day }) ?? false {
        try rows.removeCounts(keepingDays: LaunchCount.daysKept)
      }
      if let latest = usage.latestLaunch {
        try rows.raiseLatestLaunch(to: latest)
        _ = try LaunchTime.advance(rows, time, past: latest)
      }
      try rows.save(lastUses: usage.lastUsed)
    }
  }
}
