import Foundation
import Testing

@testable import CLI

@Suite("launch and verify")
struct LaunchVerifyTests {
  static let project = Installation.project

  func prepared() throws -> Installation {
    let installation = try Installation.withProject()
    let file = try installation.write(
      CatalogCommandTests.header + CatalogCommandTests.rows, to: "catalog.csv")
    installation.run("catalog", "import", file).expect(.success)
    return installation
  }

  func launch(_ installation: Installation, _ more: [String] = []) -> Run {
    installation.run(
      ["launch", "--project", Self.project, "--user-id", "it's-me", "--platform", "IOS"] + more)
  }

  @Test("a launch has the API's shape and verifies")
  func roundTrip() throws {
    let installation = try prepared()
    let run = launch(
      installation, ["--page", "program", "--business-id", "11st", "--output", "json"]
    ).expect(.success)
    let made = try run.json()
    #expect(
      Set(made.keys) == [
        "launch_id", "method", "url", "redirect_to", "deep_link", "headers", "issued_at",
        "expires_at", "expires_in",
      ])
    #expect(
      made.text("url")
        == "https://cashback-ui.moment.fairytech.ai/main?redirect_to=%2Fcashback%2Fdetail%3Fbusiness_id%3D11st"
    )
    #expect(made["expires_in"] as? Int == 300)
    let verdict = try installation.run("verify", "--output", "json", input: run.output)
      .expect(.success).json()
    #expect(verdict["valid"] as? Bool == true)
    #expect(verdict.text("launch_id") == made.text("launch_id"))
    #expect(verdict.text("user_id") == "it's-me")
  }

  @Test("each option counts")
  func options() throws {
    let installation = try prepared()
    func made(_ arguments: String...) throws -> [String: Any] {
      try launch(installation, arguments + ["--output", "json"]).expect(.success).json()
    }
    #expect(try made("--redirect-to", "/cs?x=1").text("redirect_to") == "/cs?x=1")
    #expect(
      try made("--page", "main", "--category", "beauty").text("redirect_to")
        == "/cashback?category=뷰티")
    #expect(try made("--ttl-seconds", "20")["expires_in"] as? Int == 20)
    #expect(try made()["redirect_to"] is NSNull)
  }

  @Test("a refused launch exits with 65 and names every fault")
  func refusal() throws {
    let installation = try prepared()
    launch(
      installation,
      ["--page", "program", "--business-id", "gmarkt", "--ttl-seconds", "5"]
    ).expect(
      .badData, "--business-id", "unknown_business", "Did you mean gmarket?", "--ttl-seconds",
      "invalid_field")
    launch(installation, ["--redirect-to", "//evil"]).expect(.badData, "invalid_redirect")
    launch(installation, ["--page", "program", "--business-id", "coupang"])
      .expect(.badData, "inactive_business")
    installation.run("launch", "--project", Self.project, "--user-id", "u", "--platform", "ios")
      .expect(.usage, "IOS, ANDROID")
    installation.run("project", "disable", Self.project).expect(.success)
    launch(installation).expect(.refused)
  }

  @Test("an upstream that is configured no more is told")
  func upstream() throws {
    let installation = try prepared()
    installation.run(
      "launch", "--project", Self.project, "--user-id", "u", "--platform", "IOS",
      environment: ["LAUNCHLINK_UPSTREAMS": "{canary: {base_url: https://a.example/main}}"]
    ).expect(.configuration, "\"production\" is not configured", "canary")
  }

  @Test("the table shows what a person needs")
  func table() throws {
    let output = launch(try prepared()).expect(.success).output
    #expect(output.contains("URL        https://cashback-ui.moment.fairytech.ai/main\n"))
    #expect(output.contains("x-moment-user-id: it's-me"))
    #expect(output.contains("2027-01-15T08:05:00Z, in 300 s"))
  }

  @Test("--curl gives a command that a shell reads to the letter")
  func curl() throws {
    let output = launch(try prepared(), ["--curl"]).expect(.success).output
    // The shell itself says what it makes of the quoting.
    let script = "curl() { for word; do echo \"<$word>\"; done; }\n" + output
    let shell = try #require(popen(script, "r"))
    var text: [UInt8] = []
    while case let byte = getc(shell), byte != EOF { text.append(UInt8(truncatingIfNeeded: byte)) }
    #expect(pclose(shell) == 0)
    let words = String(decoding: text, as: UTF8.self).split(separator: "\n")
    #expect(words.first == "<https://cashback-ui.moment.fairytech.ai/main>")
    #expect(words.contains("<x-moment-user-id: it's-me>"))
    #expect(words.count == 13)
    #expect(words.contains { $0.hasPrefix("<signature-input: launch=(\"@method\" ") })
  }

  @Test("an invalid bundle exits with 1, the verdict on standard output")
  func invalid() throws {
    let installation = try prepared()
    let made = launch(installation, ["--output", "json"]).output
    let forged = made.replacing("it's-me", with: "it's-you")
    let run = installation.run("verify", "--output", "json", input: forged)
    #expect(run.status == 1)
    #expect(run.errors.isEmpty)
    #expect(try run.json().text("code") == "signature_mismatch")
    installation.pass(seconds: 300)
    let late = installation.run("verify", input: made)
    #expect(late.status == 1)
    #expect(late.output.contains("expired"))
  }

  @Test(
    "what is no bundle exits with 65 and says why",
    arguments: [
      ("", "not JSON: line 1, column 1"), ("{", "not JSON"), ("[]", "method has to be"),
      (#"{"method":"GET","url":"/main","headers":{}}"#, "url has to be a whole URL"),
      (#"{"method":"GET","url":"https://a.example/","headers":{"a":1}}"#, "headers has to be"),
      (#"{"method":"GET","url":"https://a.example/","headers":[]}"#, "headers has to be"),
      (#"{"method":"GET","ulr":"https://a.example/","headers":{}}"#, "did you mean url?"),
      (#"{"methods":1}"#, "headers has to be"),
    ])
  func unreadable(input: String, words: String) throws {
    try prepared().run("verify", input: input).expect(.badData, words)
  }
}
