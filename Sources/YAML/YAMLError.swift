/// Why a text is not an acceptable YAML document, and where.
public struct YAMLError: Error, Equatable, CustomStringConvertible {
  /// The line, the first being 1.
  public let line: Int
  /// The column, the first being 1, counted in characters (code points).
  public let column: Int
  /// What is wrong, for the author of the file; it repeats keys, never values.
  public let message: String

  /// The message with its place.
  public var description: String { "line \(line), column \(column): \(message)" }
}
