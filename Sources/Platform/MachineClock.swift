internal import CPlatform
internal import Glibc

/// The time since the machine was started, which nobody can set; all processes of the machine share it.
public struct MachineClock: Sendable {
  /// Differs after each start of the machine; nil where that cannot be told.
  public let bootID: String?
  /// Milliseconds since the start, sleep included.
  public let uptime: @Sendable () -> Int64

  /// Makes a clock of its parts.
  ///
  /// - Parameters:
  ///   - bootID: differs after each start of the machine; nil where that cannot be told.
  ///   - uptime: gives the milliseconds since the start.
  public init(bootID: String?, uptime: @escaping @Sendable () -> Int64) {
    self.bootID = bootID
    self.uptime = uptime
  }

  /// The machine's own clock (random(4) and clock_gettime(2), `CLOCK_BOOTTIME`).
  public static let system = MachineClock(
    bootID: SmallFile.read("/proc/sys/kernel/random/boot_id").map {
      String(decoding: $0.filter { $0 > UInt8(ascii: " ") }, as: UTF8.self)
    },
    uptime: { Int64(clock_nanoseconds(CLOCK_BOOTTIME) / 1_000_000) })

  /// Whether something, such as NTP, keeps the machine's time of day right; nil where that cannot be told.
  public static var isSynchronized: Bool? {
    switch clock_is_synchronized() {
    case 0: false
    case 1: true
    default: nil
    }
  }
}
