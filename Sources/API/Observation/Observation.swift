/// What a service tells of itself and of its requests.
public struct Observation: Sendable {
  let version: String
  let accessLog: AccessLog?
  let trustedProxies: TrustedProxies

  /// Puts together what is told.
  ///
  /// - Parameters:
  ///   - version: the program's version.
  ///   - accessLog: takes a line for each request to the API; nil has none written.
  ///   - trustedProxies: whose `X-Forwarded-For` says who the client is.
  public init(
    version: String = "", accessLog: AccessLog? = nil,
    trustedProxies: TrustedProxies = TrustedProxies()
  ) {
    self.version = version
    self.accessLog = accessLog
    self.trustedProxies = trustedProxies
  }
}
