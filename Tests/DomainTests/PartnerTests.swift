import Cryptography
import Domain
import DomainFixtures
import JSON
import Testing

@Suite("API keys") struct APIKeyTests {
  @Test("well-formed keys of the vectors are taken, with their id and digest")
  func wellFormed() throws {
    for vector in try Vectors.load("api_keys").list("well_formed") {
      let key = try #require(APIKeySecret(try vector.text("key")))
      #expect(key.keyID.description == (try vector.text("key_id")))
      #expect(Hex.encode(key.digest) == (try vector.text("sha256_hex")))
      #expect("\(key)" == (try vector.text("key_id")), "a key prints as its public id")
    }
  }

  @Test("malformed keys of the vectors are refused")
  func malformed() throws {
    let keys = try Vectors.load("api_keys").list("malformed")
    #expect(keys.count == 8)
    for key in keys { #expect(APIKeySecret(try #require(key.stringValue)) == nil) }
  }

  @Test("a new key is well formed, and its secret is the generator's 256 bits")
  func making() throws {
    var generator = SecureRandom()
    let keys = (0..<100).map { _ in APIKeySecret(using: &generator) }
    for key in keys { #expect(APIKeySecret(key.secret)?.keyID == key.keyID) }
    #expect(Set(keys.map(\.secret)).count == 100)
  }

  @Test("every mistyped character and every cut is found out")
  func checksum() throws {
    let key = Array("llk_abcDEF012345_003aUlTJC7tjlCTQj2uNU3MFagCXG9LRKRcwGkBIDlf1CWOy9".utf8)
    for index in key.indices {
      var changed = key
      changed[index] = key[index] == UInt8(ascii: "a") ? UInt8(ascii: "b") : UInt8(ascii: "a")
      #expect(APIKeySecret(String(decoding: changed, as: UTF8.self)) == nil)
      #expect(APIKeySecret(String(decoding: key[..<index], as: UTF8.self)) == nil)
    }
  }

  @Test("scopes and projects that fit together")
  func objections() {
    #expect(APIKey.objection(to: [.launch], isBound: true) == nil)
    #expect(APIKey.objection(to: [.launch], isBound: false) != nil)
    #expect(APIKey.objection(to: [.verify, .catalog], isBound: false) == nil)
    #expect(APIKey.objection(to: [.verify], isBound: true) == nil)
    #expect(APIKey.objection(to: [.support], isBound: true) != nil)
    #expect(APIKey.objection(to: [], isBound: true) != nil)
  }
}

@Suite("Identifiers and times") struct IdentifierTests {
  @Test("a project id is 24 lower-case hexadecimal digits")
  func projectIDs() {
    #expect(ProjectID("67b6f2a9688f4a05db0a1d45") != nil)
    for text in [
      "", "67B6f2a9688f4a05db0a1d45", "67b6f2a9688f4a05db0a1d4", "67b6f2a9688f4a05db0a1d4g",
    ] {
      #expect(ProjectID(text) == nil)
    }
  }

  @Test("a retired key verifies for the longest lifetime it signed, a revoked or pending one never")
  func signingKeys() throws {
    let id = try #require(SigningKeyID("sk_000000000001"))
    let key: (SigningKey.State) -> SigningKey = { state in
      SigningKey(
        id: id, state: state, createdAt: issueTime, activatedAt: issueTime, retiredAt: issueTime,
        longestTTL: 900)
    }
    let unused = SigningKey(id: id, state: .retired, createdAt: issueTime, retiredAt: issueTime)
    #expect(!unused.verifies(at: issueTime), "what never signed does not begin to verify")
    #expect(key(.active).verifies(at: issueTime.adding(seconds: 99_999)))
    #expect(key(.retired).verifies(at: issueTime.adding(seconds: 899)))
    #expect(!key(.retired).verifies(at: issueTime.adding(seconds: 900)))
    #expect(!key(.revoked).verifies(at: issueTime) && !key(.pending).verifies(at: issueTime))
  }

  @Test(
    "times are written and read as RFC 3339",
    arguments: [
      (0, "1970-01-01T00:00:00Z"), (951_782_400, "2000-02-29T00:00:00Z"),
      (1_764_460_800, "2025-11-30T00:00:00Z"), (1_795_953_600, "2026-11-29T12:00:00Z"),
      (4_107_542_399, "2100-02-28T23:59:59Z"), (253_402_300_799, "9999-12-31T23:59:59Z"),
    ])
  func times(seconds: Int64, text: String) {
    #expect(Timestamp(seconds: seconds).description == text)
    #expect(Timestamp(rfc3339: text) == Timestamp(seconds: seconds))
  }

  @Test("offsets and fractions are read, nonsense is refused")
  func reading() {
    #expect(
      Timestamp(rfc3339: "2026-11-29T21:00:00.250+09:00")?.milliseconds == 1_795_953_600_250)
    for text in [
      "", "2026-11-29", "2026-02-29T00:00:00Z", "2026-11-29T24:00:00Z", "2026-11-29T12:00:60Z",
      "2026-11-29T12:00:00", "2026-11-29T12:00:00.Z", "2026-11-29 12:00:00Z",
      "2026-13-01T00:00:00Z",
      "2026-11-29T12:00:00Zx", "1969-12-31T23:59:59Z", "2026-11-29T12:00:00+24:00",
    ] {
      #expect(Timestamp(rfc3339: text) == nil, "\(text)")
    }
  }

  @Test("suggestions are the nearest, and nothing far away")
  func suggestions() {
    let known = ["11st", "coupang", "coupon", "gmarket"]
    #expect(nearest(to: "coupnag", in: known) == ["coupang"])
    #expect(nearest(to: "coup", in: known).first == "coupon")
    #expect(nearest(to: "zzzzzz", in: known).isEmpty)
    #expect(nearest(to: "", in: known).isEmpty)
  }
}
