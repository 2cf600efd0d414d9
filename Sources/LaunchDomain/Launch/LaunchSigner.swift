internal import Cryptography
internal import JSON

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

  /// The code of a signature base.
  func code(of base: borrowing ByteWriter) -> Digest {
    base.withUnsafeBytes { key.authenticate($0) }
  }

  /// Whether `code` is the code of `base`; takes the same time wherever they differ.
  func isValid(_ code: [UInt8], for base: [UInt8]) -> Bool {
    key.isValid(code, for: base)
  }
}

/// A signature and what it says of itself (RFC 9421 section 4).
struct LaunchSignature: Sendable {
  let parameters: SignatureParameters
  let code: Digest

  /// The value of `signature-input`.
  func appendInput(to output: inout ByteWriter, _ quotation: SignatureParameters.Quotation) {
    output.append(BundleSignature.label)
    output.append("=")
    parameters.append(to: &output, quotation)
  }

  /// The value of `signature`.
  func appendCode(to output: inout ByteWriter) {
    output.append(BundleSignature.label)
    output.append("=:")
    code.withUnsafeBytes { code in
      output.append(upTo: Base64.length(of: code.count)) { Base64.encode(code, into: $0) }
    }
    output.append(":")
  }
}

/// What is signed together with the components (RFC 9421 section 2.3).
struct SignatureParameters: Sendable {
  let created: Int64
  let expires: Int64
  let nonce: LaunchID
  let keyID: SigningKeyID

  /// How the quotation marks of the value are written.
  enum Quotation {
    /// As they are.
    case plain
    /// As they stand inside a JSON string.
    case json

    fileprivate var mark: StaticString {
      switch self {
      case .plain: "\""
      case .json: "\\\""
      }
    }

    /// The list of components, put together once.
    fileprivate var components: [UInt8] {
      switch self {
      case .plain: Self.plainComponents
      case .json: Self.jsonComponents
      }
    }

    private static let plainComponents = list(plain.mark)
    private static let jsonComponents = list(json.mark)

    private static func list(_ mark: StaticString) -> [UInt8] {
      let names = BundleSignature.components.map { "\(mark)\($0)\(mark)" }
      return Array("(\(names.joined(separator: " ")))".utf8)
    }
  }

  /// The list of components with the parameters.
  func append(to output: inout ByteWriter, _ quotation: Quotation) {
    let mark = quotation.mark
    func add(_ name: StaticString) {
      output.append(name)
      output.append(mark)
    }
    output.append(quotation.components)
    output.append(";created=")
    output.append(decimal: created)
    output.append(";expires=")
    output.append(decimal: expires)
    add(";nonce=")
    output.append(nonce)
    output.append(mark)
    add(";alg=")
    output.append(BundleSignature.algorithm)
    output.append(mark)
    add(";keyid=")
    output.append(keyID.text)
    output.append(mark)
    add(";tag=")
    output.append(BundleSignature.tag)
    output.append(mark)
  }
}
