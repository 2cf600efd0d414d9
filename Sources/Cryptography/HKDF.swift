/// The key derivation function HKDF (RFC 5869).
public enum HKDF {
  /// Derives a key from `secret` with SHA-256 and no salt (RFC 5869 sections 2.2 and 2.3).
  ///
  /// Implemented on ``HMACKey``, which unlike OpenSSL's `EVP_KDF` cannot fail.
  ///
  /// - Parameters:
  ///   - secret: The input keying material.
  ///   - info: The purpose of the derived key; different texts give independent keys.
  ///   - length: The number of bytes to derive, 1 to 8,160; any other number is a programming error
  ///     and stops the program.
  /// - Returns: `length` bytes.
  public static func sha256(_ secret: [UInt8], info: [UInt8], length: Int = 32) -> [UInt8] {
    precondition((1...255 * Digest.byteCount).contains(length), "HKDF gives 1 to 8,160 bytes")
    let noSalt = [UInt8](repeating: 0, count: Digest.byteCount)
    let pseudorandomKey = HMACKey(HMACKey(noSalt).authenticate(secret).bytes)
    var output: [UInt8] = []
    output.reserveCapacity(length + Digest.byteCount)
    var block: [UInt8] = []
    var counter: UInt8 = 1
    while true {
      block = pseudorandomKey.authenticate(block + info + [counter]).bytes
      output += block
      guard output.count < length else { return Array(output.prefix(length)) }
      counter += 1
    }
  }
}
