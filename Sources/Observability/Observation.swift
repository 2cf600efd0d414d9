public import HTTPServer

/// How a service is observed.
public struct Observation: Sendable {
  /// The program's version.
  public let version: String
  /// Takes a line for each request to the API; nil for no log.
  public let accessLog: AccessLog?
  /// The proxies whose `X-Forwarded-For` is believed.
  public let trustedProxies: TrustedProxies

  /// Chooses how a service is observed.
  ///
  /// - Parameters:
  ///   - version: the program's version.
  ///   - accessLog: takes a line for each request to the API; nil for no log.
  ///   - trustedProxies: the proxies whose `X-Forwarded-For` is believed.
  public init(
    version: String = "", accessLog: AccessLog? = nil,
    trustedProxies: TrustedProxies = TrustedProxies()
  ) {
    self.version = version
    self.accessLog = accessLog
    self.trustedProxies = trustedProxies
  }
}
