public import Domain

/// One thread's view of what users and partners did, read anew with each question but for each project's latest
/// log-out.
public final class Happenings {
  private let view: any TablesView
  private let rows: any HappeningRows
  private let watch: RevisionWatch
  private var latestLogOuts = LogOutMemory(of: 0)

  init(_ view: any TablesView, watch: RevisionWatch) {
    self.view = view
    self.watch = watch
    rows = view.rows
  }

  /// The time of the last log-out of a user, if that is not too long ago to matter.
  public func lastLogOut(of userID: String, in projectID: ProjectID) throws -> Timestamp? {
    try view.translating { try rows.lastLogOut(of: LoggedOutUser(userID, of: projectID)) }
  }

  /// Whether a user was logged out at the time of a launch or later.
  ///
  /// No row of the user is read where no log-out of the project lies at or after the launch.
  ///
  /// - Parameters:
  ///   - userID: the user of the project.
  ///   - projectID: the project.
  ///   - launch: the time in the launch's id.
  /// - Returns: whether it was.
  /// - Throws: `StoreError`.
  public func isLoggedOut(
    _ userID: String, of projectID: ProjectID, since launch: Timestamp
  ) throws -> Bool {
    try view.translating {
      guard let latest = try latestLogOut(of: projectID), latest >= launch,
        let last = try rows.lastLogOut(of: LoggedOutUser(userID, of: projectID))
      else { return false }
      return last >= launch
    }
  }

  private func latestLogOut(of projectID: ProjectID) throws -> Timestamp? {
    try watch.look()
    if latestLogOuts.revision != watch.revision.logOuts {
      latestLogOuts = LogOutMemory(of: watch.revision.logOuts)
    }
    if let known = latestLogOuts.times[projectID] { return known }
    let latest = try rows.latestLogOut(of: projectID)
    latestLogOuts.times.remember(latest, as: projectID)
    return latest
  }

  /// Whether the launch of a project with `replay_policy` `once` was used up.
  public func isUsed(_ id: LaunchID) throws -> Bool {
    try view.translating { try rows.isUsed(id) }
  }

  /// A session with its key as both are stored, also one that has ended; see `SupportSession.isValid(at:)`.
  ///
  /// - Returns: nil where there is no such session.
  public func session(_ token: SessionToken) throws -> SupportSession? {
    try view.translating {
      try view.atOneMoment { try rows.session(digest: token.digest) }
    }
  }

  /// The time of the last accepted request of each API key; a key that was never used is not among them.
  public func lastUses() throws -> [KeyID: Timestamp] {
    try view.translating { try rows.lastUses() }
  }

  /// The time of an API key's last accepted request; nil where there was none.
  public func lastUse(of keyID: KeyID) throws -> Timestamp? {
    try view.translating { try rows.lastUse(of: keyID) }
  }

  /// Launches of a period, by the values of each property, all of one moment.
  ///
  /// - Parameters:
  ///   - properties: the properties to count by.
  ///   - period: the first and the last day.
  ///   - projectID: only this project's; nil for all.
  /// - Returns: the counts of each property, days in their order and all else by most launches first; values without
  ///   launches are left out.
  /// - Throws: `StoreError`.
  public func launchCounts(
    by properties: [LaunchProperty], in period: ClosedRange<Day>, of projectID: ProjectID?
  ) throws -> [[LaunchCount]] {
    try view.translating {
      try rows.launchCounts(by: properties, in: period, of: projectID)
    }
  }
}

/// The latest log-out of each project, nil where there is none, for as long as nobody is logged out.
private struct LogOutMemory {
  /// The revision of the log-outs that is remembered.
  let revision: Int
  var times = BoundedMemory<ProjectID, Timestamp?>(limit: 4096)

  init(of revision: Int) {
    self.revision = revision
  }
}
