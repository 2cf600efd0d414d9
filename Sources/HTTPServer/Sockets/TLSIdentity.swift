internal import CGnuTLS
internal import Glibc

/// A server's certificate with its chain and its private key (RFC 8446).
///
/// Unchecked: nothing changes after `init`; GnuTLS only reads it.
public final class TLSIdentity: @unchecked Sendable {
  let certificates: UnsafeMutablePointer<gnutls_pcert_st>
  let count: UInt32
  let key: gnutls_privkey_t

  /// From when the certificate is valid, in seconds since 1970.
  public let notBefore: Int64
  /// Until when the certificate is valid, in seconds since 1970.
  public let notAfter: Int64

  /// Reads a certificate and its key.
  ///
  /// - Parameters:
  ///   - certificate: PEM (RFC 7468): the server's own certificate and its chain, without or with the root that
  ///     clients trust.
  ///   - key: PEM: the private key, not encrypted.
  /// - Throws: ``TLSError`` when one cannot be read or they do not match.
  public init(certificate: [UInt8], key: [UInt8]) throws(TLSError) {
    let chain = try Chain(certificate)
    let key = try TLSIdentity.privateKey(key)
    guard TLSIdentity.keyID(ofPrivate: key) == chain.keyID else {
      gnutls_privkey_deinit(key)
      throw .mismatch
    }
    guard let certificates = chain.certificates() else {
      gnutls_privkey_deinit(key)
      throw .certificate(reason: "its chain has a gap")
    }
    self.certificates = certificates
    self.key = key
    count = chain.count
    notBefore = Int64(gnutls_x509_crt_get_activation_time(chain.leaf))
    notAfter = Int64(gnutls_x509_crt_get_expiration_time(chain.leaf))
  }

  deinit {
    for index in 0..<Int(count) { gnutls_pcert_deinit(certificates + index) }
    certificates.deallocate()
    gnutls_privkey_deinit(key)
  }

  /// TLS 1.3 and 1.2, forward secrecy and authenticated encryption only.
  static let priorities: StaticString =
    "NORMAL:%SERVER_PRECEDENCE:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:-KX-ALL:+ECDHE-ECDSA:+ECDHE-RSA:-CIPHER-ALL:+AES-128-GCM:+AES-256-GCM:+CHACHA20-POLY1305:-MAC-ALL:+AEAD"

  private static func privateKey(_ pem: [UInt8]) throws(TLSError) -> gnutls_privkey_t {
    var made: gnutls_privkey_t?
    guard gnutls_privkey_init(&made) == 0, let key = made else { throw .outOfMemory }
    let code = withDatum(pem) {
      gnutls_privkey_import_x509_raw(key, $0, GNUTLS_X509_FMT_PEM, nil, 0)
    }
    guard code == 0 else {
      gnutls_privkey_deinit(key)
      throw .key(
        reason: code == GNUTLS_E_DECRYPTION_FAILED ? "it is encrypted" : reason(of: code))
    }
    return key
  }

  private static func keyID(ofPrivate key: gnutls_privkey_t) -> [UInt8]? {
    var made: gnutls_pubkey_t?
    guard gnutls_pubkey_init(&made) == 0, let pubkey = made else { return nil }
    defer { gnutls_pubkey_deinit(pubkey) }
    guard gnutls_pubkey_import_privkey(pubkey, key, 0, 0) == 0 else { return nil }
    return identifier {
      gnutls_pubkey_get_key_id(pubkey, UInt32(GNUTLS_KEYID_USE_SHA256.rawValue), $0, $1)
    }
  }
}

/// The certificates that were read, the server's own first.
private struct Chain: ~Copyable {
  private let list: UnsafeMutablePointer<gnutls_x509_crt_t?>
  let leaf: gnutls_x509_crt_t
  let count: UInt32

  init(_ pem: [UInt8]) throws(TLSError) {
    var made: UnsafeMutablePointer<gnutls_x509_crt_t?>?
    var count: UInt32 = 0
    let code = withDatum(pem) {
      gnutls_x509_crt_list_import2(&made, &count, $0, GNUTLS_X509_FMT_PEM, 0)
    }
    guard code >= 0, let made, count > 0, let leaf = made[0] else {
      throw .certificate(reason: reason(of: code))
    }
    (list, self.leaf, self.count) = (made, leaf, count)
  }

  deinit {
    for index in 0..<Int(count) { gnutls_x509_crt_deinit(list[index]) }
    cgnutls_free(list)
  }

  var keyID: [UInt8]? {
    identifier {
      gnutls_x509_crt_get_key_id(leaf, UInt32(GNUTLS_KEYID_USE_SHA256.rawValue), $0, $1)
    }
  }

  /// The certificates in the order in which they are sent; nil if the chain has a gap.
  func certificates() -> UnsafeMutablePointer<gnutls_pcert_st>? {
    let made = UnsafeMutablePointer<gnutls_pcert_st>.allocate(capacity: Int(count))
    made.initialize(repeating: gnutls_pcert_st(), count: Int(count))
    var size = count
    let code = gnutls_pcert_import_x509_list(
      made, list, &size, UInt32(GNUTLS_X509_CRT_LIST_SORT.rawValue))
    guard code == 0, size == count else {
      made.deallocate()
      return nil
    }
    return made
  }
}

private func identifier(
  _ write: (UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<Int>) -> Int32
) -> [UInt8]? {
  var bytes = [UInt8](repeating: 0, count: 32)
  var size = bytes.count
  return write(&bytes, &size) == 0 ? bytes : nil
}

private func withDatum(_ bytes: [UInt8], _ use: (UnsafePointer<gnutls_datum_t>) -> Int32) -> Int32 {
  var bytes = bytes
  return bytes.withUnsafeMutableBufferPointer { buffer in
    var datum = gnutls_datum_t(data: buffer.baseAddress, size: UInt32(clamping: buffer.count))
    return use(&datum)
  }
}

private func reason(of code: Int32) -> String {
  code == GNUTLS_E_BASE64_DECODING_ERROR || code == GNUTLS_E_NO_CERTIFICATE_FOUND || code >= 0
    ? "it holds none" : gnutls_strerror(code).map { String(cString: $0) } ?? "error \(code)"
}

/// Why a certificate or a key is unusable.
public enum TLSError: Error, Hashable {
  /// There is no usable certificate; the reason is a clause, such as "its chain has a gap".
  case certificate(reason: String)
  /// There is no usable key.
  case key(reason: String)
  /// The key is not the certificate's.
  case mismatch
  /// The system has no memory left.
  case outOfMemory
}
