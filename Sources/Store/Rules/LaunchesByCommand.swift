public import Domain
internal import JSON

extension Store {
  /// Lends an admin the credentials of a project to issue a launch, which the audit log records.
  ///
  /// - Parameters:
  ///   - projectID: the project.
  ///   - actor: for the audit log.
  ///   - issue: issues the launch, whose id takes its time from the clock, and describes it; where it throws,
  ///     nothing is recorded.
  /// - Throws: `StoreError` of kind `notFound`; of kind `inUse` for a disabled project; of kind
  ///   `unavailable` without an active signing key.
  public func issueLaunch(
    of projectID: ProjectID, by actor: Actor,
    _ issue: (LaunchCredentials, LaunchClock) throws -> LaunchRecord
  ) throws {
    try change(by: actor) { change in
      let project = try change.project(projectID)
      guard project.disabledAt == nil else {
        throw StoreError(
          .inUse,
          "The project \(projectID) is disabled. Run: launchlink project enable \(projectID)")
      }
      guard let signer = try keyRing.activeSigner(for: projectID, in: change.rows) else {
        throw StoreError.noActiveSigningKey
      }
      _ = try LaunchTime.advance(change.rows, time, past: change.rows.launchFloor())
      let launch = try issue(
        LaunchCredentials(
          project: project, webAPIKey: keyRing.webAPIKey(of: projectID, in: change.rows),
          signer: signer),
        LaunchTime.clock(change.rows, time))
      try change.rows.raiseLatestLaunch(to: Timestamp(milliseconds: launch.id.milliseconds))
      try change.audit(
        "launch", projectID.description,
        new: [
          "launch_id": .string(launch.id.description),
          "user_digest": .string(
            keyRing.userDigestKey(in: change.rows).digest(of: launch.userID, in: projectID)),
          "platform": .string(launch.platform.rawValue), "page": JSON(launch.page),
          "redirect_to": JSON(launch.redirectTo),
        ])
    }
  }
}
