import COpenSSL

/// Authenticated encryption by AES-256-GCM (NIST SP 800-38D).
public enum AESGCM {
  /// The number of bytes in a key.
  public static let keyLength = 32
  /// The number of bytes in a nonce.
  public static let nonceLength = 12
  /// The number of bytes in an authentication tag.
  public static let tagLength = 16

  /// Encrypts `plaintext` and authenticates it together with the associated data.
  ///
  /// - Parameters:
  ///   - plaintext: What to keep secret.
  ///   - key: 32 bytes.
  ///   - nonce: 12 bytes that were never used with this key before; reuse allows forgeries.
  ///   - associatedData: The context of the content; not stored, and needed to open it.
  /// - Returns: The nonce, the ciphertext and the 16-byte tag, one after another.
  /// - Throws: ``CryptographyError`` for a key or nonce of a wrong length.
  public static func seal(
    _ plaintext: [UInt8], key: LockedBytes, nonce: [UInt8], associatedData: [UInt8]
  ) throws(CryptographyError) -> [UInt8] {
    let context = try Context()
    try context.begin(.seal, key: key, nonce: nonce)
    try context.authenticate(associatedData)
    let ciphertext = try context.process(plaintext)
    try context.finish()
    return nonce + ciphertext + (try context.tag())
  }

  /// Decrypts the result of ``seal(_:key:nonce:associatedData:)`` if it is unchanged.
  ///
  /// - Parameters:
  ///   - sealed: The nonce, the ciphertext and the tag, one after another.
  ///   - key: The 32 bytes that it was sealed with.
  ///   - associatedData: The associated data that it was sealed with.
  /// - Returns: The plaintext.
  /// - Throws: ``CryptographyError/authenticationFailed`` for anything but an exact match.
  public static func open(
    _ sealed: [UInt8], key: LockedBytes, associatedData: [UInt8]
  ) throws(CryptographyError) -> [UInt8] {
    guard sealed.count >= nonceLength + tagLength else { throw .authenticationFailed }
    let nonce = Array(sealed.prefix(nonceLength))
    let tag = Array(sealed.suffix(tagLength))
    let context = try Context()
    try context.begin(.open, key: key, nonce: nonce)
    try context.authenticate(associatedData)
    var plaintext = try context.process(Array(sealed[nonceLength..<sealed.count - tagLength]))
    do {
      try context.expect(tag)
      try context.finish()
    } catch {
      // With a wrong tag, the decrypted bytes may be of an attacker's choosing.
      OPENSSL_cleanse(&plaintext, plaintext.count)
      throw .authenticationFailed
    }
    return plaintext
  }
}

/// One encryption or decryption; deinitialization wipes the expanded key.
private struct Context: ~Copyable {
  enum Operation: Int32 { case open = 0, seal = 1 }

  private let context: OpaquePointer

  init() throws(CryptographyError) {
    guard let context = EVP_CIPHER_CTX_new() else { throw .libraryFailure }
    self.context = context
  }

  deinit { EVP_CIPHER_CTX_free(context) }

  func begin(_ operation: Operation, key: LockedBytes, nonce: [UInt8]) throws(CryptographyError) {
    guard key.count == AESGCM.keyLength else { throw .invalidKeyLength(key.count) }
    guard nonce.count == AESGCM.nonceLength else { throw .invalidNonceLength(nonce.count) }
    try key.withUnsafeBytes { key throws(CryptographyError) in
      let start = key.assumingMemoryBound(to: UInt8.self).baseAddress
      try check(
        EVP_CipherInit_ex(context, EVP_aes_256_gcm(), nil, start, nonce, operation.rawValue))
    }
  }

  func authenticate(_ associatedData: [UInt8]) throws(CryptographyError) {
    // A null output means associated data to OpenSSL, and a null input as well means the end.
    guard !associatedData.isEmpty else { return }
    var written: Int32 = 0
    let length = try self.length(of: associatedData)
    try check(EVP_CipherUpdate(context, nil, &written, associatedData, length))
  }

  func process(_ input: [UInt8]) throws(CryptographyError) -> [UInt8] {
    guard !input.isEmpty else { return [] }
    var output = [UInt8](repeating: 0, count: input.count)
    var written: Int32 = 0
    let length = try self.length(of: input)
    try check(EVP_CipherUpdate(context, &output, &written, input, length))
    guard written == length else { throw .libraryFailure }
    return output
  }

  /// Finishes the operation; on opening, a wrong tag is detected here.
  func finish() throws(CryptographyError) {
    var rest = [UInt8](repeating: 0, count: AESGCM.tagLength)
    var written: Int32 = 0
    try check(EVP_CipherFinal_ex(context, &rest, &written))
  }

  func tag() throws(CryptographyError) -> [UInt8] {
    var tag = [UInt8](repeating: 0, count: AESGCM.tagLength)
    try check(
      EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(AESGCM.tagLength), &tag))
    return tag
  }

  func expect(_ tag: [UInt8]) throws(CryptographyError) {
    var tag = tag
    try check(
      EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(AESGCM.tagLength), &tag))
  }

  private func length(of bytes: [UInt8]) throws(CryptographyError) -> Int32 {
    guard let length = Int32(exactly: bytes.count) else { throw .libraryFailure }
    return length
  }

  private func check(_ result: Int32) throws(CryptographyError) {
    guard result == 1 else { throw .libraryFailure }
  }
}
