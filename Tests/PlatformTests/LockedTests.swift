import Platform
import Testing

@Suite struct LockedTests {
  @Test("many threads change a value one after another") func contention() async {
    let count = Locked(0)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask { for _ in 0..<10_000 { count.withLock { $0 += 1 } } }
      }
    }
    #expect(count.withLock { $0 } == 80_000)
  }

  @Test("a lock is free again after an error") func error() {
    struct Refusal: Error {}
    let value = Locked(1)
    #expect(throws: Refusal.self) { try value.withLock { _ in throw Refusal() } }
    #expect(value.withLock { $0 } == 1)
  }
}
