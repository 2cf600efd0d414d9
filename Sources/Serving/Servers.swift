import API
import Configuration
import HTTPServer
import SupportPages

/// The API's server and the operations server.
struct Servers {
  private let api: Server
  private let operations: Server
  private let addresses: (api: Address, operations: Address)
  private let isSecure: Bool

  /// Makes both servers; neither listens before `start`.
  ///
  /// - Parameters:
  ///   - service: answers their requests.
  ///   - configuration: names addresses, limits and time-outs.
  ///   - connectionLimit: the largest number of open connections of the API.
  ///   - sockets: sockets to use in place of the configured addresses.
  ///   - identity: the API's certificate; nil for plain HTTP.
  /// - Throws: `SetupError` when other machines reach a socket that was passed in, without TLS.
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
    // One thread and few connections suffice for probes and scrapes.
    settings.address = configuration.operationsListen
    settings.socket = sockets.operations
    settings.identity = nil
    settings.workers = 1
    settings.connectionLimit = FileDescriptors.operationsConnections
    operations = Server(configuration: settings) { service.makeOperationsHandler() }
  }

  /// Starts both servers or neither.
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

  /// The URL of the API, once it listens.
  var url: String { Self.url(addresses.api, port: api.boundPort, isSecure: isSecure) }

  /// The URL of operations, once it listens.
  var operationsURL: String {
    Self.url(addresses.operations, port: operations.boundPort, isSecure: false)
  }

  /// Gives new connections of the API another certificate.
  func replaceIdentity(with identity: TLSIdentity) { api.replaceIdentity(with: identity) }

  /// Whether all threads of both servers answer within a time limit.
  func areResponsive(within limit: Duration) -> Bool {
    api.isResponsive(within: limit) && operations.isResponsive(within: limit)
  }

  /// Stops the API: requests in flight may finish within a time limit; `note` hears how many were cut off.
  func stopAPI(within limit: Seconds, note: (String) -> Void) {
    let report = api.stop(deadline: .seconds(limit.count))
    if report.requestsCutOff > 0 {
      note("\(report.requestsCutOff) requests were cut off after \(limit.count) s")
    }
  }

  /// Stops operations.
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
