public import Domain

/// The holder of an API key and what it opens.
public final class Partner: Sendable {
  /// The key as stored.
  public let key: APIKey
  /// The project that the key is bound to.
  public let project: Project?
  /// The credentials of the project's launches; nil without a project or an active signing key.
  public let credentials: LaunchCredentials?

  /// Puts a partner together.
  public init(key: APIKey, project: Project?, credentials: LaunchCredentials?) {
    self.key = key
    self.project = project
    self.credentials = credentials
  }
}

/// The bytes of an answer and the tag that names them.
public struct Representation: Sendable {
  /// The bytes.
  public let body: [UInt8]
  /// A strong entity tag with its quotation marks (RFC 9110 section 8.8.3).
  public let tag: String

  /// Puts a representation together.
  public init(body: [UInt8], tag: String) {
    self.body = body
    self.tag = tag
  }
}
