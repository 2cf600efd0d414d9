internal import Cryptography

/// Makes pseudonyms of users for logs: a user always has the same one, and nobody can tell who it
/// is.
///
/// A plain digest would identify every user whose ID can be guessed; this one needs a secret.
public struct UserDigestKey: Sendable {
  private static let digits = 16

  private let key: HMACKey

  /// Takes the secret, 32 random bytes.
  public init(secret: [UInt8]) {
    key = HMACKey(secret)
  }

  /// The name of a user in logs and in the audit log: 16 hexadecimal digits.
  ///
  /// - Parameters:
  ///   - userID: the user, as the partner's backend names it.
  ///   - projectID: the project: the same id at two partners is not the same person.
  /// - Returns: the first 8 bytes of an HMAC-SHA256, in lower case.
  public func digest(of userID: String, in projectID: ProjectID) -> String {
    var message = Array(projectID.description.utf8)
    message.append(0)
    message.append(contentsOf: userID.utf8)
    return key.authenticate(message).withUnsafeBytes { bytes in
      Hex.encode(UnsafeRawBufferPointer(rebasing: bytes[..<(Self.digits / 2)]))
    }
  }
}
