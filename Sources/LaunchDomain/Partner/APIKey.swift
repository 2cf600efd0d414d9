internal import Cryptography

/// What an API key may be used for.
public enum Scope: String, Sendable, CaseIterable {
  case launch
  case catalog
  case support
  case verify
}

/// The public name of an API key, `key_` and 12 characters; it opens nothing.
public struct KeyID: Sendable, Hashable, CustomStringConvertible {
  /// The whole name.
  public let description: String

  /// Takes `text` where it is the public name of an API key.
  public init?(_ text: String) {
    guard let tail = text.droppingPrefix("key_"), Base62.isNumber(tail.utf8, digits: 12) else {
      return nil
    }
    description = text
  }

  init(tail: String) {
    description = "key_" + tail
  }
}

/// An API key as its owner holds it: `llk_`, 12 characters of its id, `_`, 43 of secret, 6 of checksum.
///
/// It prints as its public id, so that it cannot slip into a log.
public struct APIKeySecret: Sendable, CustomStringConvertible {
  private static let length = 66
  private static let checksumDigits = 6

  /// The public name, with the same 12 characters.
  public let keyID: KeyID
  /// The text to give to its owner, once.
  public let secret: String

  /// Takes `text` where it is well formed and its checksum is right.
  ///
  /// - Returns: nil for a key that was mistyped or cut short.
  public init?(_ text: String) {
    var text = text
    let isWellFormed = text.withUTF8 { bytes -> Bool in
      guard bytes.count == Self.length, bytes.starts(with: "llk_".utf8),
        bytes[16] == UInt8(ascii: "_"),
        Base62.isNumber(bytes[4..<16], digits: 12),
        Base62.fits256Bits(bytes[17..<60]),
        let sum = Base62.number(bytes[60..<66])
      else { return false }
      return sum == UInt64(CRC32.checksum(bytes[..<60]))
    }
    guard isWellFormed else { return nil }
    secret = text
    keyID = KeyID(tail: String(decoding: text.utf8.dropFirst(4).prefix(12), as: UTF8.self))
  }

  /// Makes a new key with 256 random bits.
  public init(using generator: inout some RandomNumberGenerator) {
    let tail = Base62.random(digits: 12, using: &generator)
    let bytes = randomBytes(32, using: &generator)
    let body = "llk_" + tail + "_" + Base62.text(of: bytes, digits: 43)
    let sum = UInt64(CRC32.checksum(body.utf8))
    secret = body + Base62.text(of: sum, digits: Self.checksumDigits)
    keyID = KeyID(tail: tail)
  }

  /// SHA-256 of the whole key: what is stored in its place.
  public var digest: [UInt8] { hash.bytes }

  /// Whether `digest` is this key's, decided in constant time.
  public func hasDigest(_ digest: [UInt8]) -> Bool {
    hash.withUnsafeBytes { own in
      digest.withUnsafeBytes { constantTimeEqual(own, $0) }
    }
  }

  private var hash: Digest { secret.utf8Span.span.withUnsafeBytes { SHA256.hash($0) } }

  /// The public name; never the secret.
  public var description: String { keyID.description }
}

/// An API key as it is kept: everything but the secret.
public struct APIKey: Sendable, Equatable {
  /// Characters that a name may have.
  public static let nameLengths = 0...100

  /// The public name.
  public let id: KeyID
  /// What people call it.
  public var name: String
  /// What it may be used for.
  public let scopes: Set<Scope>
  /// The project that it is bound to.
  public let projectID: ProjectID?
  /// When it was made.
  public let createdAt: Timestamp
  /// From when it is refused.
  public var expiresAt: Timestamp?
  /// When it was revoked.
  public var revokedAt: Timestamp?
  /// The key that it took the place of.
  public let replaces: KeyID?

  /// Makes a key of its parts.
  public init(
    id: KeyID, name: String, scopes: Set<Scope>, projectID: ProjectID?, createdAt: Timestamp,
    expiresAt: Timestamp? = nil, revokedAt: Timestamp? = nil, replaces: KeyID? = nil
  ) {
    self.id = id
    self.name = name
    self.scopes = scopes
    self.projectID = projectID
    self.createdAt = createdAt
    self.expiresAt = expiresAt
    self.revokedAt = revokedAt
    self.replaces = replaces
  }

  /// Whether a key of these scopes and project makes sense; nil where it does.
  ///
  /// - Returns: what is wrong and what to do.
  public static func objection(to scopes: Set<Scope>, projectID: ProjectID?) -> String? {
    if scopes.isEmpty {
      return "A key needs at least one scope: launch, catalog, support or verify."
    }
    if scopes.contains(.launch), projectID == nil {
      return "A key with the scope launch belongs to one project: name it with --project."
    }
    if scopes.contains(.support), projectID != nil {
      return "A key with the scope support sees every project: leave --project out."
    }
    return nil
  }

  /// The scopes in their fixed order, as they are shown and stored.
  public var scopeNames: [String] {
    Scope.allCases.filter(scopes.contains).map(\.rawValue)
  }
}

extension String {
  func droppingPrefix(_ prefix: String) -> Substring? {
    utf8.starts(with: prefix.utf8)
      ? self[utf8.index(startIndex, offsetBy: prefix.utf8.count)...] : nil
  }
}
