public import Domain
public import HTTPServer
public import Observability
internal import Platform
public import Store
internal import Synchronization

/// LaunchLink's HTTP interface, shared by all worker threads.
public final class LaunchService: Sendable {
  let store: Store
  let clock: Clock
  let rateLimiter = RateLimiter()
  let meters = MeterList()
  let observation: Observation
  let errors: ErrorReporter
  let background: BackgroundThreads
  private let stopping = Atomic(false)
  private let watched = Locked<WatchedServer?>(nil)
  private let current: Locked<ServiceSettings>
  /// Counts changes of `settings`, so that a worker sees without a lock whether there was one.
  let generation = Atomic(0)

  /// Makes the interface of a store.
  ///
  /// - Parameters:
  ///   - store: the projects, keys and businesses.
  ///   - site: the cashback web that launches lead to.
  ///   - clock: tells the time.
  ///   - observation: the program's version, and where requests are logged.
  ///   - report: takes a line for the operator, about an error that the caller is not told of.
  public init(
    store: Store, site: Site, clock: @escaping Clock, observation: Observation = Observation(),
    report: @escaping @Sendable (String) -> Void
  ) {
    self.store = store
    background = BackgroundThreads(store)
    self.clock = clock
    self.observation = observation
    errors = ErrorReporter(report)
    current = Locked(ServiceSettings(site: site))
  }

  /// Makes the state of one worker thread; call it on that thread.
  func makeWorker() -> Worker { Worker(self) }

  /// Makes one worker thread's handler of the API, which counts and logs requests; call it on that thread.
  ///
  /// - Parameter router: the API's routes.
  /// - Returns: the handler of a server.
  public func makeHandler(_ router: Router<RequestContext>) -> any Handler {
    let worker = makeWorker()
    let meter = meters.makeRequestMeter(RequestMeter.Table(router.lines))
    let logger = AccessLogger(observation)
    return router.handler(makeContext: { RequestContext(worker) }) {
      request, response, context in
      context.finish(request, response, meter, logger)
    }
  }

  /// Makes the handler of the operations listener; call it on the thread that uses it.
  public func makeOperationsHandler() -> any Handler {
    let worker = makeWorker()
    return Self.operationsRouter().handler(makeContext: { RequestContext(worker) })
  }

  /// The launches and uses of keys since the last call, by all workers.
  public func drainUsage() -> Usage {
    var usage = meters.drainUsage()
    if !usage.launches.isEmpty { usage.latestLaunch = settings.issuer.latest }
    return usage
  }

  /// Adds a server's connections to the metrics.
  ///
  /// - Parameters:
  ///   - server: the API's.
  ///   - connectionLimit: how many it keeps open at most.
  public func watch(_ server: Server, connectionLimit: Int) {
    watched.withLock { $0 = WatchedServer(server: server, limit: connectionLimit) }
  }

  /// The open connections and their limit; nil if no server is watched.
  var connections: (open: Int, limit: Int)? {
    watched.withLock { $0 }.map { ($0.server?.connectionCount ?? 0, $0.limit) }
  }

  /// The URL of the support pages for browsers; without it nobody can sign in.
  ///
  /// With port 0 it is known only once the server listens.
  public var publicURL: PublicURL? {
    get { settings.publicURL }
    set {
      change { old in
        ServiceSettings(
          site: old.site, publicURL: newValue, sessionSeconds: old.sessionSeconds, after: old)
      }
    }
  }

  /// How long a sign-in to the support pages lasts, in seconds; a change leaves existing sessions as they are.
  public var sessionSeconds: Int {
    get { settings.sessionSeconds }
    set {
      change { old in
        ServiceSettings(
          site: old.site, publicURL: old.publicURL, sessionSeconds: newValue, after: old)
      }
    }
  }

  /// Replaces the settings of requests that begin from now on; those under way keep theirs.
  ///
  /// - Parameters:
  ///   - site: the cashback web that launches lead to.
  ///   - publicURL: the URL of the support pages for browsers.
  ///   - sessionSeconds: how long a sign-in to them lasts.
  public func replace(site: Site, publicURL: PublicURL?, sessionSeconds: Int) {
    change { old in
      ServiceSettings(
        site: site, publicURL: publicURL, sessionSeconds: sessionSeconds, after: old)
    }
  }

  /// The settings of requests that begin now.
  var settings: ServiceSettings { current.withLock { $0 } }

  private func change(_ change: (ServiceSettings) -> ServiceSettings) {
    current.withLock { $0 = change($0) }
    generation.add(1, ordering: .releasing)
  }

  /// Has `/readyz` answer 503 from now on, so that no new requests are sent here.
  public func beginShutdown() {
    stopping.store(true, ordering: .relaxed)
  }

  var isStopping: Bool { stopping.load(ordering: .relaxed) }

  /// Reports how many errors were only counted; call it once a second.
  public func reportOmittedErrors() { errors.tellOmitted() }
}

/// The server whose connections metrics count, held weakly, since it holds the service.
private struct WatchedServer {
  weak var server: Server?
  let limit: Int
}
