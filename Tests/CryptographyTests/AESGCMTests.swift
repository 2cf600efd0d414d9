import Cryptography
import Testing

@Suite struct AESGCMTests {
  struct Vector: Sendable {
    var key = String(repeating: "00", count: 32)
    var nonce = String(repeating: "00", count: 12)
    var plaintext = ""
    var associatedData = ""
    let ciphertext: String
    let tag: String
  }

  /// Test cases 13, 14 and 16 of the specification that was submitted to NIST.
  static let vectors = [
    Vector(ciphertext: "", tag: "530f8afbc74536b9a963b4f1c4cb738b"),
    Vector(
      plaintext: String(repeating: "00", count: 16), ciphertext: "cea7403d4d606b6e074ec5d3baf39d18",
      tag: "d0d1c8a799996bf0265b98b5d48ab919"),
    Vector(
      key: "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308",
      nonce: "cafebabefacedbaddecaf888",
      plaintext: "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
        + "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39",
      associatedData: "feedfacedeadbeeffeedfacedeadbeefabaddad2",
      ciphertext: "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
        + "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662",
      tag: "76fc6ece0f4e1768cddf8853bb2d551b"),
  ]

  @Test(arguments: vectors) func sealsAndOpensAsSpecified(_ vector: Vector) throws {
    let key = try bytes(vector.key)
    let associatedData = try bytes(vector.associatedData)
    let sealed = try AESGCM.seal(
      bytes(vector.plaintext), key: key, nonce: bytes(vector.nonce), associatedData: associatedData)
    #expect(Hex.encode(sealed) == vector.nonce + vector.ciphertext + vector.tag)
    let opened = try AESGCM.open(sealed, key: key, associatedData: associatedData)
    #expect(Hex.encode(opened) == vector.plaintext)
  }

  let key = [UInt8](0..<32)
  let nonce = [UInt8](0..<12)

  @Test func refusesAChangeOfAnyByte() throws {
    let sealed = try AESGCM.seal(
      ascii("a Web API Key"), key: key, nonce: nonce, associatedData: ascii("row 1"))
    for index in sealed.indices {
      var changed = sealed
      changed[index] ^= 1
      #expect(throws: CryptographyError.authenticationFailed) {
        try AESGCM.open(changed, key: key, associatedData: ascii("row 1"))
      }
    }
  }

  @Test func refusesWhatWasCutShortOrMadeLonger() throws {
    let sealed = try AESGCM.seal([1, 2, 3], key: key, nonce: nonce, associatedData: [])
    for count in 0..<sealed.count {
      #expect(throws: CryptographyError.authenticationFailed) {
        try AESGCM.open(Array(sealed.prefix(count)), key: key, associatedData: [])
      }
    }
    #expect(throws: CryptographyError.authenticationFailed) {
      try AESGCM.open(sealed + [0], key: key, associatedData: [])
    }
  }

  @Test func refusesOtherAssociatedDataAndOtherKeys() throws {
    let sealed = try AESGCM.seal([1, 2, 3], key: key, nonce: nonce, associatedData: ascii("row 1"))
    for other in ["row 2", "row 10", ""] {
      #expect(throws: CryptographyError.authenticationFailed) {
        try AESGCM.open(sealed, key: key, associatedData: ascii(other))
      }
    }
    #expect(throws: CryptographyError.authenticationFailed) {
      try AESGCM.open(sealed, key: key.reversed(), associatedData: ascii("row 1"))
    }
  }

  @Test func refusesKeysAndNoncesOfAnotherLength() {
    #expect(throws: CryptographyError.invalidKeyLength(16)) {
      try AESGCM.seal([], key: Array(key.prefix(16)), nonce: nonce, associatedData: [])
    }
    #expect(throws: CryptographyError.invalidNonceLength(16)) {
      try AESGCM.seal([], key: key, nonce: Array(key.prefix(16)), associatedData: [])
    }
    #expect(throws: CryptographyError.invalidKeyLength(0)) {
      try AESGCM.open([UInt8](repeating: 0, count: 28), key: [], associatedData: [])
    }
  }
}
