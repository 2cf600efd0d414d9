internal import Cryptography

/// The public name of a signing key, `sk_` and 12 characters.
public struct SigningKeyID: Sendable, Hashable, CustomStringConvertible {
  let text: InlineText

  /// How many characters it has as text.
  static let length = 15

  /// Takes `text` where it is the name of a signing key.
  public init?(_ text: String) {
    guard let id = text.utf8Span.span.withUnsafeBytes({ SigningKeyID($0) }) else { return nil }
    self = id
  }

  /// Takes the bytes of a text as ``init(_:)-(String)`` takes the text.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count == Self.length, bytes[0] == UInt8(ascii: "s"),
      bytes[1] == UInt8(ascii: "k"), bytes[2] == UInt8(ascii: "_"),
      Base62.isNumber(UnsafeRawBufferPointer(rebasing: bytes[3...]))
    else { return nil }
    text = InlineText(bytes)
  }

  /// Makes a new name.
  public init(using generator: inout some RandomNumberGenerator) {
    text = InlineText("sk_" + Base62.random(digits: 12, using: &generator))
  }

  /// The whole name.
  public var description: String { text.text }
}

/// A key that bundles are signed with, without its secret.
public struct SigningKey: Sendable, Equatable {
  /// Where a key stands in its life.
  public enum State: String, Sendable, CaseIterable {
    /// Neither signs nor verifies yet; an export already contains it.
    case pending
    /// The one that signs.
    case active
    /// Signs no longer; verifies until everything that it signed has expired.
    case retired
    /// Neither signs nor verifies.
    case revoked
  }

  /// The public name.
  public let id: SigningKeyID
  /// Where it stands in its life.
  public let state: State
  /// When it was made.
  public let createdAt: Timestamp
  /// When it began to sign.
  public let activatedAt: Timestamp?
  /// When it ceased to sign.
  public let retiredAt: Timestamp?
  /// When it was revoked.
  public let revokedAt: Timestamp?
  /// The longest `ttl` that a project had while it signed, in seconds; 0 for one that never signed.
  public let longestTTL: Int

  /// Makes a key of its parts; without `longestTTL`, the longest lifetime that a project may have
  /// is assumed.
  public init(
    id: SigningKeyID, state: State, createdAt: Timestamp, activatedAt: Timestamp? = nil,
    retiredAt: Timestamp? = nil, revokedAt: Timestamp? = nil,
    longestTTL: Int = Project.lifetimes.upperBound
  ) {
    self.id = id
    self.state = state
    self.createdAt = createdAt
    self.activatedAt = activatedAt
    self.retiredAt = retiredAt
    self.revokedAt = revokedAt
    self.longestTTL = longestTTL
  }

  /// From when a retired key verifies nothing: its retirement plus the longest lifetime that it
  /// signed.
  ///
  /// It is nil for a key that never signed, which verifies nothing.
  public var verifiesUntil: Timestamp? {
    state == .retired && activatedAt != nil
      ? retiredAt?.adding(seconds: longestTTL) : nil
  }

  /// Whether what it signed is still accepted at `now`.
  public func verifies(at now: Timestamp) -> Bool {
    switch state {
    case .active: true
    case .retired: verifiesUntil.map { now < $0 } ?? false
    case .pending, .revoked: false
    }
  }

  /// A project's own key, derived from a signing key's secret.
  ///
  /// HKDF-SHA256 (RFC 5869) without salt. A project's verifier can be given its key, which signs
  /// for no other project.
  ///
  /// - Parameters:
  ///   - secret: the signing key's 32 bytes.
  ///   - projectID: whose key is derived.
  /// - Returns: 32 bytes.
  public static func derivedKey(from secret: [UInt8], for projectID: ProjectID) -> [UInt8] {
    let info = "launchlink/launch-signature/v1/\(projectID)"
    return HKDF.sha256(secret, info: Array(info.utf8), length: 32)
  }
}
