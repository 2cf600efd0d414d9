internal import Cryptography
internal import JSON

/// The names that a bundle's signature uses (openapi.yaml, schema `HeaderBundle`).
public enum BundleSignature {
  /// The tag by which it is found.
  public static let tag = "moment-launch"
  /// The algorithm that it names.
  public static let algorithm = "hmac-sha256"
  /// The components that it covers, in order.
  public static let components = [
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

  /// The code of a signature base.
  func code(of base: borrowing ByteWriter) -> Digest {
    base.withUnsafeBytes { key.authenticate($0) }
  }

  /// Whether `code` is the code of `base`, decided in constant time.
  public func isValid(_ code: [UInt8], for base: [UInt8]) -> Bool {
    key.isValid(code, for: base)
  }
}

/// A signature and its parameters (RFC 9421 section 4).
struct LaunchSignature: Sendable {
  let parameters: SignatureParameters
  let code: Digest

  /// The value of `signature-input`.
  func appendInput(to output: inout ByteWriter, _ quotation: SignatureParameters.Quotation) {
    output.append("launch=")
    parameters.append(to: &output, quotation)
  }

  /// The value of `signature`.
  func appendCode(to output: inout ByteWriter) {
    output.append("launch=:")
    code.withUnsafeBytes { code in
      output.append(upTo: Base64.length(of: code.count)) { Base64.encode(code, into: $0) }
    }
    output.append(":")
  }
}

/// The signature's parameters, which are signed together with the components (RFC 9421 section
/// 2.3).
struct SignatureParameters: Sendable {
  let created: Int64
  let expires: Int64
  let nonce: LaunchID
  let keyID: SigningKeyID

  /// How the value's quotation marks are written, with the constant text between its variable
  /// parts, built once.
  struct Quotation: Sendable {
    /// As they are.
    static let plain = Quotation(mark: "\"")
    /// As they stand inside a JSON string.
    static let json = Quotation(mark: "\\\"")

    fileprivate let beforeCreated, beforeNonce, beforeKeyID, end: [UInt8]

    private init(mark: String) {
      let names = BundleSignature.components.map { "\(mark)\($0)\(mark)" }
      beforeCreated = Array("(\(names.joined(separator: " ")));created=".utf8)
      beforeNonce = Array(";nonce=\(mark)".utf8)
      let algorithm = BundleSignature.algorithm
      beforeKeyID = Array("\(mark);alg=\(mark)\(algorithm)\(mark);keyid=\(mark)".utf8)
      end = Array("\(mark);tag=\(mark)\(BundleSignature.tag)\(mark)".utf8)
    }
  }

  /// The list of components with the parameters.
  func append(to output: inout ByteWriter, _ quotation: Quotation) {
    output.append(quotation.beforeCreated)
    output.append(decimal: created)
    output.append(";expires=")
    output.append(decimal: expires)
    output.append(quotation.beforeNonce)
    output.append(nonce)
    output.append(quotation.beforeKeyID)
    output.append(keyID.text)
    output.append(quotation.end)
  }
}

extension SignatureParameters {
  /// Reads the value of `signature-input` as ``LaunchSignature`` writes it; nil for any other form.
  ///
  /// Two values that differ in a byte never give the same parameters: those of a bundle are signed again
  /// as they would have been written, and only what was sent may fit then.
  init?(input: UnsafeRawBufferPointer, _ quotation: Quotation) {
    var text = PlainText(input)
    guard text.take("launch="), text.take(quotation.beforeCreated), let created = text.seconds(),
      text.take(";expires="), let expires = text.seconds(), text.take(quotation.beforeNonce),
      let nonce = text.take(LaunchID.length).flatMap({ LaunchID(lowercase: $0) }),
      text.take(quotation.beforeKeyID),
      let keyID = text.take(SigningKeyID.length).flatMap({ SigningKeyID($0) }),
      text.take(quotation.end), text.bytes.isEmpty
    else { return nil }
    self.init(created: created, expires: expires, nonce: nonce, keyID: keyID)
  }
}
