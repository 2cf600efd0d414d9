import Cryptography
import Differences
import Domain
import DomainFixtures
import Encoding
import Explain
import Testing

/// Random numbers that are the same in every run.
private struct Dice: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    var value = state
    value = (value ^ (value >> 33)) &* 0xFF51_AFD7_ED55_8CCD
    return value ^ (value >> 33)
  }
}

@Suite("What explanations never show, and never choke on") struct ExplainSafetyTests {
  private static let user = "user-6182a2f3-2847-43ef"

  private func launch(_ delivery: KeyDelivery) throws -> Pasted {
    Pasted(
      try issue(delivery: delivery) {
        $0.userID = Self.user
        $0.redirectTo = "/cashback/detail?business_id=11st"
      })
  }

  /// What must not be seen of a launch.
  private func secrets(of paste: Pasted) -> [String] {
    let signature = paste.value("signature").split(separator: ":")
    return [
      Office.webAPIKey, Self.user, signature.count > 1 ? String(signature[1]) : Office.webAPIKey,
    ]
  }

  private func expectSilence(
    _ text: String, about secrets: [String], location: SourceLocation = #_sourceLocation
  ) throws {
    do {
      let shown = try explain(text, Office(delivery: .direct)).everything
      for secret in secrets {
        let part = secret.prefix(secret.count - 6)
        #expect(excerpt(of: shown, around: secret) == nil, sourceLocation: location)
        #expect(excerpt(of: shown, around: part) == nil, sourceLocation: location)
      }
    } catch let nothing as NothingToExplain {
      let shown = nothing.text(in: .english)
      for secret in secrets { #expect(excerpt(of: shown, around: secret) == nil) }
    }
  }

  @Test("no key, signature or user id, in whatever place they were pasted")
  func secretsInPlace() throws {
    for delivery in KeyDelivery.allCases {
      let good = try launch(delivery)
      let hidden = secrets(of: good)
      for text in [good.json, good.lines, good.curl] { try expectSilence(text, about: hidden) }
      // Values in each other's place and in the URL.
      for name in good.headers.map(\.name) {
        for secret in hidden {
          try expectSilence(good.with(name) { _ in secret }.json, about: hidden)
        }
      }
      for secret in hidden {
        let encoded = secret.replacing("/", with: "%2F").replacing("+", with: "%2B")
        for place in ["?\(secret)=1", "?redirect_to=%2F\(encoded)", "?redirect_to=/cs&k=\(secret)"]
        {
          try expectSilence(
            good.withURL { _ in "https://cashback-ui.moment.fairytech.ai/main\(place)" }.json,
            about: hidden)
          try expectSilence(
            good.withURL { _ in "https://\(secret).example/main\(place)" }.lines, about: hidden)
        }
      }
    }
  }

  @Test("an API key is named by its public id alone, wherever it stands")
  func apiKeys() throws {
    var generator = SecureRandom()
    let key = APIKeySecret(using: &generator)
    let id = key.keyID.description
    let good = try launch(.gateway)
    let url = "https://cashback-ui.moment.fairytech.ai"
    let texts = [
      key.secret, "Authorization: Bearer \(key.secret)\n\(good.lines)",
      good.with("x-moment-web-api-key") { _ in key.secret }.curl,
      good.with("x-moment-user-id") { _ in key.secret }.json,
      "\(url)/main?redirect_to=%2F\(key.secret)", "\(url)/\(key.secret)?key=\(key.secret)",
      "https://\(key.secret).example/main", "\(url)/main?redirect_to=/cs&key=\(key.secret)",
      "curl \(url)/main -u \(key.secret):", "\(url)/main?redirect_to=%2Fcs%3Fk=\(key.secret)",
    ]
    for text in texts {
      let explanation = try explain(text)
      let finding = try explanation.finding(.leakedAPIKey)
      #expect(finding.severity == .problem)
      #expect(finding.text(in: .english).contains(id) && finding.text(in: .korean).contains(id))
      for part in [key.secret.suffix(50), key.secret.suffix(40).prefix(20)] {
        #expect(excerpt(of: explanation.everything, around: part) == nil, "\(text)")
      }
    }
    let escaped = key.secret.replacing("llk_", with: "llk%5F")
    let shown = try explain("\(url)/main?redirect_to=%2Fcs%3Fk%3D\(escaped)").everything
    #expect(excerpt(of: shown, around: key.secret.suffix(40).prefix(20)) == nil)
  }

  @Test("a revoked API key is less of a matter, and a leak does not stop a launch")
  func deadKeys() throws {
    var generator = SecureRandom()
    let key = APIKeySecret(using: &generator)
    var office = try Office()
    var stored = APIKey(
      id: key.keyID, name: "", scopes: [.launch], projectID: ProjectID(projectID),
      createdAt: issueTime)
    let text = try launch(.gateway).json + key.secret
    office.apiKeys = [stored]
    let live = try explain(text, office)
    #expect(live.outcome == .works && live.problems == [.leakedAPIKey])
    stored.revokedAt = issueTime
    office.apiKeys = [stored]
    #expect(try explain(text, office).problems.isEmpty)
  }

  @Test("the Web API Key of any project is never shown, in whatever place and escapes, and told")
  func webAPIKeys() throws {
    let key = "AIzaSy+Dk3/9xQw7tLm2Rb=="
    let other = "0badc0de0badc0de0badc0de"
    var office = try Office()
    office.projects.append(try makeProject(other))
    office.otherKeys = [try #require(ProjectID(other)): key]
    let good = try launch(.gateway)
    let encoded = key.replacing("+", with: "%2B").replacing("/", with: "%2F")
    let twice = encoded.replacing("%", with: "%25")
    let url = "https://cashback-ui.moment.fairytech.ai/main"
    let texts = [
      "\(url)?redirect_to=%2Fcs&web_api_key=\(key)",
      "\(url)?redirect_to=%2Fcs&x-moment-web-api-key=\(encoded)",
      "\(url)?redirect_to=%2Fcs%3Fk%3D\(encoded)", "\(url)?redirect_to=%2F\(twice)",
      "\(url)?redirect_to=%2Fcashback%2Fdetail%3Fbusiness_id%3D\(encoded)",
      good.withURL { $0 + "&k=\(key)" }.json, good.with("x-moment-user-id") { _ in key }.json,
      good.with("x-moment-platform") { _ in key }.lines,
      good.withURL { $0 + "&k=\(Office.webAPIKey)" }.json,
      "https://\(Office.webAPIKey).example/main?redirect_to=%2Fcs",
    ]
    let hidden = ["Dk3", "9xQw7", "Rb=", "RbPP", "0123456789abcdef"]
    for text in texts {
      let explanation = try explain(text, office)
      let finding = try explanation.finding(.leakedWebAPIKey)
      #expect(finding.severity == .problem && finding.advice(in: .korean) != nil, "\(text)")
      for part in hidden {
        #expect(excerpt(of: explanation.everything, around: part) == nil, "\(part) of \(text)")
      }
    }
  }

  @Test("what may be a secret is not shown though nobody knows it, and what is none is")
  func unknownSecrets() throws {
    let random = "q7Xw92LmPz04RtYb"
    let signature = "Ab+3dE/f9hIjK+lMnOpQ2sTuV/wXyZ0123456789abcd="
    let good = try launch(.gateway).with("signature") { _ in "launch=:\(signature):" }
    let url = "https://cashback-ui.moment.fairytech.ai/main"
    for text in [
      "\(url)?redirect_to=%2F\(random)", "\(url)?redirect_to=%2Fcs&k=\(random)",
      "\(url)?\(random)=1&redirect_to=%2Fcs", "https://\(random).example/main?redirect_to=%2Fcs",
      "\(url)/\(random)?redirect_to=%2Fcs", "\(url)?redirect_to=%2Fcs%3Fpassword%3Dhunter2secret",
      "\(url)?redirect_to=%2Fcashback%3Fcategory%3D\(random)",
      good.with("x-moment-user-id") { _ in random }.json,
      good.with("x-moment-project-id") { _ in random }.json,
      good.withURL { _ in "\(url)?redirect_to=%2Fcs%3Fs%3D\(signature)" }.json,
      good.withURL { _ in "\(url)?redirect_to=%2F\(signature)" }.json,
      good.withURL { _ in "https://\(signature)/main?redirect_to=%2Fcs" }.json,
    ] {
      let shown = try explain(text).everything.lowercased()
      for part in [random, "q7Xw", "RtYb", "hunter2", "f9hIjK", "lMnOpQ", "wXyZ01"] {
        #expect(excerpt(of: shown, around: part.lowercased()) == nil, "\(part) of \(text)")
      }
    }
    let shown = try explain("\(url)?redirect_to=%2Fcashback%2Fdetail%3Fbusiness_id%3D11st&utm=a")
      .parts
    #expect(shown.url == "\(url)?redirect_to=%2Fcashback%2Fdetail%3Fbusiness_id%3D11st&utm=…")
  }

  @Test("control characters do not get through")
  func controls() throws {
    let explanation = try explain(
      "https://cashback-ui.moment.fairytech.ai/main?redirect_to=%1B%5B2J%2F\u{202E}x\u{7}y\nx-moment-platform: a\u{1B}[31mb"
    )
    let isUnseemly: (Unicode.Scalar) -> Bool = { scalar in
      (scalar.value < 0x20 && scalar != "\n") || scalar == "\u{202E}" || scalar.value == 0x7F
    }
    #expect(!explanation.everything.unicodeScalars.contains(where: isUnseemly))
  }

  @Test("random bytes never crash it", arguments: 0..<8)
  func randomBytes(seed: Int) throws {
    var dice = Dice(state: UInt64(seed))
    let pieces = [
      "curl ", "-H '", "\"", "'", "\\", "^\"", "^\n", "$'", "{", "}", "[", ":", "=", "%", "%2",
      "\n",
      "signature-input: ", "signature: launch=:", "x-moment-user-id", "https://", "redirect_to=",
      "moment://", "llk_", "cashback-ui.moment.fairytech.ai/", "launch=(", ")", ";created=", "뷰",
      "\u{301}",
    ]
    for _ in 0..<150 {
      var bytes: [UInt8] = []
      for _ in 0..<Int.random(in: 0..<60, using: &dice) {
        if Bool.random(using: &dice) {
          bytes += Array((pieces.randomElement(using: &dice) ?? "").utf8)
        } else {
          bytes.append(UInt8.random(in: .min ... .max, using: &dice))
        }
      }
      try expectSilence(String(decoding: bytes, as: UTF8.self), about: [])
    }
  }

  @Test("mutated launches never crash it, and never show a secret", arguments: 0..<6)
  func mutations(seed: Int) throws {
    var dice = Dice(state: UInt64(seed) &+ 1000)
    let good = try launch(seed.isMultiple(of: 2) ? .direct : .gateway)
    let hidden = secrets(of: good)
    for round in 0..<60 {
      var bytes = Array([good.json, good.lines, good.curl][round % 3].utf8)
      for _ in 0..<Int.random(in: 1...4, using: &dice) {
        let start = Int.random(in: 0..<bytes.count, using: &dice)
        let end = min(bytes.count, start + Int.random(in: 0..<24, using: &dice))
        switch Int.random(in: 0..<4, using: &dice) {
        case 0: bytes.removeSubrange(start..<end)
        case 1: bytes.insert(contentsOf: bytes[start..<end], at: start)
        case 2: bytes[start] = UInt8.random(in: .min ... .max, using: &dice)
        default: bytes.insert(UInt8(ascii: "\n"), at: start)
        }
      }
      let text = String(decoding: bytes, as: UTF8.self)
      // A secret that a mutation cut is another text; whole ones have to be kept.
      try expectSilence(text, about: hidden.filter(text.contains))
    }
  }

  @Test(
    "the longest text of anything is read in bounded work",
    arguments: [
      "{", "[", "\"", "'", "\\", "%25", "a%", "https://", "moment://", "llk_", "curl ", "-H ",
      "^\"",
      "signature: ", "signature-input: launch=(", "x-moment-user-id:", "&redirect_to=", " ", "\n",
      "+",
      "{\"headers\":{", "…", "“", "&amp;", "signature: launch=: ", "https://a/?redirect_to=%25",
    ])
  func longTexts(piece: String) throws {
    let room = (Explainer.sizeLimit - 200) / 3
    let text = String(repeating: piece, count: room / piece.utf8.count)
    let url = "https://cashback-ui.moment.fairytech.ai/main?redirect_to="
    try expectSilence("\(text)\n\(url)\(text)\nsignature-input: launch=(\(text)", about: [])
  }
}
