import Configuration
internal import CSystemd
internal import Glibc
import Platform

/// systemd, or another manager with its protocol, as a value, so that tests can replace it.
public struct ServiceManager: Sendable {
  /// A listening socket that the manager passed in, with the name that it gave it.
  public struct Socket: Sendable {
    /// The name, such as `FileDescriptorName=` of a socket unit.
    public var name: String
    /// The file descriptor.
    public var descriptor: Int32

    /// Makes a socket from its parts.
    public init(name: String, descriptor: Int32) {
      self.name = name
      self.descriptor = descriptor
    }
  }

  /// Takes the sockets that were passed to this process; call it before any thread starts (sd_listen_fds(3)).
  ///
  /// No child of the process inherits them.
  public var takeSockets: @Sendable () throws -> [Socket]
  /// Tells the manager the server's state, an assignment a line (sd_notify(3)).
  public var notify: @Sendable (String) -> Void
  /// The longest time between two signs of life, in microseconds; nil when the manager does not watch
  /// (sd_watchdog_enabled(3)).
  public var watchdogInterval: @Sendable () -> UInt64?

  /// Makes a manager from its parts.
  public init(
    takeSockets: @escaping @Sendable () throws -> [Socket],
    notify: @escaping @Sendable (String) -> Void,
    watchdogInterval: @escaping @Sendable () -> UInt64?
  ) {
    self.takeSockets = takeSockets
    self.notify = notify
    self.watchdogInterval = watchdogInterval
  }

  /// No manager: the server was started by hand.
  public static let none = ServiceManager(
    takeSockets: { [] }, notify: { _ in }, watchdogInterval: { nil })

  /// The manager that the process's environment names.
  public static var process: ServiceManager {
    ServiceManager(
      takeSockets: { try socketsOfProcess() },
      notify: { state in
        // The server works also when the manager cannot be told.
        _ = sd_notify(0, state)
      },
      watchdogInterval: {
        var interval: UInt64 = 0
        return sd_watchdog_enabled(0, &interval) > 0 ? interval : nil
      })
  }

  private static func socketsOfProcess() throws -> [Socket] {
    var names: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    let count = sd_listen_fds_with_names(1, &names)
    guard count >= 0 else {
      throw SetupError(
        .configuration,
        "Cannot take the sockets that were passed in: \(systemMessage(-count)).")
    }
    defer {
      for index in 0..<Int(count) { free(names?[index]) }
      free(names)
    }
    return (0..<count).map { index in
      Socket(
        name: names?[Int(index)].flatMap { String(validatingCString: $0) } ?? "",
        descriptor: SD_LISTEN_FDS_START + index)
    }
  }
}
