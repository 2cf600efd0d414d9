internal import CGnuTLS
internal import CInterposition
internal import CMicroHTTPD
internal import Glibc
internal import Platform
internal import Synchronization

/// One event loop with its thread, its connections and its handler.
///
/// Unchecked: `madeHandler`, `ids`, `reads`, `watched`, `bodyBuffer`, `parked`, `openedCount` and `roundBegan`
/// are touched only by the loop's thread; everything else is atomic or under a lock.
final class EventLoop: @unchecked Sendable {
  let settings: LoopSettings
  let shared: ServerState

  /// The open connections, by socket.
  let registry = Locked<[Int32: ConnectionWatch]>([:])

  /// How many connections were handed over and are still open.
  let connections = Atomic<Int>(0)

  /// How many requests are under way.
  let busy = Atomic<Int>(0)

  /// The number of the last probe of ``RunningServer/isResponsive(within:)`` that this loop has answered.
  let answeredProbe = Atomic<UInt64>(0)

  /// Sockets that the loop has not taken over yet.
  let handed = Locked<[HandedSocket]>([])
  /// Raised to wake the loop for anything but its connections.
  let wake: Wakeup
  /// Promises that the loop has not taken up yet.
  let kept: KeptPromises
  /// Whether the loop is to end.
  let isToEnd = Atomic(false)
  let hasStarted = Atomic(false)
  /// Raised when the loop has ended.
  let ended: Wakeup

  /// When the loop last learnt which connections are ready.
  var roundBegan: UInt64 = .max

  /// The library's reads on this thread, as `CInterposition` notes them.
  let reads = UnsafeMutablePointer<interposed_reads>.allocate(capacity: 1)
  /// The connections that are told of reads, by socket.
  private(set) var watched: [Int32: ClientConnection] = [:]
  /// A buffer that a request borrows when its whole body came with its head.
  var bodyBuffer: [UInt8] = []
  /// The requests whose answers are promised.
  var parked = ParkedRequests()

  private let makeHandler: @Sendable () -> any Handler
  private var madeHandler: (any Handler)?
  private var ids = RequestIdentifiers()
  /// How many connections were opened; a change shows that one was.
  private(set) var openedCount: UInt64 = 0

  /// - Returns: nil when the system has no descriptor left; `errno` says why.
  init?(
    settings: LoopSettings, shared: ServerState, makeHandler: @escaping @Sendable () -> any Handler
  ) {
    guard let wake = Wakeup(), let ended = Wakeup() else { return nil }
    self.wake = wake
    kept = KeptPromises(wake: wake)
    self.ended = ended
    self.settings = settings
    self.shared = shared
    self.makeHandler = makeHandler
    reads.initialize(to: interposed_reads())
    reads.pointee.is_secure = shared.isSecure
    reads.pointee.descriptor = -1
    reads.pointee.may_read = mayRead
    reads.pointee.was_read = noteRead
    reads.pointee.cls = Unmanaged.passUnretained(self).toOpaque()
  }

  deinit {
    reads.deallocate()
  }

  /// Starts telling a connection of the library's reads.
  func watchReads(of connection: ClientConnection) {
    watched[connection.watch.descriptor] = connection
    reads.pointee.watched = watched.count
  }

  /// Stops telling a connection of reads.
  func unwatchReads(of connection: ClientConnection) {
    watched[connection.watch.descriptor] = nil
    reads.pointee.watched = watched.count
  }

  /// The loop's handler, made on its thread when it is first needed.
  var handler: any Handler {
    if let madeHandler { return madeHandler }
    let handler = makeHandler()
    madeHandler = handler
    return handler
  }

  /// True if this round of the loop has exceeded `longestWait`: a request that is answered now has waited for the
  /// others of the round.
  var isOverloaded: Bool {
    let now = MonotonicTime.coarse
    return now > roundBegan && now - roundBegan > settings.longestWait
  }

  /// Writes a new request id.
  func writeIdentifier(into bytes: inout [UInt8]) { ids.write(into: &bytes) }

  /// Releases the handler; call it on the loop's thread.
  func releaseHandler() { madeHandler = nil }

  /// Makes the library's daemon for the loop; nil when the library cannot start one.
  func makeDaemon() -> OpaquePointer? {
    var loop = chttp_loop()
    loop.handle = handleRequest
    loop.begin = beginRequest
    loop.complete = completeRequest
    loop.notify = noteConnection
    loop.cls = Unmanaged.passUnretained(self).toOpaque()
    loop.memory_limit = settings.memoryLimit
    // The supervisor enforces the limit. The surplus is for connections that are being closed, and for those that
    // wait to be accepted when the server stops.
    loop.connection_limit = UInt32(clamping: settings.connectionLimit + 1024)
    loop.timeout_seconds = settings.libraryTimeout
    loop.strict = !settings.showsLayout
    if shared.isSecure {
      loop.retrieve = cgnutls_address(certify)
      loop.priorities = TLSIdentity.priorities.withUTF8Buffer { bytes in
        UnsafeRawPointer(bytes.baseAddress)?.assumingMemoryBound(to: CChar.self)
      }
    }
    return chttp_start(&loop)
  }
}

/// The settings in the units that loops and supervisor use.
struct LoopSettings: Sendable {
  let connectionLimit: Int
  let headerLimit: Int
  /// Time-outs in nanoseconds.
  let idleTimeout: UInt64
  let requestTimeout: UInt64
  let longestWait: UInt64
  let showsLayout = chttp_shows_layout()

  /// The bytes that the library may use of a connection's memory: for a request's head, some 60 bytes of
  /// bookkeeping a header, and the head of the answer.
  ///
  /// The library clears all of it after each request. For 64 connections in use, 16 KiB each stay in the
  /// processor's cache; with 24 KiB a bare answer took 5 to 9 % longer.
  var memoryLimit: Int { headerLimit + 4096 }

  /// The library's own time-out only backs up the supervisor's.
  var libraryTimeout: UInt32 {
    UInt32(clamping: max(idleTimeout, requestTimeout) / 1_000_000_000 + 5)
  }
}

/// The state that all loops and the supervisor of a server share.
final class ServerState: Sendable {
  /// Whether the server stops: each answer then closes its connection.
  let isStopping = Atomic(false)
  /// How many connections are open over all loops.
  let connections = Atomic(0)
  /// Whether the supervisor waits for a connection to end before it accepts another one.
  let isFull = Atomic(false)
  let lingering = Lingering()
  /// The memory for bodies that are arriving.
  let bodies: BodyMemory
  let wake: Wakeup
  /// The number of the newest probe of ``RunningServer/isResponsive(within:)``.
  let probe = Atomic<UInt64>(0)
  /// The certificate for new connections; nil for plain HTTP.
  let identity: Locked<TLSIdentity?>
  let isSecure: Bool

  init(wake: Wakeup, identity: TLSIdentity?, bodies: BodyMemory) {
    self.wake = wake
    self.bodies = bodies
    self.identity = Locked(identity)
    isSecure = identity != nil
  }
}

extension EventLoop {
  /// Notes a connection that was opened.
  func opened(_ watch: ConnectionWatch) {
    openedCount += 1
    registry.withLock { $0[watch.descriptor] = watch }
  }

  /// Notes a connection that is about to be closed.
  func closed(_ watch: ConnectionWatch, isCutShort: Bool) {
    registry.withLock { _ = $0.removeValue(forKey: watch.descriptor) }
    let lingers = (isCutShort || watch.hasUnread) && shared.lingering.add(watch.descriptor)
    uncount()
    if lingers { shared.wake.raise() }
  }

  /// Decrements the connection count.
  func uncount() {
    connections.subtract(1, ordering: .relaxed)
    shared.connections.subtract(1, ordering: .sequentiallyConsistent)
    if shared.isFull.load(ordering: .sequentiallyConsistent) { shared.wake.raise() }
  }

  /// Shuts down connections whose clients have left in the middle of a request.
  func endAbandoned(at now: UInt64) {
    forEachWatch { if $0.isAbandoned(at: now) { $0.shutDown() } }
  }

  /// Calls `use` with each open connection; none is closed meanwhile.
  func forEachWatch(_ use: (ConnectionWatch) -> Void) {
    registry.withLock { for watch in $0.values { use(watch) } }
  }
}

extension EventLoop {
  /// Ends loops on a separate thread, since a handler that does not return keeps its loop from ending.
  ///
  /// - Returns: A wakeup that is raised when all have ended; nil when the system has no thread or descriptor left.
  static func end(all loops: [EventLoop]) -> Wakeup? {
    guard let end = Wakeup() else { return nil }
    let result = startThread {
      for loop in loops { loop.stop() }
      end.raise()
    }
    return result == 0 ? end : nil
  }
}
