internal import Cryptography
internal import HTTPServer
public import LaunchDomain
public import LaunchStore
internal import Synchronization

/// LaunchLink's HTTP interface: what all its worker threads share.
public final class LaunchService: Sendable {
  let store: any Store
  let site: Site
  let clock: Clock
  let issuer: LaunchIssuer
  let verifier: BundleVerifier
  let explainer: Explainer
  let rateLimiter = RateLimiter()
  private let report: @Sendable (String) -> Void
  private let stopping = Atomic(false)
  private let address = Mutex<PublicURL?>(nil)

  /// Makes the interface of a store.
  ///
  /// - Parameters:
  ///   - store: what is known of projects, keys and businesses.
  ///   - site: the cashback web that launches lead to.
  ///   - clock: tells the time.
  ///   - report: takes a line for the operator, about a fault that the caller is not told of.
  public init(
    store: any Store, site: Site, clock: @escaping Clock,
    report: @escaping @Sendable (String) -> Void
  ) {
    self.store = store
    self.site = site
    self.clock = clock
    self.report = report
    issuer = LaunchIssuer(site: site)
    verifier = BundleVerifier(site: site)
    explainer = Explainer(site: site)
  }

  /// What one worker thread needs of its own; to be made on that thread.
  ///
  /// - Returns: the context of `router()` and `operationsRouter()`.
  public func makeWorker() -> Worker { Worker(self) }

  /// Where browsers reach the support pages; without it nobody can sign in to them.
  ///
  /// It may be known only once the server listens, on a port that was free.
  public var publicURL: PublicURL? {
    get { address.withLock { $0 } }
    set { address.withLock { $0 = newValue } }
  }

  /// From now on `/readyz` says that no new requests should come.
  public func beginShutdown() {
    stopping.store(true, ordering: .relaxed)
  }

  var isStopping: Bool { stopping.load(ordering: .relaxed) }

  /// Tells the operator of a fault, by the request's id and without what the request held.
  func report(_ error: any Error, in request: Request) {
    let route = request.routePattern ?? "no route"
    report("request \(request.id) (\(request.method.name) \(route)) failed: \(error)")
  }
}

/// What one worker thread needs of its own: its view of the store and its random bits.
public final class Worker {
  let service: LaunchService
  var generator = SecureRandom()
  private var openReader: (any StoreReader)?

  init(_ service: LaunchService) {
    self.service = service
  }

  /// The thread's view of the store, opened when it is first asked for, and again after a failure.
  func reader() throws -> any StoreReader {
    if let openReader, openReader.isCurrent { return openReader }
    let reader = try service.store.makeReader()
    openReader = reader
    return reader
  }

  /// Has the next request open the store anew.
  func closeReader() {
    openReader = nil
  }

  var now: Timestamp { service.clock() }
}
