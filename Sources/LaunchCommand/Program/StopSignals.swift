import Glibc

/// The signals that end the server, as a value, so that a test can take their place.
public struct StopSignals: Sendable {
  /// Keeps them for `wait`; called before any thread starts.
  public var hold: @Sendable () -> Void
  /// Waits until the server shall end.
  public var wait: @Sendable () -> Void

  /// Makes signals of their parts.
  public init(
    hold: @escaping @Sendable () -> Void, wait: @escaping @Sendable () -> Void
  ) {
    self.hold = hold
    self.wait = wait
  }

  /// The process's own: SIGTERM and SIGINT.
  ///
  /// They are blocked in the main thread, and so in every thread that it starts, and taken by
  /// `sigwait` there: no handler runs, nothing is lost between two looks.
  public static var process: StopSignals {
    StopSignals(
      hold: {
        var signals = all
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        signal(SIGPIPE, SIG_IGN)
      },
      wait: {
        var signals = all
        var received: Int32 = 0
        while sigwait(&signals, &received) != 0 {}
      })
  }

  private static var all: sigset_t {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGTERM)
    sigaddset(&signals, SIGINT)
    return signals
  }
}
