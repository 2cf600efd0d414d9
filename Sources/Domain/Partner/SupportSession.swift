internal import Cryptography

/// The id of a signed-in browser's session: 256 random bits as 64 hexadecimal digits.
///
/// It is the whole secret, so only its digest is stored, and its description is empty.
public struct SessionToken: Sendable, CustomStringConvertible {
  private static let byteCount = 32

  /// The text that the browser's cookie holds.
  public let secret: String

  /// Takes `text` where it has the form of an id, in lower case.
  public init?(_ text: String) {
    guard Hex.decode(text)?.count == Self.byteCount else { return nil }
    secret = text
  }

  /// Makes a new id.
  public init(using generator: inout some RandomNumberGenerator) {
    secret = Hex.encode(randomBytes(Self.byteCount, using: &generator))
  }

  /// SHA-256 of the ID, which is stored instead of the ID.
  public var digest: [UInt8] {
    SHA256.hash(Array(secret.utf8)).bytes
  }

  /// Never the id.
  public var description: String { "session" }
}

/// A sign-in to the support pages, with the API key that it was made with.
public struct SupportSession: Sendable, Equatable {
  /// Seconds that a session lasts at most: a working day.
  public static let lifetime = 8 * 3600

  /// The key in its present state.
  public let key: APIKey
  /// From when the session is refused.
  public let expiresAt: Timestamp

  /// Puts a session together.
  public init(key: APIKey, expiresAt: Timestamp) {
    self.key = key
    self.expiresAt = expiresAt
  }

  /// Whether the session opens the support pages: it ends with its key.
  public func isValid(at now: Timestamp) -> Bool {
    now < expiresAt && key.works(at: now) && key.scopes.contains(.support)
  }
}
