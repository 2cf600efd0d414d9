/// What a verification needs of the store, remembered as one value.
public final class VerificationCredentials: Sendable {
  /// The project, enabled or disabled.
  public let project: Project
  /// The project's identifier as text.
  public let projectText: String
  /// Signs for the project with the signing key that the bundle names.
  public let signer: LaunchSigner
  /// The key that the upstream issued to the project, never to be shown; nil where it cannot be
  /// opened.
  public let webAPIKey: String?

  /// Puts the credentials together.
  public init(project: Project, signer: LaunchSigner, webAPIKey: String?) {
    self.project = project
    projectText = project.id.description
    self.signer = signer
    self.webAPIKey = webAPIKey
  }
}

/// What is known of the signing key and of the project that a bundle names.
public enum BundleCredentials: Sendable {
  /// The signing key does not verify, for whichever project.
  case unknownKey
  /// The signing key verifies; the project does not exist or is not visible to the caller.
  case unknownProject
  /// Both are known.
  case known(VerificationCredentials)
}

/// Where a verifier finds keys and projects.
public protocol VerificationDirectory {
  /// What is known at `now`, all of one moment.
  ///
  /// - Parameters:
  ///   - keyID: the signing key that the bundle names.
  ///   - projectID: the project that it names; nil where that is no identifier.
  ///   - now: the time of the verification.
  /// - Returns: what is known of both.
  /// - Throws: the directory's own error.
  func credentials(
    keyID: SigningKeyID, projectID: ProjectID?, at now: Timestamp
  ) throws -> BundleCredentials

  /// Whether the user of the project was logged out at the time of a launch or later.
  ///
  /// - Parameters:
  ///   - userID: the user.
  ///   - projectID: the project.
  ///   - launch: the time in the launch's identifier.
  /// - Returns: whether the launch is thereby refused.
  /// - Throws: the directory's own error.
  func isLoggedOut(
    _ userID: String, of projectID: ProjectID, since launch: Timestamp
  ) throws -> Bool

  /// Whether the launch, whose project has the `replay_policy` `once`, was used already.
  func isUsed(_ id: LaunchID) throws -> Bool
}
