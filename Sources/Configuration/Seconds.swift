/// A length of time as people write it: `90d`, `24h`, `30m` or `3600s`.
///
/// The unit is required, since a bare `90` is days to one reader and seconds to another.
public struct Seconds: Sendable, Equatable, CustomStringConvertible {
  /// The longest length, a hundred years; a longer one is a slip of the keyboard.
  public static let limit = 36_500 * 86_400

  /// The number of seconds.
  public let count: Int

  /// Makes a length of a number of seconds.
  public init(_ count: Int) {
    self.count = count
  }

  /// Reads a length as people write it.
  ///
  /// - Throws: `Objection`.
  public init(parsing text: String) throws(Objection) {
    guard let count = Self.count(text) else { throw .notALength }
    guard count <= Self.limit else { throw .tooLong(longest: Seconds(Self.limit)) }
    self.count = count
  }

  /// Why a text is not taken for a length of time.
  public enum Objection: Error {
    /// The text is not a number with a unit.
    case notALength
    /// The length is longer than the longest that is taken.
    case tooLong(longest: Seconds)
  }

  /// The number of seconds, `Int.max` for more than an integer holds; nil for a text that is not a length.
  private static func count(_ text: String) -> Int? {
    let units: [Character: Int] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
    let digits = text.dropLast()
    guard let factor = text.last.flatMap({ units[$0] }), !digits.isEmpty,
      digits.utf8.allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    let (count, isOver) = (Int(digits) ?? .max).multipliedReportingOverflow(by: factor)
    return isOver ? .max : count
  }

  /// The length in the largest unit that divides it.
  public var description: String {
    for (unit, size) in [("d", 86_400), ("h", 3600), ("m", 60)]
    where count > 0 && count.isMultiple(of: size) {
      return "\(count / size)\(unit)"
    }
    return "\(count)s"
  }
}
