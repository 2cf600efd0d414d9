/// The key derivation function HKDF (RFC 5869).
public enum HKDF {
  /// Derives a key from `secret` with SHA-256 and no salt (RFC 5869 sections 2.2 and 2.3).
  ///
  /// Written out on ``HMACKey``, because unlike OpenSSL's `EVP_KDF` it then has no way to fail.
  ///
  /// - Parameters:
  ///   - secret: The input keying material.
  ///   - info: What the derived key is for; different texts give unrelated keys.
  ///   - length: The number of bytes to derive, 1 to 8,160; anything else is a fault of the caller
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
