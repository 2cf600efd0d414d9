internal import Glibc
internal import Platform

/// An HTTP/1.1 server.
///
/// Each event loop has its own thread and handler, so that a request takes no lock that one of another loop could
/// hold. A handler blocks only its own loop, and not even that where it promises its answer.
public final class Server: Sendable {
  /// How a server listens and what it allows.
  public struct Configuration: Sendable {
    /// Where to listen; port 0 takes any free one.
    public var address: Address
    /// A socket that listens already, used in place of ``address``.
    public var socket: PassedSocket?
    /// The certificate for TLS; nil for plain HTTP.
    public var identity: TLSIdentity?
    /// How many event loops answer requests, each on its own thread.
    public var workers = 1
    /// How many connections may be open at once.
    ///
    /// At the limit a new one replaces the one that has been idle for longest; if none is idle, it waits.
    public var connectionLimit = 1024
    /// How long a connection may stay open without a request.
    public var idleTimeout: Duration = .seconds(60)
    /// How long a request may take from its first line until its answer is sent; where that is promised, how long it
    /// may take to arrive, and then the answer to be sent.
    public var requestTimeout: Duration = .seconds(30)
    /// How long a request may wait for others of its event loop.
    ///
    /// After that it is refused, which is cheap, so that delays do not grow under overload.
    public var longestWait: Duration = .seconds(3)
    /// The largest head of a request, in bytes; a smaller one with over 50 headers and cookies may be refused, too.
    public var headerLimit = 12288
    /// The memory for request bodies that are arriving; servers of one process may share it.
    public var bodyMemory = BodyMemory(limit: 64 << 20)

    /// Makes a configuration with the defaults.
    ///
    /// - Parameter address: Where to listen.
    public init(address: Address) {
      self.address = address
    }
  }

  /// How a server stopped.
  public struct StopReport: Sendable, Hashable {
    /// How many requests were cut off because the deadline had passed.
    public var requestsCutOff: Int
    /// Whether an event loop was left behind because its handler did not return.
    public var leftThreadsBehind: Bool

    /// Makes a report.
    ///
    /// - Parameters:
    ///   - requestsCutOff: How many requests were cut off.
    ///   - leftThreadsBehind: Whether an event loop did not end.
    public init(requestsCutOff: Int, leftThreadsBehind: Bool) {
      self.requestsCutOff = requestsCutOff
      self.leftThreadsBehind = leftThreadsBehind
    }

    /// Whether all requests were finished and all threads ended.
    public var isClean: Bool { requestsCutOff == 0 && !leftThreadsBehind }
  }

  private enum State {
    case new
    case running(RunningServer)
    case stopped(StopReport)
  }

  private let configuration: Configuration
  private let makeHandler: @Sendable () -> any Handler
  private let state = Locked<State>(.new)
  /// The running server for those who only look: a stop locks `state` for as long as it takes.
  private let current = Locked<RunningServer?>(nil)

  /// Makes a server that does not listen yet.
  ///
  /// - Parameters:
  ///   - configuration: How it listens and what it allows.
  ///   - makeHandler: Makes an event loop's handler; called on the loop's thread at its first request. The handler
  ///     is released when the loop ends.
  public init(configuration: Configuration, makeHandler: @escaping @Sendable () -> any Handler) {
    self.configuration = configuration
    self.makeHandler = makeHandler
  }

  /// Makes a server for a router, which does not listen yet.
  ///
  /// - Parameters:
  ///   - configuration: How it listens and what it allows.
  ///   - router: The routes.
  ///   - makeContext: Makes what belongs to one request, on the thread that answers it.
  public convenience init<Context>(
    configuration: Configuration, router: Router<Context>,
    makeContext: @escaping @Sendable () -> Context
  ) {
    self.init(configuration: configuration) { router.handler(makeContext: makeContext) }
  }

  /// The port that the server listens on; nil when it does not.
  public var boundPort: UInt16? {
    state.withLock { state in
      guard case .running(let run) = state else { return nil }
      return run.port
    }
  }

  /// How many connections are open; 0 when the server does not run.
  public var connectionCount: Int { current.withLock { $0?.connectionCount ?? 0 } }

  /// Replaces the certificate for new connections; open ones go on.
  ///
  /// - Parameter identity: The certificate and its key. No effect on a server that does not run or speaks plain
  ///   HTTP.
  public func replaceIdentity(with identity: TLSIdentity) {
    current.withLock { $0 }?.shared.identity.withLock { held in
      if held != nil { held = identity }
    }
  }

  /// Whether every thread of the server responds; blocks until that is known.
  ///
  /// - Parameter limit: How long the threads may take.
  /// - Returns: Whether all did; false for a server that does not run.
  public func isResponsive(within limit: Duration) -> Bool {
    current.withLock { $0 }?.isResponsive(within: limit.nanoseconds) ?? false
  }

  /// Starts to listen and to answer.
  ///
  /// It makes the process ignore SIGPIPE, since a client may close its connection at any moment.
  ///
  /// - Throws: ``ServerError`` when the server cannot listen on the address, the system has no threads left, or the
  ///   server was started before.
  public func start() throws(ServerError) {
    let result = state.withLock { state -> ServerError? in
      guard case .new = state else { return .startedBefore(configuration.address) }
      do throws(ServerError) {
        let run = try RunningServer(configuration, makeHandler: makeHandler)
        state = .running(run)
        current.withLock { $0 = run }
        return nil
      } catch {
        return error
      }
    }
    if let result { throw result }
  }

  /// Stops: refuses new connections at once, lets the requests that have begun finish, then ends.
  ///
  /// Connections that wait on a passed socket are left to its other holder. A new connection gets up to two seconds
  /// to send its first request.
  ///
  /// - Parameter deadline: How long requests may take to finish. After it their connections are closed, and threads
  ///   get a few seconds more to end.
  /// - Returns: The report; for a server that was stopped before, the report of that stop.
  @discardableResult
  public func stop(deadline: Duration) -> StopReport {
    state.withLock { state in
      switch state {
      case .new:
        let report = StopReport(requestsCutOff: 0, leftThreadsBehind: false)
        state = .stopped(report)
        return report
      case .running(let run):
        let report = run.stop(within: deadline.nanoseconds)
        state = .stopped(report)
        current.withLock { $0 = nil }
        return report
      case .stopped(let report):
        return report
      }
    }
  }
}
