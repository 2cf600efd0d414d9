import COpenSSL

/// Whether two byte strings are equal, in a time that depends on their length alone.
///
/// Different lengths are rejected at once: only the content is secret.
public func constantTimeEqual(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
  guard a.count == b.count else { return false }
  guard let first = a.baseAddress, let second = b.baseAddress else { return true }
  return CRYPTO_memcmp(first, second, a.count) == 0
}

/// Whether two byte strings are equal, in a time that depends on their length alone.
public func constantTimeEqual(_ a: [UInt8], _ b: [UInt8]) -> Bool {
  a.withUnsafeBytes { a in b.withUnsafeBytes { b in constantTimeEqual(a, b) } }
}

/// Whether two digests are equal, in a time independent of their content.
public func constantTimeEqual(_ a: Digest, _ b: Digest) -> Bool {
  a.withUnsafeBytes { a in b.withUnsafeBytes { b in constantTimeEqual(a, b) } }
}
