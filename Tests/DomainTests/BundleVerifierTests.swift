import Cryptography
import Domain
import DomainFixtures
import JSON
import Testing

/// One signing key and one project.
private struct Keys: VerificationDirectory {
  var project: Project
  var verifies = true
  var logOut: Timestamp?
  var used: LaunchID?

  func credentials(
    keyID: SigningKeyID, projectID: ProjectID?, at now: Timestamp
  ) -> BundleCredentials {
    guard verifies, keyID.description == "sk_000000000001" else { return .unknownKey }
    guard let projectID, projectID == project.id else { return .unknownProject }
    return .known(
      VerificationCredentials(
        project: project,
        signer: LaunchSigner(keyID: keyID, secret: Array(0..<32), projectID: projectID),
        webAPIKey: "wk_0123456789abcdef"))
  }

  func isLoggedOut(_ userID: String, of projectID: ProjectID, since launch: Timestamp) -> Bool {
    userID == "USER-123" && logOut.map { launch <= $0 } ?? false
  }

  func isUsed(_ id: LaunchID) -> Bool { id == used }
}

/// A bundle that can be changed before it is verified.
private struct Bundle {
  var method = "GET"
  var url: String
  var headers: [(name: String, value: String)]

  init(_ launch: Launch) {
    url = launch.url
    headers = launch.headers
  }

  mutating func change(_ name: String, _ edit: (String) -> String) {
    for index in headers.indices where headers[index].name == name {
      headers[index].value = edit(headers[index].value)
    }
  }

  /// The code of the refusal, or `valid`.
  func verdict(_ keys: Keys? = nil, at now: Timestamp = issueTime) throws -> String {
    let request = try #require(SignedRequest(method: method, url: url, headers: headers))
    let directory = try keys ?? Keys(project: makeProject())
    let verifier = BundleVerifier(site: try makeSite())
    let verdict = try verifier.verify(request, directory: directory, at: now)
    let plain = try plainVerdict(
      method: method, url: url, headers: headers, by: verifier, directory: directory, at: now)
    if let plain { #expect(described(plain) == described(verdict)) }
    switch verdict {
    case .valid: return "valid"
    case .invalid(let code, _): return code.rawValue
    }
  }

  /// Signs anew over other components and parameters, as a holder of the exported key could.
  mutating func sign(components: [String], parameters: String, label: String = "launch") throws {
    let values = Dictionary(uniqueKeysWithValues: headers.map { ($0.name, $0.value) })
    let input = "(\(components.map { "\"\($0)\"" }.joined(separator: " ")))\(parameters)"
    var base = ""
    for name in components {
      let value =
        switch name {
        case "@method": method
        case "@authority": "cashback-ui.moment.fairytech.ai"
        case "@path": "/main"
        case "@query": "?redirect_to=%2Fcs"
        case "@scheme": "https"
        case "@target-uri": "https://cashback-ui.moment.fairytech.ai/main?redirect_to=%2Fcs"
        case "@request-target": "/main?redirect_to=%2Fcs"
        default: values[name] ?? ""
        }
      base += "\"\(name)\": \(value)\n"
    }
    base += "\"@signature-params\": \(input)"
    let key = SigningKey.derivedKey(from: Array(0..<32), for: try #require(ProjectID(projectID)))
    let code = HMACKey(key).authenticate(Array(base.utf8))
    change("signature-input") { _ in "\(label)=\(input)" }
    change("signature") { _ in "\(label)=:\(Base64.encode(code.bytes)):" }
  }
}

private let components = [
  "@method", "@authority", "@path", "@query", "x-moment-project-id", "x-moment-web-api-key",
  "x-moment-user-id", "x-moment-platform",
]
private let parameters =
  ";created=1764460800;expires=1764461100;nonce=\"019ad20f-2be7-7fff-bfff-ffffffffffff\""
  + ";alg=\"hmac-sha256\";keyid=\"sk_000000000001\";tag=\"moment-launch\""

@Suite("Verifying") struct BundleVerifierTests {
  private func bundle() throws -> Bundle { Bundle(try issue { $0.redirectTo = "/cs" }) }

  @Test("the vectors' bundles are accepted, with what they say")
  func vectors() throws {
    for vector in try Vectors.load("launch_signatures").list("launches") {
      let headers = try #require(vector["headers"]?.objectValue)
        .map { ($0.name, $0.value.stringValue ?? "") }
      let request = try #require(
        SignedRequest(method: "GET", url: try vector.text("url"), headers: headers))
      let directory = Keys(project: try makeProject(try vector.text("project_id")))
      let verdict = try BundleVerifier(site: makeSite()).verify(
        request, directory: directory, at: issueTime)
      guard case .valid(let launch) = verdict else {
        Issue.record("refused: \(verdict)")
        continue
      }
      #expect(launch.projectID.description == (try vector.text("project_id")))
      #expect(launch.userID == headers.first { $0.0 == "x-moment-user-id" }?.1)
      #expect(launch.issuedAt == issueTime)
    }
  }

  @Test("names match in any case, blanks around values and the default port do not count")
  func leniency() throws {
    var bundle = try bundle()
    bundle.headers = bundle.headers.map { ($0.name.uppercased(), " \t\($0.value) ") }
    bundle.headers.append(("Cookie", "a=b"))
    bundle.url.replace(
      "https://cashback-ui.moment.fairytech.ai/",
      with: "HTTPS://Cashback-UI.moment.fairytech.ai:443/")
    #expect(try bundle.verdict() == "valid")
  }

  @Test("a changed byte of any covered value is a mismatch")
  func tampering() throws {
    let good = try bundle()
    #expect(try good.verdict() == "valid")
    var changed = good
    changed.method = "POST"
    #expect(try changed.verdict() == "signature_mismatch")
    for (part, other) in [
      ("%2Fcs", "%2Fcs#x"), ("/main", "/main#"), ("%2Fcs", "%2fcs"), ("/main", "/mail"),
      ("fairytech", "fairytecj"),
    ] {
      changed = good
      changed.url.replace(part, with: other)
      #expect(try changed.verdict() == "signature_mismatch")
    }
    for name in ["project-id", "web-api-key", "user-id", "platform"] {
      changed = good
      changed.change("x-moment-\(name)") { "\($0.dropLast())0" }
      #expect(try changed.verdict() == "signature_mismatch", "\(name)")
    }
  }

  @Test("letters are folded as ASCII: the Kelvin sign is no k")
  func kelvin() throws {
    let good = try bundle()
    var changed = good
    changed.headers = good.headers.map { ($0.name.replacing("key", with: "\u{212A}ey"), $0.value) }
    #expect(try changed.verdict() == "missing_component")
    changed = good
    changed.url.replace("cashback-ui", with: "cashbac\u{212A}-ui")
    #expect(try changed.verdict() == "signature_mismatch")
    #expect(SignedRequest(method: "GET", url: "https:///main", headers: []) == nil)
  }

  @Test("16 signatures, 64 components and 64 parameters are read, one more is malformed")
  func limits() throws {
    let good = try bundle()
    /// The good bundle with so many members more in a field.
    func crowded(_ name: String, _ count: Int, _ member: String) -> Bundle {
      var changed = good
      changed.change(name) { value in
        (0..<count).map { "o\($0)=\(member)" }.reduce(value) { "\($1), \($0)" }
      }
      return changed
    }
    for (name, member) in [
      ("signature-input", "(\"@method\");tag=\"other\""), ("signature", ":YQ==:"),
    ] {
      #expect(try crowded(name, 15, member).verdict() == "valid")
      #expect(try crowded(name, 16, member).verdict() == "malformed_signature")
    }
    /// The good bundle, signed over so many components more, each with its header, and so many
    /// parameters more.
    func signed(components more: Int = 0, parameters: Int = 0) throws -> Bundle {
      var changed = good
      let names = (0..<more).map { "x-own-\($0)" }
      changed.headers += names.map { ($0, "") }
      try changed.sign(
        components: components + names,
        parameters: DomainTests.parameters + (0..<parameters).map { ";p\($0)" }.joined())
      return changed
    }
    #expect(try signed(components: 56, parameters: 58).verdict() == "valid")
    #expect(try signed(components: 57).verdict() == "malformed_signature")
    #expect(try signed(parameters: 59).verdict() == "malformed_signature")
    // What cannot be read comes before a wrong tag and missing components.
    var stranger = good
    stranger.change("signature-input") { _ in (0..<17).map { "o\($0)" }.joined(separator: ",") }
    #expect(try stranger.verdict() == "malformed_signature")
  }

  @Test("absent, doubled and broken parts have their codes")
  func parts() throws {
    let good = try bundle()
    for name in ["signature", "signature-input"] {
      var changed = good
      changed.headers.removeAll { $0.name == name }
      #expect(try changed.verdict() == "missing_signature")
      changed = good
      changed.change(name) { $0 + "," }
      #expect(try changed.verdict() == "malformed_signature")
    }
    for name in components.suffix(4) {
      var changed = good
      changed.headers.removeAll { $0.name == name }
      #expect(try changed.verdict() == "missing_component")
      changed = good
      changed.headers += good.headers.filter { $0.name == name }
      #expect(try changed.verdict() == "malformed_signature")
    }
    var twice = good
    twice.change("signature-input") { "\($0), b\($0.dropFirst(1))" }
    #expect(try twice.verdict() == "malformed_signature")
    var relabelled = good
    relabelled.change("signature") { $0.replacing("launch=", with: "other=") }
    #expect(try relabelled.verdict() == "signature_mismatch")
  }

  @Test(
    "changed parameters have their codes",
    arguments: [
      ("tag=\"moment-launch\"", "tag=\"moment-lunch\"", "wrong_tag"),
      (";tag=\"moment-launch\"", "", "wrong_tag"),
      ("hmac-sha256", "hmac-sha512", "missing_component"),
      (";alg=\"hmac-sha256\"", "", "missing_component"), (" \"@query\"", "", "missing_component"),
      ("\"@query\"", "\"@query\";req", "missing_component"),
      ("\"@query\"", "\"@query\" \"@query\"", "malformed_signature"),
      ("\"@query\"", "\"@query\" \"accept\"", "missing_component"),
      ("sk_000000000001", "sk_000000000002", "unknown_key"), ("sk_0", "sk-0", "unknown_key"),
      ("-7", "-4", "malformed_signature"),
      ("created=1764460800", "created=1764460801", "signature_mismatch"),
      ("created=1764460800", "created=1764460800000", "malformed_signature"),
      ("expires=1764461100", "expires=1764461100000", "malformed_signature"),
      ("created=1764460800", "created=\"1764460800\"", "malformed_signature"),
      ("created=1764460800", "created=1764460800.5", "malformed_signature"),
      (";expires=1764461100", "", "missing_component"),
      ("launch=(", "launch=((", "malformed_signature"),
      (";created", "; created", "signature_mismatch"),
      ("launch=(", "launch=1,launch=(", "malformed_signature"),
    ])
  func changedParameters(part: String, other: String, code: String) throws {
    var changed = try bundle()
    changed.change("signature-input") { $0.replacing(part, with: other, maxReplacements: 1) }
    #expect(try changed.verdict() == code)
  }

  @Test("base64 is canonical and padded")
  func base64() throws {
    for (edit, code) in [
      ({ $0.replacing("=:", with: ":") }, "malformed_signature"),
      ({ $0.replacing(":", with: " :") }, "malformed_signature"),
      ({ (_: String) in "launch=:AAAA:" }, "signature_mismatch"),
      ({ (_: String) in "launch=\"AAAA\"" }, "malformed_signature"),
      // Bits behind the last byte that are not 0 (RFC 4648 section 3.5), another alphabet, a parameter.
      ({ Self.withLooseBits($0) }, "malformed_signature"),
      ({ (_: String) in "launch=:AA-_:" }, "malformed_signature"),
      ({ $0 + ";a=1" }, "valid"), ({ " " + $0 + " " }, "valid"),
      ({ $0.replacing("launch", with: "Launch") }, "malformed_signature"),
      // A label twice: RFC 8941 takes the last one, and two programs might not.
      ({ $0 + ", " + $0 }, "malformed_signature"),
      ({ $0 + ", launch=:AAAA:" }, "malformed_signature"),
    ] as [((String) -> String, String)] {
      var changed = try bundle()
      changed.change("signature", edit)
      #expect(try changed.verdict() == code)
    }
  }

  /// The same bytes in base64 that is not canonical: 32 bytes leave two bits of the 43rd character.
  private static func withLooseBits(_ signature: String) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
    var characters = Array(signature)
    let last = characters.count - 3
    if let value = alphabet.firstIndex(of: characters[last]) {
      characters[last] = alphabet[value + 1]
    }
    return String(characters)
  }

  @Test("more components, more parameters, another order and another label are accepted")
  func wider() throws {
    var changed = try bundle()
    changed.headers.append(("accept", "*/*"))
    try changed.sign(
      components: components.reversed() + ["accept", "@scheme", "@target-uri", "@request-target"],
      parameters: ";tag=\"moment-launch\";x=?1;keyid=\"sk_000000000001\";alg=\"hmac-sha256\""
        + ";nonce=\"019ad20f-2be7-7fff-bfff-ffffffffffff\";expires=1764461100;created=1764460800",
      label: "mine")
    changed.change("signature-input") { "other=(\"@method\");tag=\"x\", \($0)" }
    changed.change("signature") { "other=:AAAA:, \($0)" }
    #expect(try changed.verdict() == "valid")
  }

  @Test("a bundle that covers less is refused though its MAC is right")
  func narrower() throws {
    for left in components.indices {
      var changed = try bundle()
      var fewer = components
      fewer.remove(at: left)
      try changed.sign(components: fewer, parameters: parameters)
      #expect(try changed.verdict() == "missing_component")
    }
    var whole = try bundle()
    try whole.sign(components: components, parameters: parameters)
    #expect(try whole.verdict() == "valid")
  }

  @Test("times are decided to the second, and only after the MAC")
  func times() throws {
    let good = try bundle()
    let at: (Int64) -> Timestamp = { Timestamp(milliseconds: issueTime.milliseconds + $0) }
    #expect(try good.verdict(at: at(299_999)) == "valid")
    #expect(try good.verdict(at: at(300_000)) == "expired")
    #expect(try good.verdict(at: at(-30_000)) == "valid")
    #expect(try good.verdict(at: at(-30_001)) == "not_yet_valid")
    var forged = good
    forged.change("x-moment-user-id") { _ in "other" }
    #expect(try forged.verdict(at: at(300_000)) == "signature_mismatch")
  }

  @Test("keys, hosts and projects are decided in the contract's order")
  func order() throws {
    let good = try bundle()
    var keys = Keys(project: try makeProject())
    keys.verifies = false
    #expect(try good.verdict(keys) == "unknown_key")
    keys = Keys(project: try makeProject("6540c6dfd94458b60d8e7aca"))
    #expect(try good.verdict(keys) == "signature_mismatch")
    keys = Keys(project: try makeProject())
    keys.project.disabledAt = issueTime
    #expect(try good.verdict(keys) == "project_disabled")
    #expect(try good.verdict(keys, at: issueTime.adding(seconds: 300)) == "expired")
    keys.project.upstream = "canary"
    #expect(try good.verdict(keys, at: issueTime.adding(seconds: 300)) == "authority_mismatch")
  }

  @Test("a log-out refuses what was issued up to its millisecond, and nothing of another user")
  func logOut() throws {
    let launch = try issue { $0.redirectTo = "/cs" }
    var keys = Keys(project: try makeProject())
    keys.logOut = Timestamp(milliseconds: launch.id.milliseconds)
    #expect(try Bundle(launch).verdict(keys) == "revoked")
    keys.logOut = Timestamp(milliseconds: launch.id.milliseconds - 1)
    #expect(try Bundle(launch).verdict(keys) == "valid")
    keys.logOut = issueTime.adding(seconds: 1)
    let other = try issue {
      $0.redirectTo = "/cs"
      $0.userID = "other"
    }
    #expect(try Bundle(other).verdict(keys) == "valid")
  }

  @Test("a used launch is refused where the project's policy is once, and only there")
  func replay() throws {
    let launch = try issue { $0.redirectTo = "/cs" }
    var keys = Keys(project: try makeProject())
    keys.used = launch.id
    #expect(try Bundle(launch).verdict(keys) == "valid")
    keys.project.replayPolicy = .once
    #expect(try Bundle(launch).verdict(keys) == "replayed")
    keys.logOut = issueTime.adding(seconds: 1)
    #expect(try Bundle(launch).verdict(keys) == "revoked", "revocation comes before replay")
  }

  @Test("a project that was deleted and made again refuses bundles of its earlier life")
  func earlierLife() throws {
    let good = try bundle()
    let keys = Keys(project: try makeProject(createdAt: issueTime.adding(seconds: 1)))
    #expect(try good.verdict(keys, at: issueTime.adding(seconds: 2)) == "revoked")
    #expect(try good.verdict(Keys(project: try makeProject(createdAt: issueTime))) == "valid")
  }
}
