internal import Cryptography
public import Domain
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

extension Happening {
  /// The first use of a launch of a project with `replay_policy` `once`; its value is whether it was that.
  ///
  /// Of many uses of one launch at once, in any processes, exactly one is the first.
  public static func use(_ id: LaunchID) -> Happening<Bool> {
    Happening<Bool> { group in
      try group.rows.insertUse(of: id, at: group.now, runningTime: group.moment().runningTime)
    }
  }

  /// A log-out, as the partner's own backend asks for it; its value is the time of the latest launch that is refused.
  ///
  /// From when its value is told, no bundle verifies that any server of the store issued to the user before it was
  /// recorded, and bundles that are issued from then on do.
  ///
  /// - Parameters:
  ///   - userID: the user of the project.
  ///   - projectID: the project.
  /// - Returns: the happening.
  public static func logOut(_ userID: String, of projectID: ProjectID) -> Happening<Timestamp> {
    let user = LoggedOutUser(userID, of: projectID)
    return Happening<Timestamp>(outlastsMoment: true) { try $0.logOut(user).launchTime }
  }
}

extension Store {
  /// Logs a user out as an admin, which the audit log records.
  ///
  /// From now on no bundle verifies that any server of the store issued to the user before. Bundles that are
  /// issued after this returns do.
  ///
  /// - Parameters:
  ///   - userID: the user of the project.
  ///   - projectID: the project.
  ///   - actor: the admin.
  /// - Returns: the time of the latest launch that is refused.
  /// - Throws: `StoreError` of kind `notFound` where there is no such project.
  @discardableResult
  public func logOut(
    _ userID: String, of projectID: ProjectID, by actor: Actor
  ) throws -> Timestamp {
    let moment = try change(by: actor) { change in
      _ = try change.project(projectID)
      let group = HappeningGroup(change.rows, time: time, retention: retention)
      let moment = try group.logOut(LoggedOutUser(userID, of: projectID))
      let digest = try keyRing.userDigestKey(in: change.rows).digest(of: userID, in: projectID)
      try change.audit(
        "user.revoke", projectID.description, new: ["user_digest": .string(digest)])
      return moment
    }
    moment.wait(time)
    return moment.launchTime
  }
}

extension HappeningGroup {
  /// Logs a user out.
  ///
  /// - Parameter user: the user.
  /// - Returns: the moment; every launch so far lies at or before its time.
  /// - Throws: the engine's error.
  fileprivate func logOut(_ user: LoggedOutUser) throws -> StoreMoment {
    let project = try rows.project(user.projectID)
    let moment = try moment(past: project?.createdAt)
    // Of a project that was deleted meanwhile no bundle verifies any more.
    guard project != nil else { return moment }
    try rows.saveLogOut(of: user, at: moment.launchTime, runningTime: moment.runningTime)
    return moment
  }
}
