/// Where an explainer finds projects, keys and businesses.
public protocol ExplanationDirectory: VerificationDirectory, BusinessDirectory {
  /// The signing key in whatever state, without its secret.
  func signingKey(_ id: SigningKeyID) throws -> SigningKey?

  /// The API key in whatever state, without its secret.
  func apiKey(_ id: KeyID) throws -> APIKey?

  /// The Web API Key of a project, to be compared and never shown.
  func webAPIKey(of projectID: ProjectID) throws -> String?

  /// Hands every project's Web API Key to `body`, to be looked for in a text and never shown.
  func forEachWebAPIKey(_ body: (ProjectID, String) throws -> Void) throws
}
