/// A finding of a check.
public struct HealthFinding: Equatable {
  /// The levels, from good to bad.
  public enum Level: String {
    /// All is well.
    case ok
    /// It works, and needs attention.
    case warning
    /// Something does not work.
    case error
  }

  /// The finding's level.
  public let level: Level
  /// What was found.
  public let what: String
  /// Why it matters; empty when all is well.
  public internal(set) var why = ""
  /// How to mend it, mostly a command to copy; empty when all is well.
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
  /// The subject of the check, printed before each finding.
  public let name: String
  /// Examines the subject and changes nothing; no finding when there is no subject.
  public let examine: @Sendable (Patient) -> [HealthFinding]

  /// All checks, ordered so that a fault found by one explains those found by the next.
  public static let all: [HealthCheck] = [
    .configuration, .dataDirectory, .files, .masterKey, .database, .signingKeys, .apiKeys,
    .projects, .names, .backups, .clock, .disk, .descriptors, .accessLog, .listeners, .tls, .server,
  ]
}
