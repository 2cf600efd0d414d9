import Glibc

/// How many files the process may have open; each connection is one.
enum FileDescriptors {
  /// Connections of the operations listener.
  static let operationsConnections = 64
  /// Database, logs, event loops.
  private static let others = 256

  /// Files that so many connections need.
  static func needed(for connections: Int) -> rlim_t {
    rlim_t(connections + operationsConnections + others)
  }

  /// Raises the process's own limit as far as it may, and says where that is too little.
  static func provide(for connections: Int, note: (String) -> Void) {
    let needed = needed(for: connections)
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0,
      limit.rlim_cur < needed
    else { return }
    limit.rlim_cur = min(needed, limit.rlim_max)
    let isRaised = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
    if !isRaised || limit.rlim_cur < needed {
      note(
        "warning: the process may open \(limit.rlim_cur) files, \(connections) connections need "
          + "\(needed). Raise the limit (LimitNOFILE, ulimit -n) or lower limits.connections.")
    }
  }
}
