import API
public import Configuration
public import Domain
import HTTPServer
import JSON
import Observability
import Platform
public import Store

/// The server's process: starts and stops its parts in order, and reloads.
public struct ServerProcess {
  /// Everything outside of the server that it uses, as values, so that tests can replace it.
  public struct Surroundings: Sendable {
    /// The program's version, for metrics.
    public var version: String
    /// Reads the configuration as it is now.
    public var load: @Sendable () throws(ConfigurationFaults) -> LoadedConfiguration
    /// Tells the time.
    public var clock: Clock
    /// The signals that stop and reload the server.
    public var signals: ServerSignals
    /// The service manager, which hears of the server's state.
    public var serviceManager: ServiceManager
    /// Tells the admin something, in one line or several.
    public var say: @Sendable (String) -> Void

    /// Makes surroundings from their parts.
    public init(
      version: String,
      load: @escaping @Sendable () throws(ConfigurationFaults) -> LoadedConfiguration,
      clock: @escaping Clock, signals: ServerSignals, serviceManager: ServiceManager,
      say: @escaping @Sendable (String) -> Void
    ) {
      self.version = version
      self.load = load
      self.clock = clock
      self.signals = signals
      self.serviceManager = serviceManager
      self.say = say
    }

    fileprivate func warn(_ message: String) { say("warning: " + message) }
  }

  private let surroundings: Surroundings
  private let store: Store
  private let service: LaunchService
  private let servers: Servers
  private let accessLog: AccessLog?
  /// The configuration of the start, which stays in effect for what a reload cannot change.
  private let initial: LoadedConfiguration
  private var configuration: Configuration

  /// Prepares everything that may fail, before anything listens.
  ///
  /// - Parameters:
  ///   - loaded: the configuration to start with.
  ///   - store: the store of its data directory; the process runs as that directory's owner.
  ///   - sockets: sockets to use in place of the configured addresses.
  ///   - surroundings: everything else.
  /// - Throws: why the server does not start, such as `ConfigurationFaults` or `SetupError`.
  public init(
    _ loaded: LoadedConfiguration, store: Store, sockets: ServingSockets,
    in surroundings: Surroundings
  ) throws {
    self.surroundings = surroundings
    self.store = store
    initial = loaded
    configuration = loaded.configuration
    let files = NamedFiles(of: loaded, at: surroundings.clock())
    defer { withExtendedLifetime(files) {} }
    try files.requireFit()
    for warning in files.warnings { surroundings.warn(warning) }
    let connectionLimit = try FileDescriptors.provide(for: configuration)
    let say = surroundings.say
    accessLog = try configuration.accessLog.map { path in
      try AccessLog(path: path, report: say)
    }
    service = LaunchService(
      store: store, site: configuration.site, clock: surroundings.clock,
      observation: Observation(
        version: surroundings.version, accessLog: accessLog,
        trustedProxies: configuration.trustedProxies),
      report: say)
    service.publicURL = configuration.publicURL
    service.sessionSeconds = configuration.lifetimes.session.count
    servers = try Servers(
      service, configuration, connectionLimit: connectionLimit, sockets: sockets,
      identity: files.identity)
    try noteUnknownUpstreams(of: store.makeReader().knowledge.projects(), site: configuration.site)
  }

  /// Serves until a signal stops it, or another database replaces the open one.
  ///
  /// - Throws: `ServerError` when it cannot listen; `SetupError` when the system has no thread left, and after the
  ///   end when the database was replaced.
  public mutating func run() throws {
    let (service, servers, surroundings, store) = (service, servers, surroundings, store)
    let recorder = UsageRecorder(
      store: store, clock: surroundings.clock, report: surroundings.say
    ) {
      service.reportOmittedErrors()
      return service.drainUsage()
    }
    guard let recorder else { throw Self.noThread }
    try servers.start()
    service.publicURL = publicURL(of: configuration)
    surroundings.say("listening on " + servers.url)
    surroundings.say("operations listening on " + servers.operationsURL)
    let watchdog = Watchdog(surroundings.serviceManager) { servers.areResponsive(within: $0) }
    guard let watchdog else { throw Self.noThread }
    let replacement = PeriodicThread(every: Self.replacementInterval) { isLast in
      if !isLast, store.isReplaced { surroundings.signals.stop() }
    }
    guard let replacement else { throw Self.noThread }
    notify("READY=1", status: "serving on \(servers.url)")
    while surroundings.signals.next() == .reload { reload() }

    surroundings.say("stopping")
    notify("STOPPING=1", status: "finishing what is in flight")
    watchdog.stop()
    _ = replacement.stop(within: 1000)
    // The operations server answers meanwhile: its /readyz reports the stop.
    service.beginShutdown()
    servers.stopAPI(within: configuration.shutdownTimeout, note: surroundings.say)
    // What replaced the database takes none of its counts.
    recorder.stop(within: store.isReplaced ? 0 : Self.lastWriteSeconds)
    accessLog?.close()
    servers.stopOperations()
    if store.isReplaced { throw Self.replaced }
  }

  /// Milliseconds between two checks whether the database is still in place.
  private static let replacementInterval = 250

  private static let replaced = SetupError(
    .unavailable,
    "Another database was put in the place of the open one, so the server has ended. The next start opens it."
  )

  private static let noThread = SetupError(
    .unavailable, "The system has no thread left. Raise its limit, or end some.")

  /// The longest wait for the last counts to be written.
  private static let lastWriteSeconds = 5

  /// The address for browsers: the configured one, otherwise the API's own.
  private func publicURL(of configuration: Configuration) -> PublicURL? {
    configuration.publicURL ?? PublicURL(servers.url)
  }

  private func notify(_ state: String, status: String) {
    surroundings.serviceManager.notify("\(state)\nSTATUS=\(status)")
  }

  /// Warns of projects whose launches are refused because their upstream is not configured.
  private func noteUnknownUpstreams(of projects: [Project], site: Site) {
    for project in projects where site.upstreams[project.upstream] == nil {
      surroundings.warn(
        "the upstream \(quoted(project.upstream)) of the project \(project.id) is not configured: its "
          + "launches are refused")
    }
  }
}

extension ServerProcess {
  /// Takes over the whole current configuration, or nothing of it if it has a fault.
  private mutating func reload() {
    notify("RELOADING=1\nMONOTONIC_USEC=\(MonotonicTime.now / 1000)", status: "reloading")
    do {
      // Even if the rest fails: a log file that was moved away must get no more lines.
      try accessLog?.reopen()
      try takeOver(surroundings.load())
      surroundings.say("reloaded")
    } catch {
      surroundings.warn(
        "not reloaded, the previous configuration stays in effect: \(error)")
    }
    notify("READY=1", status: "serving on \(servers.url)")
  }

  private mutating func takeOver(_ loaded: LoadedConfiguration) throws {
    let new = loaded.configuration
    let files = NamedFiles(of: loaded, at: surroundings.clock())
    try files.requireFit()
    for warning in files.warnings { surroundings.warn(warning) }
    let canTakeTLS = initial.configuration.tls != nil && new.tls != nil
    let identity = canTakeTLS ? files.identity : nil
    let projects = try store.makeReader().knowledge.projects()

    if let identity { servers.replaceIdentity(with: identity) }
    service.replace(
      site: new.site, publicURL: publicURL(of: new), sessionSeconds: new.lifetimes.session.count)
    configuration = new
    noteUnknownUpstreams(of: projects, site: new.site)
    for name in restartNames(loaded) {
      surroundings.say("\(name) has changed: it takes effect after a restart")
    }
  }

  /// The names of changed settings that take effect only at the next start.
  private func restartNames(_ loaded: LoadedConfiguration) -> [String] {
    let isTLSToggled = (initial.configuration.tls == nil) != (loaded.configuration.tls == nil)
    return zip(initial.entries, loaded.entries).filter { old, new in
      let isFixed =
        !Settings.reloadable.contains(new.name) || (isTLSToggled && new.name.hasPrefix("tls."))
      return isFixed && old.value.encoded() != new.value.encoded()
    }.map(\.1.name)
  }
}
