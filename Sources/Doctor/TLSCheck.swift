import Configuration
import Domain
import HTTPServer

extension HealthCheck {
  private static let secondsBeforeExpiry: Int64 = 14 * 86_400

  static let tls = HealthCheck(name: "TLS") { patient in
    // The configuration's own faults have a check of their own.
    guard case .success(let loaded) = patient.loaded, let files = loaded.configuration.tls else {
      return []
    }
    let named = NamedFiles(of: loaded, at: patient.now)
    guard let identity = named.identity else {
      return named.faults.filter { $0.setting.hasPrefix("tls.") }.map {
        .error(
          $0.description, why: "the server does not start with it",
          mend: "put the certificate's chain and its key in place, the key with mode 0600")
      }
    }
    let renew = "renew \(files.certificate), then reload the server (SIGHUP)"
    let now = patient.now.seconds
    if identity.notAfter <= now || identity.notBefore > now {
      return [
        .error(
          "\(files.certificate) is valid from \(Timestamp(seconds: identity.notBefore)) to "
            + "\(Timestamp(seconds: identity.notAfter)), which is not now",
          why: "clients refuse it", mend: renew)
      ]
    }
    let end = Timestamp(seconds: identity.notAfter)
    guard identity.notAfter - now < secondsBeforeExpiry else {
      return [.ok("\(files.certificate) is valid until \(end)")]
    }
    return [
      .warning(
        "\(files.certificate) expires at \(end)", why: "clients refuse it from then on", mend: renew
      )
    ]
  }
}
