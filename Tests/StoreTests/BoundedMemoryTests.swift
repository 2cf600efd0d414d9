import Testing

@testable import Store

@Suite("A memory that keeps what is used") struct BoundedMemoryTests {
  @Test("it never holds more than its limit")
  func bounded() {
    var memory = BoundedMemory<Int, Int>(limit: 100)
    for number in 0..<1000 { memory.remember(number, as: number) }
    #expect((0..<1000).filter { memory[$0] != nil }.count <= 100)
  }

  @Test("what is asked for again and again stays, however many others come")
  func keepsUsed() {
    var memory = BoundedMemory<Int, Int>(limit: 100)
    memory.remember(-1, as: -1)
    for number in 0..<10_000 {
      memory.remember(number, as: number)
      if number % 20 == 0 { #expect(memory[-1] == -1) }
    }
    #expect(memory[5000] == nil)
  }

  @Test("a new value takes the place of the old one, in whichever generation that is")
  func replaces() {
    var memory = BoundedMemory<Int, String>(limit: 4)
    memory.remember("old", as: 0)
    memory.remember("other", as: 1)
    memory.remember("another", as: 2)
    memory.remember("new", as: 0)
    #expect(memory[0] == "new")
    memory.remember("third", as: 3)
    memory.remember("fourth", as: 4)
    #expect(memory[0] != "old")
  }
}
