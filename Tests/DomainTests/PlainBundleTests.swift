import Cryptography
import DomainFixtures
import JSON
import Testing

@testable import Domain

/// One project and its signing key.
private struct Keys: VerificationDirectory {
  var project: Project
  var logOut: Timestamp?
  var used: LaunchID?

  func credentials(
    keyID: SigningKeyID, projectID: ProjectID?, at now: Timestamp
  ) throws -> BundleCredentials {
    let signer = try makeSigner()
    guard keyID == signer.keyID else { return .unknownKey }
    guard projectID == project.id else { return .unknownProject }
    return .known(VerificationCredentials(project: project, signer: signer, webAPIKey: nil))
  }

  func isLoggedOut(_ userID: String, of projectID: ProjectID, since launch: Timestamp) -> Bool {
    logOut.map { launch <= $0 } ?? false
  }

  func isUsed(_ id: LaunchID) -> Bool { id == used }
}

/// Random numbers that are the same in every run.
private struct Dice: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return (state ^ state >> 33) &* 0xFF51_AFD7_ED55_8CCD
  }
}

/// A request that is changed in places, and judged in both ways.
private struct Sent {
  var method = "GET"
  var url: String
  var headers: [(name: String, value: String)]

  init(_ launch: Launch) {
    url = launch.url
    headers = launch.headers
  }

  /// Signs what the general way reads of it, as a holder of an exported key could.
  mutating func signAnew() throws {
    guard let request = SignedRequest(method: method, url: url, headers: headers) else { return }
    let base: [UInt8]
    do throws(Refusal) {
      base = try ReceivedSignature(of: request).base(of: request)
    } catch {
      return
    }
    var writer = ByteWriter(capacity: base.count)
    writer.append(base)
    let code = try makeSigner().code(of: writer)
    let value = "launch=:\(Base64.encode(code.bytes)):"
    for index in headers.indices where headers[index].name == "signature" {
      headers[index].value = value
    }
  }

  /// The general verdict and the plain one, which is nil where the general one has to be asked.
  func verdicts(
    _ keys: Keys, use: UseCheck, at now: Timestamp, _ verifier: BundleVerifier
  ) throws -> (general: String, plain: String?) {
    let plain = try plainVerdict(
      method: method, url: url, headers: headers, by: verifier, use: use, directory: keys, at: now)
    let general = try SignedRequest(method: method, url: url, headers: headers).map {
      try verifier.verify($0, use: use, directory: keys, at: now)
    }
    return (general.map(described) ?? "no request", plain.map(described))
  }

  /// The plain verdict where the values of some headers stand as in JSON.
  func verdict(escaped: Set<String>) throws -> String? {
    try plainVerdict(
      method: method, url: url, headers: headers, escaped: escaped,
      by: BundleVerifier(site: makeSite()), directory: Keys(project: makeProject()), at: issueTime
    ).map(described)
  }

  /// Changes a place: a byte or some, a header, its name, or its number.
  mutating func mutate(_ generator: inout some RandomNumberGenerator) {
    let place = Int.random(in: 0..<headers.count, using: &generator)
    switch Int.random(in: 0..<12, using: &generator) {
    case 0: headers.append(headers[place])
    case 1: headers.remove(at: place)
    case 2: headers.swapAt(place, Int.random(in: 0..<headers.count, using: &generator))
    case 3: headers[place].name = headers[place].name.uppercased()
    case 4: headers.insert((headers[place].name, ""), at: 0)
    case 5: edit(&method, &generator)
    case 6, 7: edit(&url, &generator)
    case 8: edit(&headers[place].name, &generator)
    default: edit(&headers[place].value, &generator)
    }
    if headers.isEmpty { headers = [("signature", "launch=:AAAA:")] }
  }

  private func edit(_ text: inout String, _ generator: inout some RandomNumberGenerator) {
    let pieces = [
      "", " ", "\t", ",", ", ", ";", "=", "\"", "\\", "\\\"", "#", "?", "/", ":", ":443", ":80",
      "@",
      "%2F", "%2f", "%", "0", "00", "1", "9", "a", "F", "A", "\u{7F}", "é", "\u{212A}", "\u{0}",
      ";a", ";sf", "(", ")", "sk_000000000001", "launch=", "IOS", "ANDROID", "x", "한",
    ]
    var bytes = Array(text.utf8)
    let start = Int.random(in: 0...bytes.count, using: &generator)
    let end = min(bytes.count, start + Int.random(in: 0...3, using: &generator))
    bytes.replaceSubrange(
      start..<end, with: Array((pieces.randomElement(using: &generator) ?? "").utf8))
    text = String(decoding: bytes, as: UTF8.self)
  }
}

@Suite("A bundle in bytes") struct PlainBundleTests {
  @Test("what LaunchLink writes is judged by its bytes, whatever the verdict")
  func plain() throws {
    for path in [nil, "/cs", "/cashback/detail?business_id=11st"] {
      for platform in ["IOS", "ANDROID"] {
        for delivery in [KeyDelivery.direct, .gateway] {
          let launch = try issue(delivery: delivery) {
            $0.redirectTo = path
            $0.platform = platform
          }
          var keys = Keys(project: try makeProject())
          try expectSame(launch, keys, "019")
          try expectSame(launch, keys, at: issueTime.adding(seconds: 300), "expired")
          try expectSame(launch, keys, at: issueTime.adding(seconds: -31), "not_yet_valid")
          keys.used = launch.id
          try expectSame(launch, keys, "019")
          keys.project.replayPolicy = .once
          try expectSame(launch, keys, "replayed")
          try expectSame(launch, keys, use: .leftToUse, "019")
          keys.logOut = issueTime.adding(seconds: 1)
          try expectSame(launch, keys, "revoked")
          keys.project.disabledAt = issueTime
          try expectSame(launch, keys, "project_disabled")
          keys.project.upstream = "canary"
          try expectSame(launch, keys, "authority_mismatch")
        }
      }
    }
  }

  private func expectSame(
    _ launch: Launch, _ keys: Keys, use: UseCheck = .lookedUp, at now: Timestamp = issueTime,
    _ start: String
  ) throws {
    let (general, plain) = try Sent(launch).verdicts(
      keys, use: use, at: now, BundleVerifier(site: makeSite()))
    #expect(general.hasPrefix(start) && plain == general)
  }

  @Test("whatever is changed, signed anew or not, bytes and text are judged alike")
  func alike() throws {
    var generator = Dice(state: 35)
    let keys = Keys(project: try makeProject())
    let now = issueTime.adding(seconds: 1)
    let launches = try [nil, "/cs", "/cashback/detail?business_id=11st"].map { path in
      try issue { $0.redirectTo = path }
    }
    let verifier = BundleVerifier(site: try makeSite())
    var counts = (plain: 0, general: 0)
    for round in 0..<2_000 {
      var sent = Sent(launches[round % launches.count])
      for _ in 0...Int.random(in: 0..<3, using: &generator) { sent.mutate(&generator) }
      if Bool.random(using: &generator) { try sent.signAnew() }
      let (general, plain) = try sent.verdicts(keys, use: .lookedUp, at: now, verifier)
      if let plain {
        #expect(plain == general, "\(sent)")
        counts.plain += 1
      } else if general.hasPrefix("019") {
        counts.general += 1
      }
    }
    #expect(counts.plain > 200 && counts.general > 20, "\(counts)")
  }

  @Test("a header's name is taken in any case, and for no other")
  func names() throws {
    let sent = Sent(try issue { $0.redirectTo = "/cs" })
    for index in sent.headers.indices {
      let name = Array(sent.headers[index].name.utf8)
      for place in name.indices {
        for byte in [name[place], name[place] ^ 0x20, name[place] ^ 0x40, name[place] ^ 0x60] {
          var changed = sent
          var other = name
          other[place] = byte
          changed.headers[index].name = String(decoding: other, as: UTF8.self)
          let isSame = changed.headers[index].name.lowercased() == sent.headers[index].name
          #expect(try (changed.verdict(escaped: []) != nil) == isSame, "\(other)")
        }
      }
    }
  }

  @Test("a parameter in other letters or digits is not taken for the one that was signed")
  func parameters() throws {
    let launch = try issue { $0.redirectTo = "/cs" }
    let id = launch.id.description
    for (part, other) in [
      (id, id.uppercased()), ("created=", "created=0"), ("expires=", "expires=0"),
      (";created", "; created"), ("sk_", "SK_"), ("launch=(", "launch=( "),
    ] {
      var sent = Sent(launch)
      for index in sent.headers.indices where sent.headers[index].name == "signature-input" {
        sent.headers[index].value.replace(part, with: other)
      }
      #expect(try sent.verdict(escaped: []) == nil, "\(other)")
    }
  }

  @Test("what stands as in JSON is taken for nothing else")
  func escapes() throws {
    var sent = Sent(try issue { $0.userID = "a\\\"b" })
    #expect(try sent.verdict(escaped: []) != nil)
    for name in sent.headers.map(\.name) { #expect(try sent.verdict(escaped: [name]) == nil) }
    sent = Sent(try issue { $0.userID = "ab" })
    for index in sent.headers.indices {
      sent.headers[index].value.replace("\"", with: "\\\"")
    }
    #expect(try sent.verdict(escaped: []) == nil)
    #expect(try sent.verdict(escaped: ["signature-input"]) != nil)
  }
}
