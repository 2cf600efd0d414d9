import Cryptography
import Domain
import DomainFixtures
import JSON
import Testing

/// Hands out one number after another, so that a launch id can be foreseen.
private struct FixedGenerator: RandomNumberGenerator {
  var numbers: [UInt64]
  mutating func next() -> UInt64 { numbers.removeFirst() }
}

@Suite("Signing") struct LaunchSignatureTests {
  @Test("each project's derived key is that of the vectors")
  func derivedKeys() throws {
    for vector in try Vectors.load("launch_signatures").list("launches") {
      let secret = try #require(Hex.decode(vector.text("signing_key_hex")))
      let id = try #require(ProjectID(try vector.text("project_id")))
      #expect(
        Hex.encode(SigningKey.derivedKey(from: secret, for: id))
          == (try vector.text("derived_key_hex")))
    }
  }

  @Test("a launch of the vectors is signed to the letter")
  func signatures() throws {
    let launches = try Vectors.load("launch_signatures").list("launches")
    #expect(launches.count == 3)
    for vector in launches {
      let headers = try #require(vector["headers"]?.objectValue)
      let input = try #require(vector["headers"]?["signature-input"]?.stringValue)
      let nonce = try #require(input.firstMatch(of: /nonce="([^"]+)"/)?.1)
      let expiry = try #require(input.firstMatch(of: /expires=(\d+)/)?.1)
      let expires = try #require(Int64(expiry))
      let digits = nonce.filter { $0 != "-" }
      let time = try #require(Int64(digits.prefix(12), radix: 16))
      var generator = FixedGenerator(numbers: [
        try #require(UInt64(digits.prefix(16), radix: 16)),
        try #require(UInt64(digits.suffix(16), radix: 16)),
      ])
      var request = LaunchRequest()
      request.userID = try #require(vector["headers"]?["x-moment-user-id"]?.stringValue)
      request.platform = try #require(vector["headers"]?["x-moment-platform"]?.stringValue)
      request.redirectTo =
        try vector.text("url").contains("business_id")
        ? "/cashback/detail?business_id=11st"
        : try vector.text("url").contains("category") ? "/cashback?category=뷰티" : nil
      request.ttlSeconds = expires - issueTime.seconds
      let id = try vector.text("project_id")
      let launch = try LaunchIssuer(site: makeSite()).issue(
        request,
        with: LaunchCredentials(
          project: makeProject(id),
          webAPIKey: try #require(vector["headers"]?["x-moment-web-api-key"]?.stringValue),
          signer: makeSigner(id)),
        directory: FixedDirectory(),
        at: Timestamp(milliseconds: time), using: &generator)
      #expect(launch.id.description == String(nonce))
      #expect(launch.issuedAt == issueTime)
      #expect(launch.url == (try vector.text("url")))
      #expect(launch.headers.map(\.name) == headers.map(\.name))
      #expect(launch.headers.map(\.value) == headers.map { $0.value.stringValue ?? "" })
    }
  }

  @Test("launch ids are UUIDv7 and their time never goes backwards, also over threads")
  func launchIDs() async throws {
    let source = LaunchIDSource()
    var generator = SecureRandom()
    let late = source.next(at: Timestamp(milliseconds: 2000), using: &generator)
    let early = source.next(at: Timestamp(milliseconds: 1000), using: &generator)
    #expect(late.milliseconds == 2000 && early.milliseconds == 2000)
    #expect(LaunchID(late.description) == late && late != early)

    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          var generator = SecureRandom()
          var last: Int64 = 0
          for step in 0..<2000 {
            let time = Timestamp(milliseconds: Int64(3000 + (step * 7919) % 100))
            let id = source.next(at: time, using: &generator)
            #expect(id.milliseconds >= max(last, time.milliseconds))
            last = id.milliseconds
          }
        }
      }
    }
  }

  @Test(
    "what is no UUIDv7 is no launch id",
    arguments: [
      "", "019ad20f-2be7-7fff-bfff-fffffffffff", "019ad20f-2be7-4fff-bfff-ffffffffffff",
      "019ad20f-2be7-7fff-cfff-ffffffffffff", "019ad20f_2be7-7fff-bfff-ffffffffffff",
      "019ad20f-2be7-7fff-bfff-fffffffffffg", "{019ad20f-2be7-7fff-bfff-ffffffffff}",
    ])
  func noLaunchIDs(text: String) {
    #expect(LaunchID(text) == nil)
  }
}
