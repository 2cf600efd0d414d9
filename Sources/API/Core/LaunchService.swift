public import Domain
public import HTTPServer
public import Observability
internal import Platform
public import Store
internal import Synchronization

/// LaunchLink's HTTP interface: what all its worker threads share.
public final class LaunchService: Sendable {
  let store: Store
  let clock: Clock
  let rateLimiter = RateLimiter()
  let meters = MeterList()
  let observation: Observation
  let errors: ErrorReporter
  private let stopping = Atomic(false)
  private let watched = Locked<WatchedServer?>(nil)
  private let current: Locked<ServiceSettings>
  /// Counts changes of `settings`, so that a worker sees without a lock whether there was one.
  let generation = Atomic(0)

  /// Makes the interface of a store.
  ///
  /// - Parameters:
  ///   - store: what is known of projects, keys and businesses.
  ///   - site: the cashback web that launches lead to.
  ///   - clock: tells the time.
  ///   - observation: what is told of the program, and where requests are logged.
  ///   - report: takes a line for the operator, about a fault that the caller is not told of.
  public init(
    store: Store, site: Site, clock: @escaping Clock, observation: Observation = Observation(),
    report: @escaping @Sendable (String) -> Void
  ) {
    self.store = store
    self.clock = clock
    self.observation = observation
    errors = ErrorReporter(report)
    current = Locked(ServiceSettings(site: site))
  }

  /// Makes what one worker thread has of its own; call it on that thread.
  func makeWorker() -> Worker { Worker(self) }

  /// Makes what answers the API's requests on one worker thread, and observes them; call it on that thread.
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

  /// Makes what answers the operations listener's requests; call it on the worker thread.
  public func makeOperationsHandler() -> any Handler {
    let worker = makeWorker()
    return Self.operationsRouter().handler(makeContext: { RequestContext(worker) })
  }

  /// What was counted of launches and keys since the last call, by all workers.
  public func drainUsage() -> Usage {
    var usage = meters.drainUsage()
    if !usage.launches.isEmpty { usage.latestLaunch = settings.issuer.latest }
    return usage
  }

  /// Has metrics tell how many connections a server has.
  ///
  /// - Parameters:
  ///   - server: the API's.
  ///   - connectionLimit: how many it keeps open at most.
  public func watch(_ server: Server, connectionLimit: Int) {
    watched.withLock { $0 = WatchedServer(server: server, limit: connectionLimit) }
  }

  /// The open connections and their limit; nil where no server is watched.
  var connections: (open: Int, limit: Int)? {
    watched.withLock { $0 }.map { ($0.server?.connectionCount ?? 0, $0.limit) }
  }

  /// Where browsers reach the support pages; without it nobody can sign in to them.
  ///
  /// It may be known only once the server listens, on a port that was free.
  public var publicURL: PublicURL? {
    get { settings.publicURL }
    set {
      change { old in
        ServiceSettings(
          site: old.site, publicURL: newValue, sessionSeconds: old.sessionSeconds, after: old)
      }
    }
  }

  /// For how long a sign-in to the support pages lasts, in seconds; the sessions that there are stay as they are.
  public var sessionSeconds: Int {
    get { settings.sessionSeconds }
    set {
      change { old in
        ServiceSettings(
          site: old.site, publicURL: old.publicURL, sessionSeconds: newValue, after: old)
      }
    }
  }

  /// Has requests that begin from now on see another cashback web; those under way go on with theirs.
  ///
  /// - Parameters:
  ///   - site: the cashback web that launches lead to.
  ///   - publicURL: where browsers reach the support pages.
  ///   - sessionSeconds: for how long a sign-in to them lasts.
  public func replace(site: Site, publicURL: PublicURL?, sessionSeconds: Int) {
    change { old in
      ServiceSettings(
        site: site, publicURL: publicURL, sessionSeconds: sessionSeconds, after: old)
    }
  }

  /// What counts for requests that begin now.
  var settings: ServiceSettings { current.withLock { $0 } }

  private func change(_ change: (ServiceSettings) -> ServiceSettings) {
    current.withLock { $0 = change($0) }
    generation.add(1, ordering: .releasing)
  }

  /// From now on `/readyz` says that no new requests should come.
  public func beginShutdown() {
    stopping.store(true, ordering: .relaxed)
  }

  var isStopping: Bool { stopping.load(ordering: .relaxed) }

  /// Tells the operator how many errors were only counted; to be called once a second.
  public func reportOmittedErrors() { errors.tellOmitted() }
}

/// The server whose connections are told; it holds the service, which must not hold it in turn.
private struct WatchedServer {
  weak var server: Server?
  let limit: Int
}
