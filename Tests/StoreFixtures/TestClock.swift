package import Domain
package import Platform
internal import Synchronization

/// The time of day and the time since the machine was started, which stand where they were set.
package final class TestClock: Sendable {
  private let time = Locked(Timestamp(seconds: 1_795_953_600))
  private let milliseconds = Atomic<Int64>(40_000_000)

  /// Begins on 2026-11-29.
  package init() {}

  /// The time of day; to set it is what `date --set` does.
  package var now: Timestamp {
    get { time.withLock { $0 } }
    set { time.withLock { $0 = newValue } }
  }

  /// Lets time pass.
  package func advance(seconds: Int) { advance(milliseconds: Int64(seconds) * 1000) }

  /// Lets time pass.
  package func advance(milliseconds passed: Int64) {
    now = Timestamp(milliseconds: now.milliseconds + passed)
    milliseconds.add(passed, ordering: .relaxed)
  }

  /// Has the machine started just now.
  package func restart() { milliseconds.store(1000, ordering: .relaxed) }

  /// The time since the machine was started.
  package func machine(bootID: String?) -> MachineClock {
    MachineClock(bootID: bootID) { self.milliseconds.load(ordering: .relaxed) }
  }
}
