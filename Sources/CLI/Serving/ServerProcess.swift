import Observability
import Platform
import HTTPServer
import JSON
import API
import Domain
import Store

/// A server from its start to its end: what is begun and ended in which order, and what a reload does.
struct ServerProcess {
  private let context: Context
  /// What options say, by the setting's name.
  private let options: [String: String]
  private let store: any Store
  private let service: LaunchService
  private let servers: Servers
  private let accessLog: AccessLog?
  /// As it was read at the start; what a reload cannot change stays as it says.
  private let initial: LoadedConfiguration
  private var configuration: Configuration

  /// Prepares everything that may fail, as the data directory's owner, before anything listens.
  init(_ context: Context, options: [String: String]) throws {
    self.context = context
    self.options = options
    let sockets = try ServingSockets(context.serviceManager.takeSockets())
    initial = try context.keptConfiguration(options: options)
    configuration = initial.configuration
    store = try context.store()
    let files = NamedFiles(of: initial, at: context.clock())
    defer { withExtendedLifetime(files) {} }
    try files.requireFit()
    for warning in files.warnings { context.warn(warning) }
    let connectionLimit = try FileDescriptors.provide(for: configuration)
    let console = context.console
    accessLog = try configuration.accessLog.map { path in
      try AccessLog(path: path, report: { console.say($0) })
    }
    service = LaunchService(
      store: store, site: configuration.site, clock: context.clock,
      observation: Observation(
        version: Program.version, accessLog: accessLog,
        trustedProxies: configuration.trustedProxies),
      report: { console.say($0) })
    service.publicURL = configuration.publicURL
    service.sessionSeconds = configuration.lifetimes.session.count
    servers = try Servers(
      service, configuration, connectionLimit: connectionLimit, sockets: sockets,
      identity: files.identity)
    try noteUnknownUpstreams(of: store.makeReader().projects(), site: configuration.site)
  }

  /// Serves until a signal ends it.
  mutating func run() throws {
    let (service, servers, console) = (service, servers, context.console)
    let recorder = UsageRecorder(store: store, clock: context.clock, report: { console.say($0) }) {
      service.reportOmittedErrors()
      return service.drainUsage()
    }
    guard let recorder else { throw Self.noThread }
    try servers.start()
    service.publicURL = publicURL(of: configuration)
    context.note("listening on " + servers.url)
    context.note("operations listening on " + servers.operationsURL)
    let watchdog = Watchdog(context.serviceManager) { servers.areResponsive(within: $0) }
    guard let watchdog else { throw Self.noThread }
    notify("READY=1", status: "serving on \(servers.url)")
    while context.signals.next() == .reload { reload() }

    context.note("stopping")
    notify("STOPPING=1", status: "finishing what is in flight")
    watchdog.stop()
    // Operations goes on meanwhile, so that /readyz can tell that the server is going.
    service.beginShutdown()
    servers.stopAPI(within: configuration.shutdownTimeout, note: context.note)
    recorder.stop(within: Self.lastWriteSeconds)
    accessLog?.close()
    servers.stopOperations()
  }

  private static let noThread = CommandFailure(
    .unavailable, "The system has no thread left. Raise its limit, or end some.")

  /// For how long the last counts are tried to be written.
  private static let lastWriteSeconds = 5

  /// Without a setting it is the API's own address.
  private func publicURL(of configuration: Configuration) -> PublicURL? {
    configuration.publicURL ?? PublicURL(servers.url)
  }

  private func notify(_ state: String, status: String) {
    context.serviceManager.notify("\(state)\nSTATUS=\(status)")
  }

  /// Says at once what would otherwise come out with a partner's next launch.
  private func noteUnknownUpstreams(of projects: [Project], site: Site) {
    for project in projects where site.upstreams[project.upstream] == nil {
      context.warn(
        "the upstream \(quoted(project.upstream)) of the project \(project.id) is not configured: its "
          + "launches are refused")
    }
  }
}

extension ServerProcess {
  /// Takes over the configuration as it is now, or, where anything is wrong with it, nothing of it.
  private mutating func reload() {
    notify("RELOADING=1\nMONOTONIC_USEC=\(MonotonicTime.now / 1000)", status: "reloading")
    do {
      // Whatever becomes of the rest: a log that was moved away must not be written on.
      try accessLog?.reopen()
      try takeOver(context.loadConfiguration(options: options))
      context.note("reloaded")
    } catch {
      context.warn(
        "not reloaded, the configuration from before goes on: "
          + CommandFailure(describing: error).message)
    }
    notify("READY=1", status: "serving on \(servers.url)")
  }

  private mutating func takeOver(_ loaded: LoadedConfiguration) throws {
    let new = loaded.configuration
    let files = NamedFiles(of: loaded, at: context.clock())
    try files.requireFit()
    for warning in files.warnings { context.warn(warning) }
    let canTakeTLS = initial.configuration.tls != nil && new.tls != nil
    let identity = canTakeTLS ? files.identity : nil
    let projects = try store.makeReader().projects()

    if let identity { servers.replaceIdentity(with: identity) }
    service.replace(
      site: new.site, publicURL: publicURL(of: new), sessionSeconds: new.lifetimes.session.count)
    configuration = new
    noteUnknownUpstreams(of: projects, site: new.site)
    for name in restartNames(loaded) {
      context.note("\(name) has changed: it takes effect after a restart")
    }
  }

  /// The settings that differ from the start's and cannot be changed while the server runs.
  private func restartNames(_ loaded: LoadedConfiguration) -> [String] {
    let isTLSToggled = (initial.configuration.tls == nil) != (loaded.configuration.tls == nil)
    return zip(initial.entries, loaded.entries).filter { old, new in
      let isFixed =
        !Settings.reloadable.contains(new.name) || (isTLSToggled && new.name.hasPrefix("tls."))
      return isFixed && old.value.encoded() != new.value.encoded()
    }.map(\.1.name)
  }
}
