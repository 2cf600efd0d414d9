import Platform
import Testing

@Suite struct ClockTests {
  @Test("monotonic time goes forward") func monotonic() {
    let (before, coarseBefore) = (MonotonicTime.now, MonotonicTime.coarse)
    #expect(MonotonicTime.now >= before)
    #expect(MonotonicTime.coarse >= coarseBefore)
    #expect(coarseBefore <= MonotonicTime.now)
  }

  @Test("the machine's clock goes forward, and names the machine's start") func machine() {
    let before = MachineClock.system.uptime()
    #expect(before > 0)
    #expect(MachineClock.system.uptime() >= before)
    #expect(MachineClock.system.bootID?.utf8.count == 36)
  }
}
