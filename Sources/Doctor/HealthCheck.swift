/// One thing that a check found.
public struct HealthFinding: Equatable {
  /// How bad it is.
  public enum Level: String {
    /// All is well.
    case ok
    /// It works, and should not stay so.
    case warning
    /// Something does not work.
    case error
  }

  /// How bad it is.
  public let level: Level
  /// What is so.
  public let what: String
  /// Why it matters; empty where all is well.
  public internal(set) var why = ""
  /// How to mend it, mostly a command to copy; empty where all is well.
  public internal(set) var mend = ""

  static func ok(_ what: String) -> Self { .init(level: .ok, what: what) }

  static func warning(_ what: String, why: String, mend: String) -> Self {
    .init(level: .warning, what: what, why: why, mend: mend)
  }

  static func error(_ what: String, why: String, mend: String) -> Self {
    .init(level: .error, what: what, why: why, mend: mend)
  }
}

/// One of the doctor's checks.
public struct HealthCheck: Sendable {
  /// What it looks at, as it stands before each finding.
  public let name: String
  /// Looks, and changes nothing; it gives nothing where what it looks at is not there.
  public let examine: @Sendable (Patient) -> [HealthFinding]

  /// All of them, in the order in which a fault of one explains those of the next.
  public static let all: [HealthCheck] = [
    .configuration, .dataDirectory, .files, .masterKey, .database, .signingKeys, .apiKeys,
    .projects, .names, .backups, .clock, .disk, .descriptors, .accessLog, .listeners, .tls, .server,
  ]
}
