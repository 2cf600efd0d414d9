public import Domain

/// The holder of an API key.
public final class Partner: Sendable {
  /// The key as stored.
  public let key: APIKey
  /// The project that the key is bound to.
  public let project: Project?

  /// Puts a partner together.
  public init(key: APIKey, project: Project?) {
    self.key = key
    self.project = project
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
