internal import CGnuTLS
internal import CMicroHTTPD

/// GnuTLS's callback for the certificate of a handshake; it runs on the thread of the connection's loop.
///
/// The session's pointer is libmicrohttpd's connection. Its ``ClientConnection`` keeps the identity until after the
/// session has ended.
func certify(
  session: gnutls_session_t?, info: UnsafePointer<gnutls_cert_retr_st>?,
  certificates: UnsafeMutablePointer<UnsafeMutablePointer<gnutls_pcert_st>?>?,
  count: UnsafeMutablePointer<UInt32>?,
  responses: UnsafeMutablePointer<UnsafeMutablePointer<gnutls_ocsp_data_st>?>?,
  responseCount: UnsafeMutablePointer<UInt32>?, key: UnsafeMutablePointer<gnutls_privkey_t?>?,
  flags: UnsafeMutablePointer<UInt32>?
) -> Int32 {
  guard let connection = gnutls_session_get_ptr(session),
    let state = chttp_attached(OpaquePointer(connection)),
    let identity = Unmanaged<ClientConnection>.fromOpaque(state)._withUnsafeGuaranteedRef({
      $0.presentIdentity()
    })
  else { return -1 }
  certificates?.pointee = identity.certificates
  count?.pointee = identity.count
  responses?.pointee = nil
  responseCount?.pointee = 0
  key?.pointee = identity.key
  flags?.pointee = 0
  return 0
}

/// Sends as much over TLS as the socket takes at once, then `close_notify`.
func sendSecurely(_ bytes: [UInt8], on session: gnutls_session_t) {
  var rest = bytes[...]
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes { gnutls_record_send(session, $0.baseAddress, $0.count) }
    guard count > 0 else { return }
    rest = rest.dropFirst(count)
  }
  // It fails only when the socket does; then nobody is left to tell.
  _ = gnutls_bye(session, GNUTLS_SHUT_WR)
}
