import HTTPServer
import LaunchAPI
import LaunchDomain
import LaunchStore

/// `launchlink serve`.
struct ServeCommand: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "serve", abstract: "Serve the API until SIGTERM or SIGINT.",
      discussion: """
        Two listeners: the API, and operations (/healthz, /readyz), which belongs on an address that
        partners cannot reach. Port 0 takes a free one.
        """,
      examples: ["launchlink serve --listen 127.0.0.1:8080 --operations-listen 127.0.0.1:9464"])
  }

  @Option("ADDRESS", help: "Where the API listens, such as 127.0.0.1:8080.") var listen: String?
  @Option("ADDRESS", help: "Where operations listens.") var operationsListen: String?
  @Option("COUNT", help: "Threads that answer requests.") var workers: String?

  func run(in context: Context) throws {
    // Threads inherit what is blocked, so this comes before anything that may start one.
    context.stopSignals.hold()
    let configuration = try context.configuration(options: settings)
    let store = try context.store()
    try Self.noteUnknownUpstreams(
      of: store.makeReader().projects(), site: configuration.site, note: context.note)
    FileDescriptors.provide(for: configuration.connectionLimit, note: context.note)
    let console = context.console
    let service = LaunchService(
      store: store, site: configuration.site, clock: context.clock,
      observation: Observation(version: Program.version), report: { console.say($0) })
    service.publicURL = configuration.publicURL
    let servers = try Servers(service, configuration)
    try servers.start(note: context.note)
    context.stopSignals.wait()
    context.note("stopping")
    service.beginShutdown()
    servers.stop(within: configuration.shutdownTimeout, note: context.note)
  }

  /// Says at once what would otherwise come out with a partner's next launch.
  private static func noteUnknownUpstreams(
    of projects: [Project], site: Site, note: (String) -> Void
  ) {
    for project in projects where site.upstreams[project.upstream] == nil {
      note(
        "warning: the upstream \(quoted(project.upstream)) of the project \(project.id) is not "
          + "configured: its launches are refused")
    }
  }

  /// What options say, by the setting's name.
  private var settings: [String: String] {
    var settings: [String: String] = [:]
    settings[Settings.listen.name] = listen
    settings[Settings.operationsListen.name] = operationsListen
    settings[Settings.workers.name] = workers
    return settings
  }
}

/// The server of the API and the one for operations.
private struct Servers {
  private let api: Server
  private let operations: Server
  private let service: LaunchService
  private let configuration: Configuration

  init(_ service: LaunchService, _ configuration: Configuration) throws {
    self.configuration = configuration
    self.service = service
    var settings = Server.Configuration(address: configuration.listen)
    settings.workers = configuration.workers
    settings.connectionLimit = configuration.connectionLimit
    settings.idleTimeout = .seconds(configuration.idleTimeout.count)
    settings.requestTimeout = .seconds(configuration.requestTimeout.count)
    let router = try LaunchService.router()
    api = Server(configuration: settings) { service.makeObservingHandler(router) }
    service.watch(api, connectionLimit: configuration.connectionLimit)
    // A few probes and scrapes: one thread and few connections do.
    settings.address = configuration.operationsListen
    settings.workers = 1
    settings.connectionLimit = FileDescriptors.operationsConnections
    operations = Server(configuration: settings, router: try LaunchService.operationsRouter()) {
      service.makeWorker()
    }
  }

  /// Starts both or neither, and says where they listen.
  func start(note: (String) -> Void) throws {
    do {
      try api.start()
      try operations.start()
    } catch {
      api.stop(deadline: .zero)
      throw CommandFailure(describing: error)
    }
    let url = Self.url(configuration.listen, port: api.boundPort)
    if service.publicURL == nil { service.publicURL = PublicURL(url) }
    note("listening on " + url)
    note(
      "operations listening on "
        + Self.url(configuration.operationsListen, port: operations.boundPort))
  }

  /// Lets the API finish first, so that `/readyz` can tell meanwhile that it is going.
  func stop(within limit: Seconds, note: (String) -> Void) {
    let report = api.stop(deadline: .seconds(limit.count))
    if report.requestsCutOff > 0 {
      note("\(report.requestsCutOff) requests were cut off after \(limit.count) s")
    }
    operations.stop(deadline: .seconds(1))
  }

  private static func url(_ address: Address, port: UInt16?) -> String {
    let host = address.host.contains(":") ? "[\(address.host)]" : address.host
    return "http://\(host):\(port ?? address.port)"
  }
}

extension ExitCode {
  /// The code of a server that does not start.
  init(_ error: ServerError) {
    self =
      switch error {
      case .permissionDenied: .permission
      case .addressNotAvailable: .configuration
      case .addressInUse, .system, .startedBefore: .unavailable
      }
  }
}
