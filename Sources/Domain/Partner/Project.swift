internal import Glibc
public import JSON

/// The upstream's identifier of a project: 24 lower-case hexadecimal digits.
public struct ProjectID: Sendable, Hashable, CustomStringConvertible {
  let text: InlineText

  /// Takes `text` where it is a project identifier.
  public init?(_ text: String) {
    guard let id = text.utf8Span.span.withUnsafeBytes({ ProjectID($0) }) else { return nil }
    self = id
  }

  /// Takes the bytes of a text as ``init(_:)-(String)`` takes the text.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count == 24 else { return nil }
    for byte in bytes where !byte.isASCIIDigit {
      guard byte >= UInt8(ascii: "a"), byte <= UInt8(ascii: "f") else { return nil }
    }
    text = InlineText(bytes)
  }

  /// The 24 digits.
  public var description: String { text.text }

  /// A number for spreading IDs over buckets; cheaper than a hash value.
  public var spread: UInt { text.spread }
}

extension ByteWriter {
  /// Appends the 24 digits of a project's identifier.
  public mutating func append(_ id: ProjectID) {
    append(id.text)
  }
}

/// What a launch puts into `x-moment-web-api-key`.
public enum KeyDelivery: String, Sendable, CaseIterable {
  /// A stand-in; only a gateway that verified the bundle gets the real key.
  case gateway
  /// The real Web API Key, which the upstream asks for today; for migration.
  case direct
}

/// Whether one launch may be used more than once.
public enum ReplayPolicy: String, Sendable, CaseIterable {
  /// A page reload may repeat the request.
  case allow
  /// A launch id is accepted once.
  case once
}

/// A partner's project with its launch rules.
public struct Project: Sendable, Equatable {
  /// Seconds that a bundle may live at the least and at the most.
  public static let lifetimes = 10...3600
  /// Requests a second that a project may be given.
  public static let rateLimits = 1...100_000
  /// Characters that a name may have.
  public static let nameLengths = 1...100

  /// Takes a text as the name of a project; commands refer to the project by it.
  ///
  /// - Returns: the name in Unicode NFC.
  /// - Throws: `NameRule.Objection` where it is not a name or has the form of an ID.
  public static func name(_ text: String) throws(NameRule.Objection) -> String {
    let name = try NameRule.name(text, lengths: nameLengths)
    guard ProjectID(name.lowercased()) == nil else {
      throw NameRule.Objection(
        description:
          "This has the form of a project's id, and would be taken for one: choose another.")
    }
    return name
  }

  /// The upstream's identifier.
  public let id: ProjectID
  /// What people call it.
  public var name: String
  /// Where the real Web API Key goes.
  public var keyDelivery: KeyDelivery
  /// Whether a launch may be used again.
  public var replayPolicy: ReplayPolicy
  /// Lifetime of a bundle in seconds: the default and the most that a caller may ask for.
  public var ttl: Int
  /// Requests a second; the burst is twice as many.
  public var rateLimit: Int
  /// Name of the upstream that its users are sent to.
  public var upstream: String
  /// Since when nothing is issued or accepted for it; nil while it is enabled.
  public var disabledAt: Timestamp?
  /// When it was made; a bundle from before then belongs to an earlier project with the same ID.
  public let createdAt: Timestamp
  /// When it was last changed.
  public var updatedAt: Timestamp

  /// Makes a project of its parts.
  public init(
    id: ProjectID, name: String, keyDelivery: KeyDelivery, replayPolicy: ReplayPolicy = .allow,
    ttl: Int = 300, rateLimit: Int = 500, upstream: String = "production",
    disabledAt: Timestamp? = nil, createdAt: Timestamp, updatedAt: Timestamp
  ) {
    self.id = id
    self.name = name
    self.keyDelivery = keyDelivery
    self.replayPolicy = replayPolicy
    self.ttl = ttl
    self.rateLimit = rateLimit
    self.upstream = upstream
    self.disabledAt = disabledAt
    self.createdAt = createdAt
    self.updatedAt = updatedAt
  }
}

extension String {
  /// Whether every byte is a visible ASCII character (0x21–0x7E).
  public var isVisibleASCII: Bool {
    utf8Span.span.withUnsafeBytes { $0.allSatisfy { $0 >= 0x21 && $0 <= 0x7E } }
  }

  /// Whether both texts have the same bytes: Swift's own `==` takes precomposed and decomposed
  /// letters for equal, and comparing UTF-8 views element by element takes ten times as long.
  public func hasSameBytes(as other: String) -> Bool {
    guard utf8.count == other.utf8.count else { return false }
    return utf8Span.span.withUnsafeBytes { left in
      other.utf8Span.span.withUnsafeBytes { right in
        guard let first = left.baseAddress, let second = right.baseAddress else { return true }
        return memcmp(first, second, left.count) == 0
      }
    }
  }
}
