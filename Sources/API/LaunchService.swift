internal import Platform
internal import Cryptography
public import HTTPServer
public import Domain
public import Store
internal import Synchronization

/// LaunchLink's HTTP interface: what all its worker threads share.
public final class LaunchService: Sendable {
  let store: any Store
  let clock: Clock
  let rateLimiter = RateLimiter()
  let meters = MeterList()
  let observation: Observation
  fileprivate let faults: FaultReporter
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
    store: any Store, site: Site, clock: @escaping Clock, observation: Observation = Observation(),
    report: @escaping @Sendable (String) -> Void
  ) {
    self.store = store
    self.clock = clock
    self.observation = observation
    faults = FaultReporter(report)
    current = Locked(ServiceSettings(site: site))
  }

  /// What one worker thread needs of its own; to be made on that thread.
  ///
  /// - Returns: the context of `router()` and `operationsRouter()`.
  public func makeWorker() -> Worker { Worker(self) }

  /// What answers the API's requests on one worker thread, and observes them; to be made on that
  /// thread.
  ///
  /// - Parameter router: `router()`.
  /// - Returns: the handler of a server.
  public func makeObservingHandler(_ router: Router<Worker>) -> any Handler {
    let worker = makeWorker()
    return ObservingHandler(
      router.handler(context: worker), worker, meters.makeRequestMeter(RequestMeter.Table(router)))
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
    set { change { $0.publicURL = newValue } }
  }

  /// For how long a sign-in to the support pages lasts, in seconds; those that there are stay as they are.
  public var sessionSeconds: Int {
    get { settings.sessionSeconds }
    set { change { $0.sessionSeconds = newValue } }
  }

  /// Has requests that begin from now on see another cashback web; those under way go on with theirs.
  ///
  /// - Parameters:
  ///   - site: the cashback web that launches lead to.
  ///   - publicURL: where browsers reach the support pages.
  ///   - sessionSeconds: for how long a sign-in to them lasts.
  public func replace(site: Site, publicURL: PublicURL?, sessionSeconds: Int) {
    change {
      $0 = ServiceSettings(site: site, publicURL: publicURL, after: $0)
      $0.sessionSeconds = sessionSeconds
    }
  }

  /// What counts for requests that begin now.
  var settings: ServiceSettings { current.withLock { $0 } }

  private func change(_ change: (inout ServiceSettings) -> Void) {
    current.withLock { change(&$0) }
    generation.add(1, ordering: .releasing)
  }

  /// From now on `/readyz` says that no new requests should come.
  public func beginShutdown() {
    stopping.store(true, ordering: .relaxed)
  }

  var isStopping: Bool { stopping.load(ordering: .relaxed) }

  /// Tells the operator how many faults were only counted; to be called once a second.
  public func reportOmittedFaults() { faults.tellOmitted() }
}

/// The server whose connections are told; it holds the service, which must not hold it in turn.
private struct WatchedServer {
  weak var server: Server?
  let limit: Int
}

/// What one worker thread needs of its own: its view of the store, its random bits, what it counts.
public final class Worker {
  let service: LaunchService
  let meter: Meter
  var generator = SecureRandom()
  /// What is to be known of the request that is being answered.
  var note = RequestNote()
  /// What the last scrape found, and when.
  var knownExpiringKeys: (count: Int, at: Timestamp)?
  private var openReader: (any StoreReader)?
  /// What counts for the request that the thread is at, the same from its beginning to its end.
  private(set) var settings: ServiceSettings
  private var generation: Int

  init(_ service: LaunchService) {
    self.service = service
    meter = service.meters.makeMeter()
    generation = service.generation.load(ordering: .acquiring)
    settings = service.settings
  }

  /// Takes over what has changed since the request before; for every request this is one look.
  func takeOverSettings() {
    let newest = service.generation.load(ordering: .acquiring)
    guard newest != generation else { return }
    generation = newest
    settings = service.settings
  }

  /// The thread's view of the store, opened when it is first asked for, and again after a failure.
  func reader() throws -> any StoreReader {
    if let openReader, openReader.isCurrent { return openReader }
    let reader = try service.store.makeReader()
    openReader = reader
    return reader
  }

  /// Tells the operator of a fault, by the request's id and without what the request held; or counts
  /// it, where there are many.
  func report(_ error: any Error, in request: Request) {
    service.faults.tell(error) {
      let route = request.routePattern ?? "no route"
      return "request \(loggedID(of: request)) (\(request.method.name) \(route)) failed: \(error)"
    }
  }

  /// Makes a change that the answer waits for.
  func write<Value>(_ change: (any Store) throws -> Value) rethrows -> Value {
    let start = MonotonicTime.now
    defer { meter.count(writeOf: MonotonicTime.now &- start) }
    return try change(service.store)
  }

  /// Has the next request open the store anew.
  func closeReader() {
    openReader = nil
  }

  var now: Timestamp { service.clock() }
}
