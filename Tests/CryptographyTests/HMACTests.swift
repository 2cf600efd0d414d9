import Cryptography
import Testing

@Suite struct HMACTests {
  struct Vector: Sendable {
    let key: [UInt8]
    let message: [UInt8]
    let code: String
  }

  /// RFC 4231 section 4; its case 5 is about truncation, which is refused here.
  static let vectors = [
    Vector(
      key: [UInt8](repeating: 0x0B, count: 20), message: ascii("Hi There"),
      code: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
    Vector(
      key: ascii("Jefe"), message: ascii("what do ya want for nothing?"),
      code: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
    Vector(
      key: [UInt8](repeating: 0xAA, count: 20), message: [UInt8](repeating: 0xDD, count: 50),
      code: "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
    Vector(
      key: [UInt8](1...25), message: [UInt8](repeating: 0xCD, count: 50),
      code: "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"),
    Vector(
      key: [UInt8](repeating: 0xAA, count: 131),
      message: ascii("Test Using Larger Than Block-Size Key - Hash Key First"),
      code: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"),
    Vector(
      key: [UInt8](repeating: 0xAA, count: 131),
      message: ascii(
        "This is a test using a larger than block-size key and a larger than block-size data. "
          + "The key needs to be hashed before being used by the HMAC algorithm."),
      code: "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"),
  ]

  @Test(arguments: vectors) func authenticatesAsRFC4231Says(_ vector: Vector) throws {
    let key = HMACKey(vector.key)
    #expect(key.authenticate(vector.message).hex == vector.code)
    #expect(key.isValid(try bytes(vector.code), for: vector.message))
    // The key is used again and again.
    #expect(key.authenticate(vector.message).hex == vector.code)
  }

  /// RFC 4231 section 4.6: its code is the first 128 bits of ours, which is not enough for us.
  @Test func refusesTheTruncationOfRFC4231() throws {
    let key = HMACKey([UInt8](repeating: 0x0C, count: 20))
    let message = ascii("Test With Truncation")
    let truncated = "a3b6167473100ee06e0c796c2955552b"
    #expect(key.authenticate(message).hex.hasPrefix(truncated))
    #expect(!key.isValid(try bytes(truncated), for: message))
  }

  @Test func authenticatesTheExampleOfRFC9421() throws {
    // Appendix B.2.5.
    let secret = try #require(
      Base64.decode(
        "uzvJfB4u3N0Jy4T7NZ75MDVcr8zSTInedJtkgcu46YW4XByzNJjxBdtjUkdJPBtbmHhIDi6pcl8jsasjlTMtDQ=="))
    let base = """
      "date": Tue, 20 Apr 2021 02:07:55 GMT
      "@authority": example.com
      "content-type": application/json
      "@signature-params": ("date" "@authority" "content-type");created=1618884473;\
      keyid="test-shared-secret"
      """
    let code = HMACKey(secret).authenticate(ascii(base))
    #expect(Base64.encode(code.bytes) == "pxcQw6G3AjtMBQjwo8XzkZf/bws5LelbaMk5rGIGtE8=")
  }

  @Test func refusesEveryOtherCode() {
    let key = HMACKey(ascii("secret"))
    let message = ascii("message")
    let code = key.authenticate(message)
    #expect(key.isValid(code, for: message))
    #expect(!key.isValid(code, for: ascii("massage")))
    #expect(!HMACKey(ascii("Secret")).isValid(code, for: message))
    for index in 0..<Digest.byteCount {
      var changed = code.bytes
      changed[index] ^= 1
      #expect(!key.isValid(changed, for: message))
    }
    #expect(!key.isValid(Array(code.bytes.dropLast()), for: message))
    #expect(!key.isValid(code.bytes + [0], for: message))
    #expect(!key.isValid([UInt8](), for: message))
  }
}

@Suite struct HKDFTests {
  @Test func derivesAsRFC5869Says() throws {
    // Appendix A.3: no salt, no info. A.1 and A.2 have a salt, for which there is no use here, and A.4
    // and on are of SHA-1.
    let key = HKDF.sha256([UInt8](repeating: 0x0B, count: 22), info: [], length: 42)
    #expect(
      Hex.encode(key)
        == "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8")
  }

  @Test(arguments: [
    (
      "67b6f2a9688f4a05db0a1d45",
      "4ea09385045071734262db9d9183af786c20076f943c152704e9a859a170c820"
    ),
    (
      "6540c6dfd94458b60d8e7aca",
      "874c43a87fae2751cc77023a741486a2e372b17b581998e7eaa799f8454b57f3"
    ),
  ])
  func derivesAsAnIndependentImplementationDoes(_ project: String, _ expected: String) {
    let info = ascii("launchlink/launch-signature/v1/" + project)
    #expect(Hex.encode(HKDF.sha256([UInt8](0..<32), info: info)) == expected)
  }

  @Test(arguments: [1, 31, 32, 33, 64, 8_160]) func givesAsManyBytesAsAskedFor(_ length: Int) {
    let key = HKDF.sha256([1], info: [2], length: length)
    #expect(key.count == length)
    // A shorter key is the start of a longer one (RFC 5869 section 2.3).
    let longest = HKDF.sha256([1], info: [2], length: 8_160)
    #expect(zip(key, longest).prefix { $0 == $1 }.count == length)
  }
}
