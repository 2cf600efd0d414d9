import Glibc

/// What the process can do beside reading and writing, as a value, so that a test can take its place.
public struct Host: Sendable {
  /// Keeps the signals that end the server for `awaitStop`; called before any thread starts.
  public var holdStopSignals: @Sendable () -> Void
  /// Waits until the server shall end.
  public var awaitStop: @Sendable () -> Void

  /// Makes a host of its parts.
  public init(
    holdStopSignals: @escaping @Sendable () -> Void, awaitStop: @escaping @Sendable () -> Void
  ) {
    self.holdStopSignals = holdStopSignals
    self.awaitStop = awaitStop
  }

  /// The process itself: SIGTERM and SIGINT end the server.
  ///
  /// They are blocked in the main thread, and so in every thread that it starts, and taken by
  /// `sigwait` there: no handler runs, nothing is lost between two looks.
  public static var process: Host {
    Host(
      holdStopSignals: {
        var signals = stopSignals
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        signal(SIGPIPE, SIG_IGN)
      },
      awaitStop: {
        var signals = stopSignals
        var received: Int32 = 0
        while sigwait(&signals, &received) != 0 {}
      })
  }

  private static var stopSignals: sigset_t {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGTERM)
    sigaddset(&signals, SIGINT)
    return signals
  }
}
