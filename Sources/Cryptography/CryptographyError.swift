/// Why sealing or opening failed; it never carries a key or any content.
public enum CryptographyError: Error, Equatable {
  /// The key does not have the 32 bytes of AES-256.
  case invalidKeyLength(Int)
  /// The nonce does not have the 12 bytes of NIST SP 800-38D section 5.2.1.1.
  case invalidNonceLength(Int)
  /// The content was changed or truncated, or belongs to another key or other associated data.
  ///
  /// These cases cannot be told apart.
  case authenticationFailed
  /// OpenSSL failed: it is out of memory or lacks the algorithm.
  case libraryFailure
}
