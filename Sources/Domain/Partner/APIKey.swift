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
  let text: InlineText

  /// Takes `text` where it is the public name of an API key.
  public init?(_ text: String) {
    guard let tail = text.droppingPrefix("key_"), Base62.isNumber(tail.utf8, digits: 12) else {
      return nil
    }
    self.text = InlineText(text)
  }

  /// Makes the name from the 12 characters that it shares with its secret.
  init(tail: UnsafeRawBufferPointer) {
    text = withUnsafeTemporaryAllocation(byteCount: 16, alignment: 8) { name in
      name.copyBytes(from: "key_".utf8)
      UnsafeMutableRawBufferPointer(rebasing: name[4...]).copyMemory(from: tail)
      return InlineText(UnsafeRawBufferPointer(name))
    }
  }

  /// The whole name.
  public var description: String { text.text }
}

/// An API key as its owner holds it: `llk_`, 12 characters of its id, `_`, 43 of secret, 6 of checksum.
///
/// It prints as its public ID, so that it cannot leak into a log.
public struct APIKeySecret: Sendable, CustomStringConvertible {
  private static let length = 66
  private static let tail = 4..<16
  private static let body = 17..<60
  private static let checksumDigits = 6
  /// The largest value of 32 bytes; digits ascend as their ASCII codes do, so numbers of one length
  /// compare as texts.
  private static let largestBody = Array(
    Base62.text(of: [UInt8](repeating: 0xFF, count: 32), digits: body.count).utf8)

  /// The public name, with the same 12 characters.
  public let keyID: KeyID
  private let bytes: InlineArray<66, UInt8>

  /// Takes `text` where it is well formed and its checksum is right.
  ///
  /// - Returns: nil for a key that was mistyped or cut short.
  public init?(_ text: String) {
    var text = text
    guard let key = text.withUTF8({ APIKeySecret(UnsafeRawBufferPointer($0)) }) else { return nil }
    self = key
  }

  /// Takes the bytes of a text as ``init(_:)-(String)`` takes the text.
  ///
  /// - Returns: nil for a key that was mistyped or cut short.
  public init?(_ text: UnsafeRawBufferPointer) {
    guard text.count == Self.length, text.starts(with: "llk_".utf8), text[16] == UInt8(ascii: "_"),
      Base62.isNumber(UnsafeRawBufferPointer(rebasing: text[Self.tail])),
      Base62.isNumber(UnsafeRawBufferPointer(rebasing: text[Self.body])),
      !Self.largestBody.lexicographicallyPrecedes(text[Self.body]),
      let sum = Base62.number(text[60...]),
      sum == UInt64(CRC32.checksum(UnsafeRawBufferPointer(rebasing: text[..<60])))
    else { return nil }
    keyID = KeyID(tail: UnsafeRawBufferPointer(rebasing: text[Self.tail]))
    bytes = InlineArray { text[$0] }
  }

  /// Makes a new key with 256 random bits.
  public init(using generator: inout some RandomNumberGenerator) {
    let tail = Base62.random(digits: Self.tail.count, using: &generator)
    let bytes = randomBytes(32, using: &generator)
    let start = "llk_" + tail + "_" + Base62.text(of: bytes, digits: Self.body.count)
    let sum = start.utf8Span.span.withUnsafeBytes { UInt64(CRC32.checksum($0)) }
    let text = Array((start + Base62.text(of: sum, digits: Self.checksumDigits)).utf8)
    self.bytes = InlineArray { text[$0] }
    keyID = text.withUnsafeBytes { KeyID(tail: UnsafeRawBufferPointer(rebasing: $0[Self.tail])) }
  }

  /// The text to give to its owner, once.
  public var secret: String {
    withUnsafeBytes(of: bytes) { String(decoding: $0, as: UTF8.self) }
  }

  /// SHA-256 of the whole key, which is stored instead of the key.
  public var digest: [UInt8] { hash.bytes }

  /// Whether `digest` is this key's, decided in constant time.
  public func hasDigest(_ digest: [UInt8]) -> Bool {
    hash.withUnsafeBytes { own in
      digest.withUnsafeBytes { constantTimeEqual(own, $0) }
    }
  }

  private var hash: Digest { withUnsafeBytes(of: bytes) { SHA256.hash($0) } }

  /// The public name; never the secret.
  public var description: String { keyID.description }
}

/// An API key as it is stored: everything but the secret.
public struct APIKey: Sendable, Equatable {
  /// Characters that a name may have.
  public static let nameLengths = 0...100

  /// Takes a text as the name of an API key, which may be empty.
  ///
  /// - Returns: the name in Unicode NFC.
  /// - Throws: `NameRule.Objection`.
  public static func name(_ text: String) throws(NameRule.Objection) -> String {
    try NameRule.name(text, lengths: nameLengths)
  }

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
  /// When it was revoked or rotated without grace: it stays refused even where the clock is set
  /// back.
  public var revokedAt: Timestamp?
  /// The key that it replaced.
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

  /// Why a key cannot have these scopes; nil where it can.
  ///
  /// - Parameters:
  ///   - scopes: what it may be used for.
  ///   - isBound: whether it belongs to a project.
  /// - Returns: what is wrong and what to do.
  public static func objection(to scopes: Set<Scope>, isBound: Bool) -> String? {
    if scopes.isEmpty {
      return "A key needs at least one scope: launch, catalog, support or verify."
    }
    if scopes.contains(.launch), !isBound {
      return "A key with the scope launch belongs to one project: name it with --project."
    }
    if scopes.contains(.support), isBound {
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
