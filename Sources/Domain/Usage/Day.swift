/// A calendar day in UTC.
public struct Day: Sendable, Hashable, Comparable, Strideable, CustomStringConvertible {
  private static let seconds: Int64 = 86_400

  /// Days since 1970-01-01.
  public let number: Int

  /// Makes the day that lies `number` days after 1970-01-01.
  public init(number: Int) {
    self.number = number
  }

  /// The day that a moment lies in.
  public init(_ time: Timestamp) {
    number = Int(time.seconds.floorDivided(by: Self.seconds))
  }

  /// The moment that the day begins at.
  public var start: Timestamp { Timestamp(seconds: Int64(number) * Self.seconds) }

  /// The date as RFC 3339 writes it, such as `2026-11-29`.
  public var description: String { String(start.description.prefix(10)) }

  /// Days from this one to another, less than 0 for an earlier one.
  public func distance(to other: Day) -> Int { other.number - number }

  /// The day `days` later.
  public func advanced(by days: Int) -> Day { Day(number: number + days) }
}
