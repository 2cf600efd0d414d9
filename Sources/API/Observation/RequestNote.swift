internal import Encoding
internal import Domain

/// What the code that answers a request says of it to whoever observes it.
///
/// A worker has one, which is emptied before each answer.
struct RequestNote {
  /// The key that was presented with its secret, also where it is refused.
  var keyID: KeyID?
  /// The key's project.
  var keyProjectID: ProjectID?
  /// The Web API Key of the key's project, which never leaves the process.
  var webAPIKey: String?
  /// The launch's project, where that is another than the key's.
  var projectID: ProjectID?
  /// The user of a launch that was issued, verified or logged out; it leaves the process as a digest
  /// only.
  var userID: String?
  /// The launch that was issued or verified.
  var launchID: LaunchID?
  /// How the bundle was judged.
  var verification: VerificationResult?
  /// The code of the problem that was answered.
  var problem: ProblemCode?
}
