import Cryptography
import Testing

@Suite struct SecureRandomTests {
  @Test func neverRepeatsItself() {
    var (first, second) = (SecureRandom(), SecureRandom())
    // Over several fetches; of 2,000 numbers of 64 bits two are equal once in 10^13 runs.
    let drawn = (0..<1000).flatMap { _ in [first.next(), second.next()] }
    #expect(Set(drawn).count == drawn.count)
    first = second
    #expect(first.next() != second.next(), "one generator under two names goes on")
  }

  @Test func setsEachBitAboutHalfOfTheTime() {
    let generator = SecureRandom()
    var counts = [Int](repeating: 0, count: 64)
    for _ in 0..<4096 {
      let number = generator.next()
      for bit in 0..<64 where number >> UInt64(bit) & 1 == 1 { counts[bit] += 1 }
    }
    // Ten standard deviations.
    #expect(counts.allSatisfy { (2048 - 320...2048 + 320).contains($0) })
  }
}
