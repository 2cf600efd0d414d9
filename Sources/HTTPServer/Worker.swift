internal import CGnuTLS
internal import CMicroHTTPD
internal import Glibc
internal import Synchronization

/// One event loop with its thread, its connections and its handler.
///
/// Unchecked: the handler, the scratch and the counter of ids are touched only by the loop's thread;
/// the daemon's handle is written before the loop has a connection and read by the supervisor and by
/// `stop`, one after the other; everything else is atomic or under the registry's lock.
final class Worker: @unchecked Sendable {
  let settings: Settings
  let shared: SharedState

  /// The open connections, by socket.
  let registry = Guarded<[Int32: Watch]>([:])

  /// How many connections were handed over and are not closed.
  let connections = Atomic<Int>(0)

  /// How many requests have begun and are not over.
  let busy = Atomic<Int>(0)

  /// The last probe that the loop came to.
  let answeredProbe = Atomic<UInt64>(0)

  private let makeHandler: @Sendable () -> any Handler
  private var madeHandler: (any Handler)?
  private var ids = RequestIdentifiers()
  private var daemon: OpaquePointer?

  init(
    settings: Settings, shared: SharedState, makeHandler: @escaping @Sendable () -> any Handler
  ) {
    self.settings = settings
    self.shared = shared
    self.makeHandler = makeHandler
  }

  /// The loop's handler, made on its thread when it is first needed.
  var handler: any Handler {
    if let madeHandler { return madeHandler }
    let handler = makeHandler()
    madeHandler = handler
    return handler
  }

  /// Writes a new request id.
  func writeIdentifier(into bytes: inout [UInt8]) { ids.write(into: &bytes) }

  /// Starts the loop's thread.
  ///
  /// - Returns: Whether the system had what it takes.
  func start() -> Bool {
    var loop = chttp_loop()
    loop.handle = handleRequest
    loop.begin = beginRequest
    loop.complete = completeRequest
    loop.notify = noteConnection
    loop.cls = Unmanaged.passUnretained(self).toOpaque()
    loop.memory_limit = settings.memoryLimit
    // The supervisor keeps the limit; here is room for those that are just being closed, and for
    // those that had connected when the server was stopped.
    loop.connection_limit = UInt32(clamping: settings.connectionLimit + 1024)
    loop.timeout_seconds = settings.libraryTimeout
    loop.strict = !settings.showsLayout
    if shared.isSecure {
      loop.retrieve = cgnutls_address(certify)
      loop.priorities = TLSIdentity.priorities.withUTF8Buffer { bytes in
        UnsafeRawPointer(bytes.baseAddress)?.assumingMemoryBound(to: CChar.self)
      }
    }
    daemon = chttp_start(&loop)
    return daemon != nil
  }

  /// Hands an accepted socket over; it is closed in any case.
  func add(_ descriptor: Int32, from address: UnsafePointer<sockaddr>, size: socklen_t) -> Bool {
    MHD_add_connection(daemon, descriptor, address, size) == .YES
  }

  /// Hands over a connection that ends at once, to see whether the loop comes to it.
  ///
  /// Its address is of the Unix family, which no client's is.
  func probe() {
    var pair: [Int32] = [-1, -1]
    let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    guard socketpair(AF_UNIX, type | Int32(SOCK_CLOEXEC.rawValue), 0, &pair) == 0 else { return }
    close(pair[1])
    var address = sockaddr(sa_family: sa_family_t(AF_UNIX), sa_data: sockaddr().sa_data)
    _ = add(pair[0], from: &address, size: socklen_t(MemoryLayout<sockaddr>.size))
  }

  /// The loop came to a probe.
  func noteProbe() {
    answeredProbe.store(shared.probe.load(ordering: .acquiring), ordering: .releasing)
  }

  /// Ends the thread and closes what is open; blocks while a handler runs.
  func stop() {
    guard let daemon else { return }
    self.daemon = nil
    MHD_stop_daemon(daemon)
    madeHandler = nil
  }
}

/// Settings in the units in which workers and supervisor use them.
struct Settings: Sendable {
  let connectionLimit: Int
  let headerLimit: Int
  /// Time-outs in nanoseconds.
  let idleTimeout: UInt64
  let requestTimeout: UInt64
  let showsLayout = chttp_shows_layout()

  /// What the library may keep for a request's head and its own bookkeeping: some 60 bytes for each
  /// header, and the head of the answer.
  ///
  /// It clears all of it after each request, so more than needed costs time.
  var memoryLimit: Int { headerLimit + 8192 }

  /// The library's own time-out only backs up the supervisor's.
  var libraryTimeout: UInt32 {
    UInt32(clamping: max(idleTimeout, requestTimeout) / 1_000_000_000 + 5)
  }
}

/// What all workers and the supervisor of a server share.
final class SharedState: Sendable {
  /// Whether answers say that the connection is closed after them.
  let isStopping = Atomic(false)
  /// How many connections there are over all workers.
  let connections = Atomic(0)
  /// Whether the supervisor waits for a connection to end before it accepts another one.
  let isFull = Atomic(false)
  let lingering = Lingering()
  let wake: Signal
  /// How many times somebody has asked whether all threads do their work.
  let probe = Atomic<UInt64>(0)
  /// Who the server is to connections that come; nil for plain HTTP.
  let identity: Guarded<TLSIdentity?>
  let isSecure: Bool

  init(wake: Signal, identity: TLSIdentity?) {
    self.wake = wake
    self.identity = Guarded(identity)
    isSecure = identity != nil
  }
}

extension Worker {
  /// A connection was opened.
  func opened(_ watch: Watch) {
    registry.withLock { $0[watch.descriptor] = watch }
  }

  /// A connection is about to be closed.
  func closed(_ watch: Watch, isCutShort: Bool) {
    registry.withLock { _ = $0.removeValue(forKey: watch.descriptor) }
    let lingers = (isCutShort || watch.hasUnread) && shared.lingering.add(watch.descriptor)
    connections.subtract(1, ordering: .relaxed)
    shared.connections.subtract(1, ordering: .sequentiallyConsistent)
    if lingers || shared.isFull.load(ordering: .sequentiallyConsistent) { shared.wake.raise() }
  }

  /// Ends connections whose clients have gone in the middle of a request.
  func endAbandoned(at now: UInt64) {
    forEachWatch { if $0.isAbandoned(at: now) { $0.shutDown() } }
  }

  /// Calls `use` with each open connection, whose sockets stay open meanwhile.
  func forEachWatch(_ use: (Watch) -> Void) {
    registry.withLock { for watch in $0.values { use(watch) } }
  }
}

extension Worker {
  /// Ends workers on a thread of their own, since the library's way to do so may hang.
  ///
  /// - Returns: What is raised when all have ended, or nil when the system has no thread left.
  static func end(all workers: [Worker]) -> Signal? {
    guard let end = Signal() else { return nil }
    let result = startThread {
      for worker in workers { worker.stop() }
      end.raise()
    }
    return result == 0 ? end : nil
  }
}
