/// What a bundle claims whose MAC was found right, in whichever way it was read.
struct AuthenticBundle {
  let launchID: LaunchID
  /// When it was signed and when it ends, in seconds.
  let created, expires: Int64
  let userID: String
  /// Nil where no launch has such a platform.
  let platform: Platform?

  /// From when it is refused: at `expires`, but at most an hour after `created`.
  ///
  /// The hour also bounds what is signed with an exported key, because log-outs and used IDs are kept
  /// for a day only.
  var end: Timestamp {
    Timestamp(seconds: min(expires, created + Int64(Project.lifetimes.upperBound)))
  }
}

extension BundleVerifier {
  /// The part of a verdict that follows the MAC: user and platform, authority, time, project,
  /// revocation, replay.
  ///
  /// - Parameters:
  ///   - bundle: what it claims.
  ///   - credentials: those that it is signed with.
  ///   - use: whether an earlier use is looked up.
  ///   - directory: where log-outs and uses are found.
  ///   - now: the time of the verification.
  ///   - isForAuthority: whether the request went to this authority.
  /// - Returns: the verdict.
  /// - Throws: `Refusal`, or the directory's own error.
  func judge(
    _ bundle: AuthenticBundle, signedWith credentials: VerificationCredentials, use: UseCheck,
    directory: some VerificationDirectory, at now: Timestamp, isForAuthority: (String) -> Bool
  ) throws -> Verdict {
    guard LaunchIssuer.isUserID(bundle.userID), let platform = bundle.platform else {
      throw Refusal(
        .malformedSignature,
        "The signature is right, but no launch has such a user id or platform. Ask for a new one.")
    }
    guard site.authority(of: credentials.project).map(isForAuthority) ?? false else {
      throw Refusal(
        .authorityMismatch, "The host is not the one of the project's upstream. Check the URL.")
    }
    if bundle.created > now.seconds + Self.clockSkew {
      throw Refusal(
        .notYetValid, "The launch was issued in the future. Set the clocks of the servers right.")
    }
    if now >= bundle.end {
      throw Refusal(.expired, "The launch expired at \(bundle.end). Ask for a new one.")
    }
    try checkStanding(of: bundle.launchID, bundle.userID, credentials.project, directory)
    if use == .lookedUp, credentials.project.replayPolicy == .once,
      try directory.isUsed(bundle.launchID)
    {
      return .replayed
    }
    return .valid(
      VerifiedLaunch(
        launchID: bundle.launchID, userID: bundle.userID, platform: platform,
        issuedAt: Timestamp(seconds: bundle.created), expiresAt: bundle.end,
        credentials: credentials))
  }

  /// Judges a launch again by what may have been taken away since it was found valid: its key, its project, its user's
  /// sign-in.
  ///
  /// - Parameters:
  ///   - launch: the launch.
  ///   - directory: where keys, projects and log-outs are found.
  ///   - now: the time of the verification.
  /// - Returns: the verdict, without a look for uses.
  /// - Throws: the directory's own error.
  public func judgeAgain(
    _ launch: VerifiedLaunch, directory: some VerificationDirectory, at now: Timestamp
  ) throws -> Verdict {
    do {
      switch try directory.credentials(
        keyID: launch.credentials.signer.keyID, projectID: launch.projectID, at: now)
      {
      case .unknownKey:
        throw Refusal(
          .unknownKey, "The signing key no longer verifies. Ask for a new launch.")
      case .unknownProject:
        throw Refusal(.revoked, "The project was deleted. Ask the administrator.")
      case .known(let credentials):
        try checkStanding(of: launch.launchID, launch.userID, credentials.project, directory)
        return .valid(launch)
      }
    } catch let refusal as Refusal {
      return .invalid(refusal.code, detail: refusal.detail)
    }
  }

  /// Refuses a launch of a disabled project, of an earlier life of the project, and from before a log-out.
  private func checkStanding(
    of launchID: LaunchID, _ userID: String, _ project: Project,
    _ directory: some VerificationDirectory
  ) throws {
    if project.disabledAt != nil {
      throw Refusal(.projectDisabled, "The project is disabled. Ask the administrator.")
    }
    let issued = Timestamp(milliseconds: launchID.milliseconds)
    if issued < project.createdAt {
      throw Refusal(
        .revoked, "The launch is older than the project as it is now. Ask for a new one.")
    }
    if try directory.isLoggedOut(userID, of: project.id, since: issued) {
      throw Refusal(.revoked, "The user was logged out after this launch. Ask for a new one.")
    }
  }
}
