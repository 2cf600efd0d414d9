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

  /// Published cases; each was computed again with OpenSSL by way of Python.
  ///
  /// Test cases 13 to 16 of the specification that was submitted to NIST (McGrew and Viega, appendix
  /// B), then the first of NIST's gcmEncryptExtIV256.rsp (CAVP, for SP 800-38D) with no text, with
  /// text, with associated data and with both.
  static let vectors = [
    Vector(ciphertext: "", tag: "530f8afbc74536b9a963b4f1c4cb738b"),
    Vector(
      plaintext: String(repeating: "00", count: 16), ciphertext: "cea7403d4d606b6e074ec5d3baf39d18",
      tag: "d0d1c8a799996bf0265b98b5d48ab919"),
    Vector(
      key: "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308",
      nonce: "cafebabefacedbaddecaf888",
      plaintext: "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
        + "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255",
      ciphertext: "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
        + "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662898015ad",
      tag: "b094dac5d93471bdec1a502270e3cc6c"),
    Vector(
      key: "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308",
      nonce: "cafebabefacedbaddecaf888",
      plaintext: "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
        + "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39",
      associatedData: "feedfacedeadbeeffeedfacedeadbeefabaddad2",
      ciphertext: "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
        + "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662",
      tag: "76fc6ece0f4e1768cddf8853bb2d551b"),
    Vector(
      key: "b52c505a37d78eda5dd34f20c22540ea1b58963cf8e5bf8ffa85f9f2492505b4",
      nonce: "516c33929df5a3284ff463d7", ciphertext: "", tag: "bdc1ac884d332457a1d2664f168c76f0"),
    Vector(
      key: "31bdadd96698c204aa9ce1448ea94ae1fb4a9a0b3c9d773b51bb1822666b8f22",
      nonce: "0d18e06c7c725ac9e362e1ce", plaintext: "2db5168e932556f8089a0622981d017d",
      ciphertext: "fa4362189661d163fcd6a56d8bf0405a", tag: "d636ac1bbedd5cc3ee727dc2ab4a9489"),
    Vector(
      key: "78dc4e0aaf52d935c3c01eea57428f00ca1fd475f5da86a49c8dd73d68c8e223",
      nonce: "d79cf22d504cc793c3fb6c8a", associatedData: "b96baa8c1c75a671bfb2d08d06be5f36",
      ciphertext: "", tag: "3e5d486aa2e30b22e040b85723a06e76"),
    Vector(
      key: "92e11dcdaa866f5ce790fd24501f92509aacf4cb8b1339d50c9c1240935dd08b",
      nonce: "ac93a1a6145299bde902f21a", plaintext: "2d71bcfa914e4ac045b2aa60955fad24",
      associatedData: "1e0889016f67601c8ebea4943bc23ad6",
      ciphertext: "8995ae2e6df3dbf96fac7b7137bae67f", tag: "eca5aa77d51d4a0a14d9c51e1da474ab"),
  ]

  /// The first two of NIST's gcmDecrypt256.rsp, both without text; the second one is to fail.
  @Test func opensAndRefusesAsNISTSays() throws {
    let good = try bytes("58d2240f580a31c1d24948e9" + "15e051a5e4a5f5da6cea92e2ebee5bac")
    let key = try bytes("f5a2b27c74355872eb3ef6c5feafaa740e6ae990d9d48c3bd9bb8235e589f010")
    #expect(try AESGCM.open(good, key: locked(key), associatedData: []).isEmpty)
    let bad = try bytes("51e43385bf533e168427e1ad" + "38fe845c66e66bdd884c2aecafd280e6")
    let other = try bytes("e5a8123f2e2e007d4e379ba114a2fb66e6613f57c72d4e4f024964053028a831")
    #expect(throws: CryptographyError.authenticationFailed) {
      try AESGCM.open(bad, key: locked(other), associatedData: [])
    }
  }

  @Test(arguments: vectors) func sealsAndOpensAsSpecified(_ vector: Vector) throws {
    let key = try bytes(vector.key)
    let associatedData = try bytes(vector.associatedData)
    let sealed = try AESGCM.seal(
      bytes(vector.plaintext), key: locked(key), nonce: bytes(vector.nonce),
      associatedData: associatedData)
    #expect(Hex.encode(sealed) == vector.nonce + vector.ciphertext + vector.tag)
    let opened = try AESGCM.open(sealed, key: locked(key), associatedData: associatedData)
    #expect(Hex.encode(opened) == vector.plaintext)
  }

  let key = [UInt8](0..<32)
  let nonce = [UInt8](0..<12)

  @Test func refusesAChangeOfAnyByte() throws {
    let sealed = try AESGCM.seal(
      ascii("a Web API Key"), key: locked(key), nonce: nonce, associatedData: ascii("row 1"))
    for index in sealed.indices {
      var changed = sealed
      changed[index] ^= 1
      #expect(throws: CryptographyError.authenticationFailed) {
        try AESGCM.open(changed, key: locked(key), associatedData: ascii("row 1"))
      }
    }
  }

  @Test func refusesWhatWasCutShortOrMadeLonger() throws {
    let sealed = try AESGCM.seal([1, 2, 3], key: locked(key), nonce: nonce, associatedData: [])
    for count in 0..<sealed.count {
      #expect(throws: CryptographyError.authenticationFailed) {
        try AESGCM.open(Array(sealed.prefix(count)), key: locked(key), associatedData: [])
      }
    }
    #expect(throws: CryptographyError.authenticationFailed) {
      try AESGCM.open(sealed + [0], key: locked(key), associatedData: [])
    }
  }

  @Test func refusesOtherAssociatedDataAndOtherKeys() throws {
    let sealed = try AESGCM.seal(
      [1, 2, 3], key: locked(key), nonce: nonce, associatedData: ascii("row 1"))
    for other in ["row 2", "row 10", ""] {
      #expect(throws: CryptographyError.authenticationFailed) {
        try AESGCM.open(sealed, key: locked(key), associatedData: ascii(other))
      }
    }
    #expect(throws: CryptographyError.authenticationFailed) {
      try AESGCM.open(sealed, key: locked(key.reversed()), associatedData: ascii("row 1"))
    }
  }

  @Test func refusesKeysAndNoncesOfAnotherLength() {
    #expect(throws: CryptographyError.invalidKeyLength(16)) {
      try AESGCM.seal([], key: locked(Array(key.prefix(16))), nonce: nonce, associatedData: [])
    }
    #expect(throws: CryptographyError.invalidNonceLength(16)) {
      try AESGCM.seal([], key: locked(key), nonce: Array(key.prefix(16)), associatedData: [])
    }
    #expect(throws: CryptographyError.invalidKeyLength(0)) {
      try AESGCM.open([UInt8](repeating: 0, count: 28), key: locked([]), associatedData: [])
    }
  }
}
