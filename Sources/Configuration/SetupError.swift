/// Why the program cannot work where it runs: its settings, its files, the system's limits.
public struct SetupError: Error, CustomStringConvertible {
  /// What the reason lies in.
  public enum Kind: Sendable {
    /// A setting, or what a setting names, is wrong or missing.
    case configuration
    /// This user may not do it.
    case permission
    /// The system has too little of something now.
    case unavailable
    /// The system failed to read or write.
    case inputOutput
  }

  /// What the reason lies in.
  public let kind: Kind
  /// What is wrong and what to do.
  public let description: String

  /// Makes an error of its kind and its message.
  public init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }
}
