/// Where an explainer finds projects, keys and businesses.
public protocol ExplanationDirectory: VerificationDirectory, BusinessDirectory {
  /// The project, enabled or disabled; nil where it does not exist.
  func project(_ id: ProjectID) throws -> Project?

  /// The signing key in any state, without its secret.
  func signingKey(_ id: SigningKeyID) throws -> SigningKey?

  /// The API key in any state, without its secret.
  func apiKey(_ id: KeyID) throws -> APIKey?

  /// The Web API Key of a project, for comparison only; it is never shown.
  func webAPIKey(of projectID: ProjectID) throws -> String?

  /// Calls `body` with every project's Web API Key, for search in a text only; none is ever shown.
  func forEachWebAPIKey(_ body: (ProjectID, String) throws -> Void) throws
}
