/// Why sealing or opening failed; it never carries a key or any content.
public enum CryptographyError: Error, Equatable {
  /// The key has not the 32 bytes of AES-256.
  case invalidKeyLength(Int)
  /// The nonce has not the 12 bytes of NIST SP 800-38D section 5.2.1.1.
  case invalidNonceLength(Int)
  /// The content was changed or cut short, or belongs to another key or other associated data.
  ///
  /// Which of these it was cannot be told.
  case authenticationFailed
  /// OpenSSL refused to work: out of memory, or the algorithm is not to be had.
  case libraryFailure
}
