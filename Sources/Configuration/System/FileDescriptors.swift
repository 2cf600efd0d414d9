internal import Glibc

/// The files that the process may have open; each connection is one of them.
public enum FileDescriptors {
  /// The connections of the operations listener.
  public static let operationsConnections = 64
  /// The files that no worker needs for itself: database, logs, shared threads.
  private static let others = 240
  /// The files of one worker: event loop, database and its log files, with room to open them anew.
  private static let perWorker = 8

  /// Raises the process's limit of open files to what its connections need.
  ///
  /// - Parameter configuration: names the numbers of connections and workers.
  /// - Returns: the number of the API's connections that the limit allows, up to the configured one.
  /// - Throws: `SetupError` when the limit allows no connection.
  public static func provide(for configuration: Configuration) throws(SetupError) -> Int {
    guard let shortage = Shortage(of: configuration) else {
      raise(to: needed(for: configuration.connectionLimit, configuration.workers))
      return configuration.connectionLimit
    }
    guard shortage.fitting > 0 else { throw SetupError(.unavailable, shortage.description) }
    raise(to: shortage.files)
    return shortage.fitting
  }

  /// Too few files for the configured connections.
  public struct Shortage: CustomStringConvertible {
    private let connections: Int
    /// The files that the process may open.
    fileprivate let files: rlim_t
    /// The connections that fit.
    public let fitting: Int
    /// The files that all connections would need.
    private let wanted: rlim_t

    /// Compares the system's limit with the configuration; nil when all connections fit.
    public init?(of configuration: Configuration) {
      connections = configuration.connectionLimit
      wanted = needed(for: connections, configuration.workers)
      guard let limit = FileDescriptors.limit, limit.rlim_max < wanted else { return nil }
      files = limit.rlim_max
      fitting = max(0, Int(files) - Int(needed(for: 0, configuration.workers)))
    }

    /// What is lacking, and the consequence.
    public var finding: String {
      "the process may open \(files) files, and \(connections) connections need "
        + "\(wanted): the server "
        + (fitting > 0 ? "keeps \(fitting) connections at most" : "does not start")
    }

    /// The finding and what to do about it.
    public var description: String {
      finding + ". Raise the limit (LimitNOFILE, ulimit -n) or lower limits.connections."
    }
  }

  private static func needed(for connections: Int, _ workers: Int) -> rlim_t {
    rlim_t(connections + operationsConnections + others + perWorker * workers)
  }

  private static var limit: rlimit? {
    var limit = rlimit()
    return getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 ? limit : nil
  }

  /// Raises the limit, which cannot fail up to the hard limit (getrlimit(2)).
  private static func raise(to files: rlim_t) {
    guard var limit, limit.rlim_cur < files else { return }
    limit.rlim_cur = files
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}
