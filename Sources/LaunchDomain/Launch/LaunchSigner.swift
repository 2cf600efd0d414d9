internal import Cryptography

/// The names that a bundle's signature uses (CONTRACT.md section 3).
enum BundleSignature {
  static let label = "launch"
  static let tag = "moment-launch"
  static let algorithm = "hmac-sha256"
  static let components = [
    "@method", "@authority", "@path", "@query", "x-moment-project-id", "x-moment-web-api-key",
    "x-moment-user-id", "x-moment-platform",
  ]
}

/// Signs launches of one project with its key derived from one signing key.
public struct LaunchSigner: Sendable {
  /// The signing key that the project's key is derived from.
  public let keyID: SigningKeyID
  private let key: HMACKey

  /// Derives the project's key.
  ///
  /// - Parameters:
  ///   - keyID: the signing key's public name.
  ///   - secret: the signing key's 32 bytes.
  ///   - projectID: whose launches are signed.
  public init(keyID: SigningKeyID, secret: [UInt8], projectID: ProjectID) {
    self.keyID = keyID
    key = HMACKey(SigningKey.derivedKey(from: secret, for: projectID))
  }

  /// The values of `signature-input` and `signature` (RFC 9421 section 4).
  func sign(
    method: StaticString = "GET", authority: String, path: String, query: [UInt8],
    projectID: String,
    webAPIKey: String, userID: String, platform: String, created: Int64, expires: Int64,
    nonce: LaunchID
  ) -> (input: String, signature: String) {
    var base: [UInt8] = []
    base.reserveCapacity(900 + query.count)
    func line(_ start: StaticString, _ value: some Sequence<UInt8>) {
      base.append(start)
      base.append(contentsOf: value)
    }
    line("\"@method\": ", method.bytes)
    line("\n\"@authority\": ", authority.utf8)
    line("\n\"@path\": ", path.utf8)
    line("\n\"@query\": ", query)
    line("\n\"x-moment-project-id\": ", projectID.utf8)
    line("\n\"x-moment-web-api-key\": ", webAPIKey.utf8)
    line("\n\"x-moment-user-id\": ", userID.utf8)
    line("\n\"x-moment-platform\": ", platform.utf8)
    base.append("\n\"@signature-params\": ")
    let start = base.count
    base.append(
      """
      ("@method" "@authority" "@path" "@query" "x-moment-project-id" "x-moment-web-api-key" \
      "x-moment-user-id" "x-moment-platform");created=
      """)
    base.append(decimal: created)
    base.append(";expires=")
    base.append(decimal: expires)
    base.append(";nonce=\"")
    base.append(contentsOf: nonce.description.utf8)
    base.append("\";alg=\"hmac-sha256\";keyid=\"")
    base.append(contentsOf: keyID.description.utf8)
    base.append("\";tag=\"moment-launch\"")
    let code = key.authenticate(base)
    return (
      input: "launch=" + String(decoding: base[start...], as: UTF8.self),
      signature: "launch=:" + Base64.encode(code.bytes) + ":"
    )
  }

  /// Whether `code` is the code of `base`; takes the same time wherever they differ.
  func isValid(_ code: [UInt8], for base: [UInt8]) -> Bool {
    key.isValid(code, for: base)
  }
}

extension StaticString {
  fileprivate var bytes: UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: utf8Start, count: utf8CodeUnitCount)
  }
}

extension [UInt8] {
  fileprivate mutating func append(_ text: StaticString) {
    append(contentsOf: text.bytes)
  }

  fileprivate mutating func append(decimal number: Int64) {
    var text = String(number)
    text.withUTF8 { append(contentsOf: $0) }
  }
}
