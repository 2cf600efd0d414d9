import Cryptography
import Testing

@Suite struct DigestTests {
  @Test func takesOverExactly32Bytes() throws {
    let value = [UInt8](0..<32)
    let digest = try #require(Digest(bytes: value))
    #expect(digest.bytes == value)
    #expect(digest.hex == "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f")
    #expect(digest.withUnsafeBytes { Array($0) } == value)
    #expect(value.withUnsafeBytes { Digest(bytes: $0)?.bytes } == value)
  }

  @Test(arguments: [0, 31, 33]) func refusesAnotherLength(_ count: Int) {
    #expect(Digest(bytes: [UInt8](repeating: 1, count: count)) == nil)
  }

  @Test func comparesEveryByte() throws {
    let value = [UInt8](0..<32)
    let digest = try #require(Digest(bytes: value))
    #expect(constantTimeEqual(digest, try #require(Digest(bytes: value))))
    for index in value.indices {
      var other = value
      other[index] ^= 0x80
      #expect(!constantTimeEqual(digest, try #require(Digest(bytes: other))))
    }
  }
}

// The examples of FIPS 180-4, https://csrc.nist.gov/projects/cryptographic-standards-and-guidelines
@Suite struct SHA256Tests {
  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
  ])
  func hashesAsTheStandardSays(_ message: String, _ expected: String) {
    #expect(SHA256.hash(ascii(message)).hex == expected)
  }

  @Test func hashesAMillionLetters() {
    #expect(
      SHA256.hash([UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000)).hex
        == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
  }

  @Test func hashesPartOfABuffer() {
    let hash = ascii("xabcx").withUnsafeBytes {
      SHA256.hash(UnsafeRawBufferPointer(rebasing: $0[1..<4]))
    }
    #expect(constantTimeEqual(hash, SHA256.hash(ascii("abc"))))
  }
}

@Suite struct ConstantTimeTests {
  @Test func comparesContentAndLength() {
    #expect(constantTimeEqual([1, 2, 3], [1, 2, 3]))
    #expect(!constantTimeEqual([1, 2, 3], [1, 2, 4]))
    #expect(!constantTimeEqual([1, 2, 3], [1, 2]))
    #expect(!constantTimeEqual([], [0]))
    #expect(constantTimeEqual([], []))
  }
}
