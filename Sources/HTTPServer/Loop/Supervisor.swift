internal import CMicroHTTPD
internal import Glibc
internal import Platform
internal import Synchronization

/// The server's one thread beside the loops: it accepts connections, hands each to the loop that has the fewest,
/// closes those past their deadline, and enforces the connection limit.
///
/// libmicrohttpd could accept by itself. But its `MHD_quiesce_daemon` races with its own event loops (the process
/// aborts when both take the listening socket out of the poll set), it splits the limit evenly over the threads,
/// and at the limit idle connections keep everyone out.
///
/// Unchecked: only the supervisor's thread touches `listener`, `lastProbe`, `mostHeld`, `gaveBack` and `scratch`
/// once it runs.
final class Supervisor: @unchecked Sendable {
  private let settings: LoopSettings
  private let shared: ServerState
  private let loops: [EventLoop]
  private var listener: ListenSocket?
  private var lastProbe: UInt64 = 0
  /// The most bytes that connections and bodies have held since memory was last given back.
  private var mostHeld = 0
  /// Whether the last round gave memory back.
  private var gaveBack = false
  private let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 65536, alignment: 16)

  /// Raised when the listening socket is closed.
  let closed: Wakeup
  /// Whether the thread is to end.
  let isToEnd = Atomic(false)
  /// Raised when the thread has ended.
  let ended: Wakeup

  init(
    settings: LoopSettings, shared: ServerState, loops: [EventLoop], listener: ListenSocket,
    closed: Wakeup, ended: Wakeup
  ) {
    self.settings = settings
    self.shared = shared
    self.loops = loops
    self.listener = listener
    self.closed = closed
    self.ended = ended
  }

  deinit {
    scratch.deallocate()
  }

  /// The thread's work.
  func run() {
    let tick = max(
      10_000_000, min(1_000_000_000, min(settings.idleTimeout, settings.requestTimeout) / 4))
    var next = MonotonicTime.coarse + tick
    while !isToEnd.load(ordering: .acquiring) {
      wait(milliseconds: Int32(tick / 1_000_000))
      if shared.isStopping.load(ordering: .acquiring), let waiting = listener {
        // A passed socket outlives this process: the next one accepts what waits there.
        if !waiting.isPassed { accept(all: true) }
        listener = nil
        closed.raise()
      }
      accept(all: false)
      askLoops()
      shared.lingering.discard(using: scratch)
      let now = MonotonicTime.coarse
      if now >= next {
        endOverdue(at: now)
        giveMemoryBack()
        next = now + tick
      }
    }
    listener = nil
    ended.raise()
  }

  /// Gives memory back to the system once connections and bodies hold much less than they did.
  ///
  /// The allocator keeps it by itself, since blocks in use lie between the free ones.
  private func giveMemoryBack() {
    let connections = shared.connections.load(ordering: .relaxed)
    let each = settings.memoryLimit + (shared.isSecure ? Self.sessionMemory : 0)
    let held = connections * each + shared.bodies.held
    mostHeld = max(mostHeld, held)
    let isMuch = mostHeld - held > 8 << 20 && held < mostHeld / 2
    // A connection is uncounted some time before its memory is freed, so the next round gives back again.
    if isMuch || gaveBack { malloc_trim(0) }
    if isMuch { mostHeld = held }
    gaveBack = isMuch
  }

  /// The memory that GnuTLS keeps for a connection, in bytes.
  private static let sessionMemory = 24 << 10

  /// Passes a new probe of ``RunningServer/isResponsive(within:)`` on to each loop.
  private func askLoops() {
    let probe = shared.probe.load(ordering: .acquiring)
    guard probe != lastProbe else { return }
    lastProbe = probe
    for loop in loops { loop.askForAnswer() }
  }

  private func wait(milliseconds: Int32) {
    var entries = [pollfd(fd: shared.wake.descriptor, events: Int16(POLLIN), revents: 0)]
    if let listener, !shared.isFull.load(ordering: .sequentiallyConsistent) {
      entries.append(pollfd(fd: listener.descriptor, events: Int16(POLLIN), revents: 0))
    }
    for descriptor in shared.lingering.descriptors {
      entries.append(pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0))
    }
    // `poll` fails only when interrupted, which is as good as a time-out.
    _ = poll(&entries, nfds_t(entries.count), milliseconds)
    shared.wake.lower()
  }

  /// Accepts waiting connections while the limit allows.
  ///
  /// - Parameter all: Whether to go on beyond the limit, so that a stop leaves nobody waiting.
  private func accept(all: Bool) {
    guard let listener else { return }
    while all || hasRoom(for: listener) {
      var address = sockaddr_storage()
      var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
      let descriptor = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          accept4(
            listener.descriptor, $0, &size,
            Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue))
        }
      }
      if descriptor >= 0 {
        hand(HandedSocket(descriptor: descriptor, address: address, size: size))
        continue
      }
      if errno == ECONNABORTED || errno == EINTR { continue }
      if errno != EAGAIN { waitForRoom(at: listener) }
      return
    }
  }

  private func hand(_ socket: HandedSocket) {
    let loop = loops.min {
      $0.connections.load(ordering: .relaxed) < $1.connections.load(ordering: .relaxed)
    }
    shared.connections.add(1, ordering: .sequentiallyConsistent)
    loop?.connections.add(1, ordering: .relaxed)
    loop?.hand(socket)
  }

  /// Out of descriptors or memory: has the supervisor wait for a connection to end rather than spin, and closes the
  /// one that has been idle for longest.
  private func waitForRoom(at listener: ListenSocket) {
    shared.isFull.store(true, ordering: .sequentiallyConsistent)
    // The system reports the shortage even when nobody waits to be accepted.
    if listener.hasWaiting { _ = endLongestIdle() }
  }

  /// Whether another connection may be accepted.
  ///
  /// At the limit a waiting connection replaces the one that has been idle for longest, so that clients that send
  /// nothing, or no whole head, never keep others out.
  private func hasRoom(for listener: ListenSocket) -> Bool {
    let excess =
      shared.connections.load(ordering: .sequentiallyConsistent) - settings.connectionLimit
    if excess < 0 {
      shared.isFull.store(false, ordering: .sequentiallyConsistent)
      return true
    }
    guard listener.hasWaiting else { return false }
    // Connections that were shut down count until their loop has closed them.
    let hasRoom = excess < Supervisor.largestExcess && endLongestIdle()
    shared.isFull.store(!hasRoom, ordering: .sequentiallyConsistent)
    return hasRoom
  }

  /// How many connections beyond the limit may be open while others are being closed.
  static let largestExcess = 16
}

extension Supervisor {
  fileprivate func endLongestIdle() -> Bool {
    var oldest: (loop: EventLoop, descriptor: Int32, since: UInt64)?
    for loop in loops {
      loop.forEachWatch { watch in
        guard let since = watch.idle, since < oldest?.since ?? .max else { return }
        oldest = (loop, watch.descriptor, since)
      }
    }
    guard let oldest else { return false }
    // The registry was unlocked in between: the descriptor may be another connection's by now, or the connection
    // busy.
    return oldest.loop.registry.withLock { registry in
      guard let watch = registry[oldest.descriptor], watch.idle == oldest.since else {
        return false
      }
      watch.shutDown()
      return true
    }
  }

  fileprivate func endOverdue(at now: UInt64) {
    for loop in loops {
      loop.forEachWatch { if $0.isOverdue(at: now) { $0.shutDown() } }
      loop.endAbandoned(at: now)
    }
  }
}
