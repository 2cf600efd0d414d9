import Glibc
import HTTPServer
import LaunchDomain

extension TLSFiles {
  private static let largestFile = 1 << 20
  private static let secondsBeforeExpiry: Int64 = 14 * 86_400

  /// Reads and checks both files.
  ///
  /// - Parameters:
  ///   - loaded: says where the settings stand, for what is wrong with their files.
  ///   - now: the time, for a certificate that is over or not valid yet.
  ///   - note: takes warnings.
  /// - Returns: what the server proves itself by.
  /// - Throws: `CommandFailure`.
  func identity(
    of loaded: LoadedConfiguration, at now: Timestamp, note: (String) -> Void
  ) throws -> TLSIdentity {
    let certificatePlace = loaded.place(of: Settings.tlsCertificate)
    let keyPlace = loaded.place(of: Settings.tlsKey)
    let chain = try Self.read(certificate, place: certificatePlace)
    try checkMode(place: keyPlace)
    let secret = try Self.read(key, place: keyPlace)
    let identity: TLSIdentity
    do throws(TLSError) {
      identity = try TLSIdentity(certificate: chain, key: secret)
    } catch {
      switch error {
      case .certificate(let reason):
        throw CommandFailure(
          .configuration,
          "\(certificatePlace): \(certificate) is no certificate in PEM: \(reason).")
      case .key(let reason):
        throw CommandFailure(
          .configuration, "\(keyPlace): \(key) is no private key in PEM: \(reason).")
      case .mismatch:
        throw CommandFailure(
          .configuration,
          "\(keyPlace): the private key \(key) does not belong to the certificate \(certificate).")
      case .outOfMemory:
        throw CommandFailure(.unavailable, "\(keyPlace): there is no memory left to read it.")
      }
    }
    if let warning = warning(about: identity, at: now) {
      note("warning: \(certificatePlace): \(warning)")
    }
    return identity
  }

  private func warning(about identity: TLSIdentity, at now: Timestamp) -> String? {
    let (start, end) = (identity.notBefore, identity.notAfter)
    if end <= now.seconds {
      return "\(certificate) expired at \(Timestamp(seconds: end)): clients refuse it."
    }
    if start > now.seconds {
      return "\(certificate) is not valid before \(Timestamp(seconds: start)): clients refuse it."
    }
    guard end - now.seconds < Self.secondsBeforeExpiry else { return nil }
    return "\(certificate) expires at \(Timestamp(seconds: end)): renew it, then reload."
  }

  /// Refuses a key that others could read: whoever has it can be the server.
  private func checkMode(place: String) throws {
    var status = stat()
    guard stat(key, &status) == 0 else { throw Self.unreadable(key, place: place) }
    guard status.st_mode & 0o027 == 0 else {
      throw CommandFailure(
        .permission,
        "\(place): \(key) has mode 0\(String(status.st_mode & 0o7777, radix: 8)), so that others could "
          + "read or change it. Run: chmod 0600 \(key)")
    }
  }

  private static func read(_ path: String, place: String) throws -> [UInt8] {
    guard access(path, R_OK) == 0 else { throw unreadable(path, place: place) }
    return try readFile(path, limit: largestFile)
  }

  private static func unreadable(_ path: String, place: String) -> CommandFailure {
    let number = errno
    let user = SystemUser(id: geteuid())?.name ?? "uid \(geteuid())"
    let hint = number == EACCES ? " The server runs as \(user)." : ""
    return CommandFailure(
      number == EACCES ? .permission : .configuration,
      "\(place): cannot read \(path): \(String(cString: strerror(number))).\(hint)")
  }
}
