internal import Glibc

/// How many files the process may have open; each connection is one.
public enum FileDescriptors {
  /// Connections of the operations listener.
  public static let operationsConnections = 64
  /// Database, logs, the threads that all workers share.
  private static let others = 240
  /// Event loop, database and its log files of one worker, with room to open them anew.
  private static let perWorker = 8

  /// Raises the process's own limit as far as it may, so that they are there for connections.
  ///
  /// - Parameter configuration: says how many the API is to keep open at most, and the workers.
  /// - Returns: how many fit, so that what else has to be opened never lacks a descriptor.
  /// - Throws: `SetupError` where none does.
  public static func provide(for configuration: Configuration) throws(SetupError) -> Int {
    guard let shortage = Shortage(of: configuration) else {
      raise(to: needed(for: configuration.connectionLimit, configuration.workers))
      return configuration.connectionLimit
    }
    guard shortage.fitting > 0 else { throw SetupError(.unavailable, shortage.description) }
    raise(to: shortage.files)
    return shortage.fitting
  }

  /// That a process may open too few files for its connections.
  public struct Shortage: CustomStringConvertible {
    private let connections: Int
    /// How many files it may open.
    fileprivate let files: rlim_t
    /// How many connections that leaves.
    public let fitting: Int
    /// How many files it would have to open.
    private let wanted: rlim_t

    /// Nil where there is none.
    public init?(of configuration: Configuration) {
      connections = configuration.connectionLimit
      wanted = needed(for: connections, configuration.workers)
      guard let limit = FileDescriptors.limit, limit.rlim_max < wanted else { return nil }
      files = limit.rlim_max
      fitting = max(0, Int(files) - Int(needed(for: 0, configuration.workers)))
    }

    /// What is lacking, and what comes of it.
    public var finding: String {
      "the process may open \(files) files, and \(connections) connections need "
        + "\(wanted): the server "
        + (fitting > 0 ? "keeps \(fitting) connections at most" : "does not start")
    }

    /// The finding with what to do.
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

  /// It cannot fail below the highest that is allowed.
  private static func raise(to files: rlim_t) {
    guard var limit, limit.rlim_cur < files else { return }
    limit.rlim_cur = files
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}
