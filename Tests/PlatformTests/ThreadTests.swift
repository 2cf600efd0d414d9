import Platform
import Testing

@Suite struct ThreadTests {
  @Test("a wake-up is seen once, by whoever waits for it") func wakeup() throws {
    let wakeup = try #require(Wakeup())
    #expect(!wakeup.wait(milliseconds: 0))
    #expect(startThread { wakeup.raise() } == 0)
    #expect(wakeup.wait(milliseconds: 10_000))
    wakeup.lower()
    #expect(!wakeup.wait(milliseconds: 0))
  }

  @Test("a periodic thread works when it is woken, and a last time when it is stopped")
  func periodic() throws {
    let rounds = Locked<[Bool]>([])
    let worked = try #require(Wakeup())
    let thread = try #require(
      PeriodicThread(every: 3_600_000) { isLast in
        rounds.withLock { $0.append(isLast) }
        worked.raise()
      })
    thread.wake()
    #expect(worked.wait(milliseconds: 10_000))
    #expect(thread.stop(within: 10_000))
    #expect(rounds.withLock { $0 } == [false, true])
  }

  @Test("a periodic thread works again after its interval") func interval() throws {
    let worked = try #require(Wakeup())
    let thread = try #require(PeriodicThread(every: 10) { _ in worked.raise() })
    for _ in 0..<3 {
      #expect(worked.wait(milliseconds: 10_000))
      worked.lower()
    }
    #expect(thread.stop(within: 10_000))
  }

  @Test("a stop waits no longer than told") func patience() throws {
    let released = try #require(Wakeup())
    let thread = try #require(
      PeriodicThread(every: 3_600_000) { _ in _ = released.wait(milliseconds: 10_000) })
    #expect(!thread.stop(within: 10))
    released.raise()
    #expect(thread.stop(within: 10_000))
  }
}
