public import Domain

/// What metrics and the access log record of a request.
public struct RequestNote: Sendable {
  /// The key that was presented with its secret, even if it is refused.
  public var keyID: KeyID?
  /// The launch's project if the request names one, else the key's.
  public var projectID: ProjectID?
  /// The launch that was issued or verified.
  public var launchID: LaunchID?
  /// How the bundle was judged.
  public var verification: VerificationResult?
  /// The code of the problem that was answered.
  public var problem: String?
  /// The user of a launch that was issued, verified or logged out; it leaves the process as a digest only.
  public var userID: String?
  /// The user as logs name it.
  public var userDigest: String?
  /// The Web API Key of the request's project, which never leaves the process.
  public var webAPIKey: String?
  /// Whether the request may hold a secret that could not be looked up.
  public var hasUnknownSecrets = false

  /// Makes an empty note.
  public init() {}
}
