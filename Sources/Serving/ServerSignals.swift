internal import Glibc

/// The signals that a running server obeys, as a value, so that a test can take their place.
public struct ServerSignals: Sendable {
  /// What a signal asks for.
  public enum Request: Sendable {
    /// Finish what is in flight and end.
    case stop
    /// Open files anew and take over the configuration as it is now.
    case reload
  }

  /// Keeps them for `next`; called before any thread starts.
  public var hold: @Sendable () -> Void
  /// Waits for the next one.
  public var next: @Sendable () -> Request

  /// Makes signals of their parts.
  public init(
    hold: @escaping @Sendable () -> Void, next: @escaping @Sendable () -> Request
  ) {
    self.hold = hold
    self.next = next
  }

  /// The process's own: SIGTERM, SIGQUIT and SIGINT to stop, SIGHUP to reload.
  ///
  /// They are blocked in the main thread, and so in every thread that it starts, and taken by
  /// `sigwait` there: no handler runs, nothing is lost between two looks.
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
      })
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
