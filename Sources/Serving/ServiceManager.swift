internal import CSystemd
import Configuration
internal import Glibc
import Platform

/// systemd, or whatever started the server in its way, as a value, so that a test can take its place.
public struct ServiceManager: Sendable {
  /// A listening socket that was passed in, with the name that the manager gives it.
  public struct Socket: Sendable {
    /// As `FileDescriptorName=` of a socket unit has it.
    public var name: String
    /// The file descriptor.
    public var descriptor: Int32

    /// Makes one of its parts.
    public init(name: String, descriptor: Int32) {
      self.name = name
      self.descriptor = descriptor
    }
  }

  /// Takes the sockets that were passed to this process, which no child of it inherits any more;
  /// called before any thread starts (sd_listen_fds(3)).
  public var takeSockets: @Sendable () throws -> [Socket]
  /// Tells the manager how the server stands, in assignments a line (sd_notify(3)).
  public var notify: @Sendable (String) -> Void
  /// Microseconds within which the manager wants to hear from the server each time; nil where it
  /// does not watch (sd_watchdog_enabled(3)).
  public var watchdogInterval: @Sendable () -> UInt64?

  /// Makes a manager of its parts.
  public init(
    takeSockets: @escaping @Sendable () throws -> [Socket],
    notify: @escaping @Sendable (String) -> Void,
    watchdogInterval: @escaping @Sendable () -> UInt64?
  ) {
    self.takeSockets = takeSockets
    self.notify = notify
    self.watchdogInterval = watchdogInterval
  }

  /// Nobody: the server was started by hand.
  public static let none = ServiceManager(
    takeSockets: { [] }, notify: { _ in }, watchdogInterval: { nil })

  /// Whatever the process's environment names.
  public static var process: ServiceManager {
    ServiceManager(
      takeSockets: { try socketsOfProcess() },
      notify: { state in
        // Who is not listened to serves all the same.
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
