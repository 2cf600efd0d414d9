/// An obstacle in the program's surroundings: its settings, its files, the system's limits.
public struct SetupError: Error, CustomStringConvertible {
  /// The kinds of obstacles; each has an exit status of its own.
  public enum Kind: Sendable {
    /// A setting is wrong, or something that it names is wrong or missing.
    case configuration
    /// The user lacks the permission.
    case permission
    /// The system lacks a resource now.
    case unavailable
    /// Reading or writing failed.
    case inputOutput
  }

  /// The kind of the obstacle.
  public let kind: Kind
  /// What is wrong and what to do.
  public let description: String

  /// Makes an error of its kind and its message.
  public init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }
}
