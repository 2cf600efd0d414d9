/// The time that launches of a project are named by.
///
/// It is what all servers and commands of a store have agreed on, and only goes forward; the time of day
/// may be set back. So of two launches the one that was issued first never lies after the other.
public struct LaunchClock: Sendable {
  private let offset: Int64
  private let uptime: @Sendable () -> Int64
  private let earliest: Timestamp

  /// Makes a clock.
  ///
  /// - Parameters:
  ///   - offset: milliseconds to add to `uptime`, as the store has them.
  ///   - uptime: milliseconds since the machine was started.
  ///   - earliest: what no launch may lie before: the project, the latest launch, every log-out.
  public init(
    offset: Int64, uptime: @escaping @Sendable () -> Int64, earliest: Timestamp
  ) {
    self.offset = offset
    self.uptime = uptime
    self.earliest = earliest
  }

  /// The time now.
  public var now: Timestamp { max(earliest, Timestamp(milliseconds: uptime() + offset)) }
}
