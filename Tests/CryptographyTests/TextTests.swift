import Cryptography
import Testing

@Suite struct Base64Tests {
  /// RFC 4648 section 10, and both characters that base64url replaces.
  static let vectors = [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
    ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"), ("~~~???", "fn5+Pz8/"),
  ]

  @Test(arguments: vectors) func encodesAndDecodes(_ plain: String, _ text: String) {
    #expect(Base64.encode(ascii(plain)) == text)
    #expect(Base64.decode(text) == ascii(plain))
    #expect(Base64.decode(ascii(text)) == ascii(plain))
    var output = ascii("launch=:")
    Base64.encode(ascii(plain), into: &output)
    #expect(output == ascii("launch=:" + text))
  }

  @Test func encodesEveryByte() {
    let all = [UInt8](0...255)
    let decoded = Base64.decode(Base64.encode(all))
    #expect(decoded?.count == 256)
    #expect(decoded?.enumerated().first { $0.offset != $0.element }?.offset == nil)
  }

  @Test(arguments: [
    "Zg", "Zg=", "Zm8", "Zg===", "=", "==", "====", "Z===",  // padding
    "Zh==", "Zm9=", "Zv==",  // bits beyond the last byte
    " Zg==", "Zg== ", "Zg==\n", "Zm9v\n", "\nZm9", "Zm 9", "Zm9vYg==\n\n\n\n", "    Zm9v",
    "Zm9v====", "Zg==Zm9v", "Z=g=",  // something after the end
    "fn5-Pz8_", "Zm9*", "Zm9\0", "Zm9é", "Zm9v-g==",  // another alphabet
  ])
  func refuses(_ text: String) {
    #expect(Base64.decode(text) == nil)
  }
}

@Suite struct HexTests {
  @Test func encodesAndDecodesEveryByte() {
    let all = [UInt8](0...255)
    let text = Hex.encode(all)
    #expect(text.hasPrefix("000102") && text.hasSuffix("fdfeff") && text.utf8.count == 512)
    let decoded = Hex.decode(text)
    #expect(decoded?.count == 256)
    #expect(decoded?.enumerated().first { $0.offset != $0.element }?.offset == nil)
    #expect(Hex.encode([UInt8]()) == "" && Hex.decode("") == [])
  }

  @Test(arguments: ["0", "000", "0G", "FF", "aB", " 00", "0x00", "é", "0/", "0:", "0`"])
  func refuses(_ text: String) {
    #expect(Hex.decode(text) == nil)
  }
}

@Suite struct RandomnessTests {
  /// Gives 1, 2, 3 and so on.
  struct Counter: RandomNumberGenerator {
    var value: UInt64 = 0
    mutating func next() -> UInt64 {
      value += 1
      return value
    }
  }

  @Test func drawsFromTheGeneratorInOrder() {
    var generator = Counter()
    #expect(randomBytes(10, using: &generator) == [1, 0, 0, 0, 0, 0, 0, 0, 2, 0])
    #expect(randomBytes(0, using: &generator).isEmpty)
    #expect(generator.value == 2)
  }

  @Test func neverRepeatsWithTheSystemsGenerator() {
    var generator = SecureRandom()
    let drawn = (0..<100).map { _ in randomBytes(16, using: &generator) }
    #expect(Set(drawn).count == 100)
  }
}
