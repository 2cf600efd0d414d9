import SupportPages
import HTTPServer
import API
import Configuration

/// The server of the API and the one for operations.
struct Servers {
  private let api: Server
  private let operations: Server
  private let addresses: (api: Address, operations: Address)
  private let isSecure: Bool

  /// Makes both, which do not listen yet.
  ///
  /// - Parameters:
  ///   - service: what they serve.
  ///   - configuration: where and how.
  ///   - connectionLimit: how many connections the API keeps open at most.
  ///   - sockets: used in place of the configured addresses.
  ///   - identity: the API's, for TLS.
  /// - Throws: `SetupError` where a socket that was passed in is open to the network.
  init(
    _ service: LaunchService, _ configuration: Configuration, connectionLimit: Int,
    sockets: ServingSockets, identity: TLSIdentity?
  ) throws {
    addresses = (
      sockets.api?.address ?? configuration.listen,
      sockets.operations?.address ?? configuration.operationsListen
    )
    isSecure = identity != nil
    if !configuration.allowPlaintext {
      if identity == nil { try Self.refusePlaintext(sockets.api) }
      try Self.refusePlaintext(sockets.operations)
    }
    var settings = Server.Configuration(address: configuration.listen)
    settings.socket = sockets.api
    settings.identity = identity
    settings.workers = configuration.workers
    settings.connectionLimit = connectionLimit
    settings.idleTimeout = .seconds(configuration.idleTimeout.count)
    settings.requestTimeout = .seconds(configuration.requestTimeout.count)
    settings.bodyMemory = BodyMemory(limit: configuration.bodyMemory.bytes)
    let router = LaunchService.router(
      adding: SupportPages.routes, rejectPage: SupportPages.reject)
    api = Server(configuration: settings) { service.makeHandler(router) }
    service.watch(api, connectionLimit: connectionLimit)
    // A few probes and scrapes: one thread and few connections do.
    settings.address = configuration.operationsListen
    settings.socket = sockets.operations
    settings.identity = nil
    settings.workers = 1
    settings.connectionLimit = FileDescriptors.operationsConnections
    operations = Server(configuration: settings) { service.makeOperationsHandler() }
  }

  /// Starts both or neither.
  ///
  /// - Throws: `ServerError`.
  func start() throws {
    do {
      try api.start()
      try operations.start()
    } catch {
      api.stop(deadline: .zero)
      throw error
    }
  }

  /// Where the API listens, once it does.
  var url: String { Self.url(addresses.api, port: api.boundPort, isSecure: isSecure) }

  /// Where operations listens, once it does.
  var operationsURL: String {
    Self.url(addresses.operations, port: operations.boundPort, isSecure: false)
  }

  /// Has connections of the API that come from now on see another certificate.
  func replaceIdentity(with identity: TLSIdentity) { api.replaceIdentity(with: identity) }

  /// Whether all threads of both do their work.
  func areResponsive(within limit: Duration) -> Bool {
    api.isResponsive(within: limit) && operations.isResponsive(within: limit)
  }

  /// Lets what is in flight at the API finish, and says what was cut off.
  func stopAPI(within limit: Seconds, note: (String) -> Void) {
    let report = api.stop(deadline: .seconds(limit.count))
    if report.requestsCutOff > 0 {
      note("\(report.requestsCutOff) requests were cut off after \(limit.count) s")
    }
  }

  /// Ends operations.
  func stopOperations() { operations.stop(deadline: .seconds(1)) }

  private static func refusePlaintext(_ socket: PassedSocket?) throws {
    guard let socket, !socket.address.isLoopback else { return }
    throw SetupError(
      .configuration,
      "The socket that was passed in for \(socket.address) can be reached from other machines. Set "
        + "tls.certificate and tls.key for the API, or listen on 127.0.0.1, or set allow_plaintext: "
        + "true where the network is trusted.")
  }

  private static func url(_ address: Address, port: UInt16?, isSecure: Bool) -> String {
    let host = address.host.contains(":") ? "[\(address.host)]" : address.host
    return "\(isSecure ? "https" : "http")://\(host):\(port ?? address.port)"
  }
}
