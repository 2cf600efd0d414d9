internal import CClock
internal import Foundation

/// The time since the machine was started, which nobody can set; all its processes have the same.
public struct MachineClock: Sendable {
  /// Tells one start of the machine from others; nil where that is not known.
  let bootID: String?
  /// Milliseconds since then, sleep included.
  let uptime: @Sendable () -> Int64

  /// Makes a clock of its parts.
  ///
  /// - Parameters:
  ///   - bootID: another one after each start of the machine; nil where that is not known.
  ///   - uptime: milliseconds since then.
  public init(bootID: String?, uptime: @escaping @Sendable () -> Int64) {
    self.bootID = bootID
    self.uptime = uptime
  }

  /// The machine's own (random(4) and clock_gettime(2), `CLOCK_BOOTTIME`).
  public static let system = MachineClock(
    bootID: (try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8))?
      .trimmingCharacters(in: .whitespacesAndNewlines),
    uptime: { Int64(shim_boottime() / 1_000_000) })
}
