internal import Cryptography
public import Domain
internal import Glibc
internal import JSON

/// A user of a project, of whom only a digest is stored.
package struct LoggedOutUser: Sendable {
  /// The project.
  package let projectID: ProjectID
  /// SHA-256 of the project and the user.
  package let digest: [UInt8]

  /// Takes a stored digest.
  package init(of projectID: ProjectID, digest: [UInt8]) {
    self.projectID = projectID
    self.digest = digest
  }

  /// Names the user.
  init(_ userID: String, of projectID: ProjectID) {
    self.init(
      of: projectID, digest: SHA256.hash(Array("\(projectID)\u{0}\(userID)".utf8)).bytes)
  }
}

extension Store {
  /// Logs a user out.
  ///
  /// From now on no bundle verifies that any server of the store issued to the user before. Bundles that are
  /// issued after this returns do.
  ///
  /// - Parameters:
  ///   - userID: the user of the project.
  ///   - projectID: the project.
  ///   - actor: the admin, for the audit log; nil where the partner's own backend asks.
  /// - Returns: the time of the latest launch that is refused.
  /// - Throws: `StoreError` of kind `notFound` where an admin names no project.
  @discardableResult
  public func logOut(
    _ userID: String, of projectID: ProjectID, by actor: Actor?
  ) throws -> Timestamp {
    let user = LoggedOutUser(userID, of: projectID)
    let moment =
      if let actor {
        try change(by: actor) { change in
          _ = try change.project(projectID)
          let moment = try logOut(user, change.rows, now: change.now)
          let digest = try keyRing.userDigestKey(in: change.rows).digest(of: userID, in: projectID)
          try change.audit(
            "user.revoke", projectID.description, new: ["user_digest": .string(digest)])
          return moment
        }
      } else {
        try tables.change(.request) { rows in try logOut(user, rows, now: time.ofDay()) }
      }
    wait(past: moment)
    return moment.launchTime
  }

  /// Logs a user out: every launch so far lies at or before the moment's time.
  private func logOut(
    _ user: LoggedOutUser, _ rows: any ChangingRows, now: Timestamp
  ) throws -> StoreMoment {
    let floor = try rows.launchFloor()
    let created = try rows.project(user.projectID)?.createdAt
    let moment = try LaunchTime.advance(rows, time, past: max(created ?? floor, floor))
    try retention.clean(rows, at: moment, now: now)
    try rows.saveLogOut(of: user, at: moment.launchTime, runningTime: moment.runningTime)
    return moment
  }

  /// Waits for the next millisecond of the clock of launches.
  func wait(past moment: StoreMoment) {
    let clock = moment.clock(time)
    for _ in 0..<100 where clock.now <= moment.launchTime { usleep(300) }
  }

  /// Uses up a launch of a project with `replay_policy` `once`.
  ///
  /// - Returns: whether this was its first use; of many at once, in any processes, exactly one is.
  public func use(_ id: LaunchID) throws -> Bool {
    try tables.change(.request) { rows in
      let now = time.ofDay()
      let moment = try LaunchTime.advance(rows, time, past: rows.launchFloor())
      try retention.clean(rows, at: moment, now: now)
      return try rows.insertUse(of: id, at: now, runningTime: moment.runningTime)
    }
  }
}
