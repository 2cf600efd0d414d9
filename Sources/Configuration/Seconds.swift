/// A length of time as people write it: `90d`, `24h`, `30m` or `3600s`.
///
/// The unit is required, since a bare `90` is days to one reader and seconds to another.
public struct Seconds: Sendable, Equatable, CustomStringConvertible {
  /// A hundred years: whatever is longer is a slip of the keyboard.
  public static let limit = 36_500 * 86_400

  /// How many seconds it is.
  public let count: Int

  /// Makes a length of so many seconds.
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

  /// Why a text is no length of time.
  public enum Objection: Error {
    /// It is no number with a unit.
    case notALength
    /// It is longer than anything can be meant to be.
    case tooLong(longest: Seconds)
  }

  /// The seconds that are meant, however many; nil for what is no length of time.
  private static func count(_ text: String) -> Int? {
    let units: [Character: Int] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
    let digits = text.dropLast()
    guard let factor = text.last.flatMap({ units[$0] }), !digits.isEmpty,
      digits.utf8.allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    let (count, isOver) = (Int(digits) ?? .max).multipliedReportingOverflow(by: factor)
    return isOver ? .max : count
  }

  /// In the largest unit that leaves no rest.
  public var description: String {
    for (unit, size) in [("d", 86_400), ("h", 3600), ("m", 60)]
    where count > 0 && count.isMultiple(of: size) {
      return "\(count / size)\(unit)"
    }
    return "\(count)s"
  }
}
