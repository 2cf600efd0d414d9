internal import CPlatform
internal import Glibc

/// Time that only goes forward, in nanoseconds; it has nothing to do with the time of day (clock_gettime(2)).
public enum MonotonicTime {
  /// The time (`CLOCK_MONOTONIC`).
  public static var now: UInt64 { clock_nanoseconds(CLOCK_MONOTONIC) }

  /// The same time, precise to some milliseconds, for a third of the price (`CLOCK_MONOTONIC_COARSE`).
  public static var coarse: UInt64 { clock_nanoseconds(CLOCK_MONOTONIC_COARSE) }
}
