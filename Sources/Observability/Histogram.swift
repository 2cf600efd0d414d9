/// Counts of durations between bounds, as in a Prometheus histogram.
struct Histogram: Sendable, Equatable {
  /// Upper bounds in seconds: from the time of a launch to the longest wait of a write.
  static let bounds = [
    0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5,
    1, 2.5, 5, 10,
  ]
  private static let nanoseconds = bounds.map { UInt64($0 * 1_000_000_000 + 0.5) }

  /// The number of durations up to each bound and over the previous one; the last is of those over all.
  private(set) var counts = [Int](repeating: 0, count: bounds.count + 1)
  /// The sum of all durations, in nanoseconds.
  private(set) var sum: UInt64 = 0

  /// How many durations there are.
  var count: Int { counts.reduce(0, +) }

  /// Adds a duration in nanoseconds.
  mutating func observe(_ duration: UInt64) {
    sum &+= duration
    var place = 0
    Self.nanoseconds.withUnsafeBufferPointer { bounds in
      while place < bounds.count, duration > bounds[place] { place += 1 }
    }
    counts[place] += 1
  }

  /// Adds another histogram's counts.
  mutating func add(_ other: Histogram) {
    sum &+= other.sum
    for place in counts.indices { counts[place] += other.counts[place] }
  }
}
