/// What a service tells of itself and of its requests.
public struct Observation: Sendable {
  /// The program's version.
  public let version: String

  /// Puts together what is told.
  ///
  /// - Parameter version: the program's version.
  public init(version: String = "") {
    self.version = version
  }
}
