import Cryptography
import Differences
import Domain
import DomainFixtures
import Encoding
import Explain
import JSON
import Testing

/// What a program printed, a person hid or a chat program cut off is read as far as it can be, and is
/// never called broken for it.
@Suite("What cannot be read is not broken") struct ExplainFormsTests {
  private func codes(_ text: String, _ office: Office? = nil) throws -> [Finding.Code] {
    try explain(text, office).findings.map(\.code)
  }

  private func map(_ paste: Pasted, _ separator: String, _ joint: String) -> String {
    paste.headers.map { "\($0.name)\(separator)\($0.value)" }.joined(separator: joint)
  }

  @Test("the text of a map, alone and with what no form but the signature tells apart")
  func maps() throws {
    for user in ["USER-123", "a,b", "x]", "y}", "z,", "k=v", "[u]"] {
      let launch = try issue(delivery: .gateway) {
        $0.userID = user
        $0.redirectTo = "/cs"
      }
      let paste = Pasted(launch)
      for text in [
        "{\(map(paste, "=", ", "))}", "{\(map(paste, ": ", ", "))}", "map[\(map(paste, ":", " "))]",
        "map[\(paste.headers.map { "\($0.name):[\($0.value)]" }.joined(separator: " "))]",
      ] {
        let explanation = try explain("\(paste.url)\n\(text)")
        #expect(explanation.outcome == .works, "\(user) \(text)")
      }
    }
  }

  @Test("a signature whose text cannot be read is no malformed one; in JSON, which can, it is")
  func unreadable() throws {
    let broken = try Pasted.program().with("signature-input") { $0.replacing("\"", with: "") }
    let lines = try explain(broken.lines)
    #expect(lines.outcome == .undecided)
    let text = try lines.finding(.unreadable).text(in: .english)
    #expect(text.contains("lost its quotation marks"))
    #expect(try codes(broken.json).contains(.malformedSignature))
    let cut = try Pasted.program().with("signature") { String($0.dropLast(9)) }
    #expect(try explain(cut.lines + "\nThank you").outcome == .undecided)
    #expect(try explain(cut.lines).finding(.cutOff).severity == .warning)
  }

  @Test(
    "a mask is no key, no alteration and no malformed signature",
    arguments: ["***", "<hidden>", "[FILTERED]", "█████", "…", "REDACTED", "xxxxxxxx", "${KEY}"])
  func masks(mask: String) throws {
    for keep in [0, 10] {
      let paste = try Pasted.program().with("x-moment-web-api-key") { $0.prefix(keep) + mask }
        .with("signature") { $0.prefix(keep) + mask }
      for text in [paste.json, paste.lines, paste.curl, "{\(map(paste, "=", ", "))}\n\(paste.url)"]
      {
        let explanation = try explain(text)
        #expect(explanation.outcome == .undecided && explanation.problems.isEmpty, "\(text)")
        let found = try explanation.finding(.masked).text(in: .english)
        #expect(found.contains("x-moment-web-api-key, signature"), "\(found)")
        #expect(!explanation.findings.contains { $0.code == .leakedWebAPIKey }, "\(text)")
      }
    }
  }

  @Test("of two commands of which the first is bare, the second is judged")
  func bareCommand() throws {
    let paste = try Pasted.program()
    for bare in ["curl '\(paste.url)'", "curl https://cashback-ui.moment.fairytech.ai/main"] {
      #expect(try explain("\(bare)\n\n\(paste.curl)").outcome == .works, "\(bare)")
    }
  }

  @Test("a URL that is wrapped in the name of a parameter goes on in the next line")
  func wrappedName() throws {
    let paste = try Pasted.program()
    for length in 1..<"redirect_to".count {
      let name = "redirect_to"
      let wrapped = name.prefix(length) + "\n" + name.dropFirst(length)
      let url = paste.url.replacing(name, with: wrapped)
      #expect(try explain(paste.lines.replacing(paste.url, with: url)).outcome == .works)
      #expect(try explain(url).parts.businessID == "11st")
    }
  }

  @Test("a revoked or expired API key that leaked is told too, and never passed over")
  func revokedKeyThatLeaked() throws {
    var generator = SecureRandom()
    let key = APIKeySecret(using: &generator)
    var stored = APIKey(
      id: key.keyID, name: "", scopes: [.launch], projectID: ProjectID(projectID),
      createdAt: issueTime)
    stored.revokedAt = issueTime
    var office = try Office()
    office.apiKeys = [stored]
    for text in [try Pasted.program().json + "\n" + key.secret, key.secret] {
      let finding = try explain(text, office).finding(.leakedAPIKey)
      #expect(finding.severity == .warning)
      for language in Language.allCases {
        #expect(finding.text(in: language).contains(key.keyID.description))
        #expect(finding.advice(in: language) != nil)
      }
    }
  }

  @Test("every code of a problem and of a refusal is explained in both languages")
  func everyCode() throws {
    let codes = ProblemCode.allCases.map(\.rawValue) + RefusalCode.allCases.map(\.rawValue)
    for code in codes {
      for text in [code, "x-launch-code: \(code)", "{\"status\":400,\"code\":\"\(code)\"}"] {
        let explanation = try explain(text)
        #expect(explanation.outcome == .none)
        let finding = try explanation.finding(.answeredCode)
        #expect(finding.text(in: .english).contains(code))
        #expect(finding.text(in: .korean) != finding.text(in: .english))
        #expect(finding.advice(in: .korean) != nil && finding.advice(in: .english) != nil)
      }
    }
  }

  @Test("what was answered shows no secret")
  func answersAndSecrets() throws {
    let secret = "q7Xw92LmPz04RtYb"
    let shown = try explain("x-request-id: \(secret)\ncode: expired").everything
    #expect(excerpt(of: shown, around: secret) == nil)
  }
}
