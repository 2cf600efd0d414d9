public import Domain

extension Happening {
  /// Counts of launches to add, and when keys were last used; all but the newest `LaunchCount.daysKept` days that have
  /// counts are removed.
  ///
  /// The audit log has no row of it, since it is no change by an admin.
  ///
  /// - Parameters:
  ///   - usage: the counts.
  ///   - day: the day that the launches are counted for.
  /// - Returns: the happening; where it fails, nothing was added.
  public static func count(_ usage: Usage, on day: Day) -> Happening<Void> {
    Happening<Void> { group in
      let rows = group.rows
      let newest = try rows.newestCountedDay()
      try rows.add(usage.launches.filter { $0.value > 0 }, on: day)
      // Once a day, and never for a day far in the past, whose counts would be removed at once.
      if !usage.launches.isEmpty, newest.map({ $0 < day }) ?? false {
        try rows.removeCounts(keepingDays: LaunchCount.daysKept)
      }
      if let latest = usage.latestLaunch {
        try rows.raiseLatestLaunch(to: latest)
        _ = try group.moment(past: latest)
      }
      try rows.save(lastUses: usage.lastUsed)
    }
  }
}
