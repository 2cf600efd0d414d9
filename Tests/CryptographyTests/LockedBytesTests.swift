import Cryptography
import Testing

@Suite struct LockedBytesTests {
  @Test func takesTheBytesOverAndWipesThem() throws {
    var bytes: [UInt8] = Array(1...32)
    let locked = try LockedBytes(taking: &bytes)
    #expect(bytes == Array(repeating: 0, count: 32))
    #expect(locked.count == 32 && locked.withUnsafeBytes { Array($0) } == Array(1...32))
  }

  @Test func takesNothing() throws {
    var bytes: [UInt8] = []
    #expect(try LockedBytes(taking: &bytes).withUnsafeBytes { $0.isEmpty })
  }
}
