internal import Glibc
internal import Platform
internal import Synchronization

/// A running server: its loops and their supervisor.
final class RunningServer: Sendable {
  let port: UInt16
  let shared: ServerState
  private let loops: [EventLoop]
  private let supervisor: Supervisor

  init(
    _ configuration: Server.Configuration, makeHandler: @escaping @Sendable () -> any Handler
  ) throws(ServerError) {
    let address = configuration.address
    let settings = LoopSettings(
      connectionLimit: max(1, configuration.connectionLimit),
      headerLimit: configuration.headerLimit,
      idleTimeout: configuration.idleTimeout.nanoseconds,
      requestTimeout: configuration.requestTimeout.nanoseconds,
      longestWait: configuration.longestWait.nanoseconds)
    signal(SIGPIPE, SIG_IGN)
    let listener: ListenSocket
    if let socket = configuration.socket {
      listener = try ListenSocket(socket)
    } else {
      listener = try ListenSocket(address, backlog: 1024)
    }
    guard let wake = Wakeup(), let closed = Wakeup(), let ended = Wakeup() else {
      throw .system(address, operation: "eventfd", number: errno)
    }
    let shared = ServerState(
      wake: wake, identity: configuration.identity, bodies: configuration.bodyMemory)
    let count = max(1, configuration.workers)
    let loops = (0..<count).compactMap { _ in
      EventLoop(settings: settings, shared: shared, makeHandler: makeHandler)
    }
    guard loops.count == count else {
      throw .system(address, operation: "eventfd", number: errno)
    }
    let supervisor = Supervisor(
      settings: settings, shared: shared, loops: loops, listener: listener, closed: closed,
      ended: ended)
    var number: Int32 = 0
    for loop in loops where number == 0 && !loop.start() {
      number = errno == 0 ? EAGAIN : errno
    }
    if number == 0 { number = startThread { supervisor.run() } }
    guard number == 0 else {
      for loop in loops { loop.stop() }
      throw .system(address, operation: "starting a thread", number: number)
    }
    self.port = listener.port
    self.shared = shared
    self.loops = loops
    self.supervisor = supervisor
  }

  /// How many connections are open.
  var connectionCount: Int { shared.connections.load(ordering: .relaxed) }

  /// Stops; see ``Server/stop(deadline:)``.
  func stop(within time: UInt64) -> Server.StopReport {
    let deadline = MonotonicTime.coarse + time
    shared.isStopping.store(true, ordering: .releasing)
    shared.wake.raise()
    // The supervisor never blocks, and no loop may end while it still hands connections over.
    _ = supervisor.closed.wait(milliseconds: -1)
    waitForQuiet(until: deadline)
    let cutOff = loops.reduce(0) { $0 + $1.busy.load(ordering: .relaxed) }
    for loop in loops { loop.forEachWatch { $0.shutDown() } }

    let end = EventLoop.end(all: loops)
    let now = MonotonicTime.coarse
    let millisecondsLeft = Int32(clamping: (max(deadline, now) - now) / 1_000_000)
    let hasEnded = end?.wait(milliseconds: millisecondsLeft + RunningServer.leeway) ?? false
    supervisor.isToEnd.store(true, ordering: .releasing)
    shared.wake.raise()
    let supervisorEnded = supervisor.ended.wait(milliseconds: RunningServer.leeway)
    return Server.StopReport(
      requestsCutOff: cutOff, leftThreadsBehind: !hasEnded || !supervisorEnded)
  }

  /// Milliseconds that threads without work may take to end on a busy machine.
  private static let leeway: Int32 = 3000

  /// Whether the supervisor and all loops take up work; see ``Server/isResponsive(within:)``.
  func isResponsive(within time: UInt64) -> Bool {
    let deadline = MonotonicTime.coarse + time
    let probe = shared.probe.add(1, ordering: .sequentiallyConsistent).newValue
    shared.wake.raise()
    while !loops.allSatisfy({ $0.answeredProbe.load(ordering: .acquiring) >= probe }) {
      guard MonotonicTime.coarse < deadline else { return false }
      usleep(5000)
    }
    return true
  }

  /// Waits until no request has been under way for some 30 ms, since one may be arriving on an idle connection.
  private func waitForQuiet(until deadline: UInt64) {
    var quietRounds = 0
    while MonotonicTime.coarse < deadline, quietRounds < 10 {
      for loop in loops { loop.endAbandoned(at: MonotonicTime.coarse) }
      quietRounds = isQuiet ? quietRounds + 1 : 0
      if quietRounds > 0, shared.connections.load(ordering: .acquiring) == 0 { return }
      usleep(3000)
    }
  }

  private var isQuiet: Bool {
    guard !shared.lingering.hasUnsent else { return false }
    let now = MonotonicTime.coarse
    return loops.allSatisfy { loop in
      var isQuiet = loop.busy.load(ordering: .relaxed) == 0
      loop.forEachWatch { if $0.isSending || $0.isNew(at: now) { isQuiet = false } }
      return isQuiet
    }
  }
}
