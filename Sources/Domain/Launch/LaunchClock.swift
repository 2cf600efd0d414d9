/// The time that the launch IDs of a project carry.
///
/// All servers and commands of a store share it, and it only goes forward, while the time of day
/// may be set back. So a launch that is issued earlier never has a later time.
public struct LaunchClock: Sendable {
  private let offset: Int64
  private let uptime: @Sendable () -> Int64
  private let earliest: Timestamp

  /// Makes a clock.
  ///
  /// - Parameters:
  ///   - offset: milliseconds to add to `uptime`, as the store keeps them.
  ///   - uptime: milliseconds since the machine was started.
  ///   - earliest: the lower bound of the time: the latest launch and every log-out.
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
