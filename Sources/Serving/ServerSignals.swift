internal import Glibc

/// The signals that a running server obeys, as a value, so that tests can replace them.
public struct ServerSignals: Sendable {
  /// The request that a signal stands for.
  public enum Request: Sendable {
    /// Finish the requests in flight, then end.
    case stop
    /// Open the log anew and take over the configuration as it is now.
    case reload
  }

  /// Holds signals back for `next`; call it before any thread starts.
  public var hold: @Sendable () -> Void
  /// Waits for the next signal.
  public var next: @Sendable () -> Request
  /// Has `next` return a stop.
  public var stop: @Sendable () -> Void

  /// Makes signals from their parts.
  public init(
    hold: @escaping @Sendable () -> Void, next: @escaping @Sendable () -> Request,
    stop: @escaping @Sendable () -> Void = {}
  ) {
    self.hold = hold
    self.next = next
    self.stop = stop
  }

  /// The process's signals: SIGTERM, SIGQUIT and SIGINT stop, SIGHUP reloads.
  ///
  /// They are blocked in the main thread, and so in every thread that it starts; the main thread takes them by
  /// `sigwait`. No handler runs, and no signal is lost between two waits.
  public static var process: ServerSignals {
    ServerSignals(
      hold: {
        var signals = all
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        signal(SIGPIPE, SIG_IGN)
      },
      next: {
        var signals = all
        var received: Int32 = 0
        while sigwait(&signals, &received) != 0 {}
        return received == SIGHUP ? .reload : .stop
      },
      stop: { kill(getpid(), SIGTERM) })
  }

  private static var all: sigset_t {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGTERM)
    sigaddset(&signals, SIGINT)
    sigaddset(&signals, SIGQUIT)
    sigaddset(&signals, SIGHUP)
    return signals
  }
}
