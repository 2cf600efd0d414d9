import Domain
import Foundation
import Testing

@testable import CLI

@Suite("key")
struct KeyCommandTests {
  static let id = Installation.project

  @Test("create shows the key this once, with what it is")
  func create() throws {
    let installation = try Installation.withProject()
    let run = installation.run(
      "key", "create", "--scope", "verify", "--scope=launch", "--project", Self.id, "--name", "서버",
      "--expires-in", "90d", "--output", "json"
    ).expect(.success, "this once")
    let made = try run.json()
    let secret = try #require(APIKeySecret(made.text("api_key") ?? ""))
    #expect(made.text("key_id") == secret.keyID.description)
    #expect(made.text("project_id") == Self.id)
    #expect(made["scopes"] as? [String] == ["launch", "verify"])
    #expect(made.text("name") == "서버")
    #expect(made.text("expires_at") == "2027-04-15T08:00:00Z")
    let keyID = secret.keyID.description
    for again in [
      installation.run("key", "show", keyID, "--output", "json"),
      installation.run("key", "list", "--output", "json"),
      installation.run("key", "list", "--project", Self.id),
    ] {
      again.expect(.success)
      #expect(again.output.contains(keyID))
      #expect(!again.output.contains(secret.secret))
    }
  }

  @Test("a key without project and expiry has null for them")
  func support() throws {
    let installation = try Installation.made()
    let made = try installation.run(
      "key", "create", "--scope", "support,catalog", "--output", "json"
    ).expect(.success).json()
    #expect(made["project_id"] is NSNull)
    #expect(made["expires_at"] is NSNull)
    #expect(made["scopes"] as? [String] == ["catalog", "support"])
  }

  @Test(
    "scopes and project have to fit",
    arguments: [
      (["--scope", "launch"], "--project"), (["--scope", "support", "--project", id], "support"),
      (["--scope", "lauch"], "did you mean launch?"), ([], "Missing: --scope"),
      (["--scope", "verify", "--expires-in", "0"], "--expires-in"),
      (["--scope", "verify", "--expires-in", "90x"], "30m or 90d"),
      (["--scope", "verify", "--name", String(repeating: "x", count: 101)], "--name"),
    ])
  func usage(arguments: [String], words: String) throws {
    try Installation.withProject().run(["key", "create"] + arguments).expect(.usage, words)
  }

  @Test("an unknown project is refused")
  func unknownProject() throws {
    let installation = try Installation.withProject()
    let other = "67b6f2a9688f4a05db0a1d46"
    installation.run("key", "create", "--scope", "launch", "--project", other)
      .expect(.refused, "did you mean \(Self.id)?")
    installation.run("key", "list", "--project", other).expect(.refused)
  }

  @Test("rotate gives the old key its grace, a day where nothing is said")
  func rotate() throws {
    let installation = try Installation.withProject()
    func make() throws -> String {
      let made = try installation.run("key", "create", "--scope", "verify", "--output", "json")
        .json()
      return try #require(made.text("key_id"))
    }
    for (arguments, expiry) in [
      ([], "2027-01-16T08:00:00Z"), (["--grace", "2h"], "2027-01-15T10:00:00Z"),
      (["--grace", "0s"], "2027-01-15T08:00:00Z"),
    ] {
      let old = try make()
      let new = try installation.run(["key", "rotate", old, "--output", "json"] + arguments)
        .expect(.success, "this once").json()
      #expect(new.text("key_id") != old)
      #expect(APIKeySecret(new.text("api_key") ?? "") != nil)
      #expect(new["scopes"] as? [String] == ["verify"])
      let shown = try installation.run("key", "show", old, "--output", "json").json()
      #expect(shown.text("expires_at") == expiry)
    }
  }

  @Test("a revoked key is shown as such, and revoking it again changes nothing")
  func revoke() throws {
    let installation = try Installation.withProject()
    let made = try installation.run("key", "create", "--scope", "verify", "--output", "json").json()
    let keyID = try #require(made.text("key_id"))
    for _ in 1...2 {
      let revoked = try installation.run("key", "revoke", keyID, "--yes", "--output", "json")
        .expect(.success).json()
      #expect(revoked.text("revoked_at") == "2027-01-15T08:00:00Z")
      installation.pass(seconds: 5)
    }
    #expect(installation.run("key", "list").output.contains("revoked"))
    installation.run("key", "rotate", keyID).expect(.refused)
  }

  @Test("an expired key is listed as such")
  func expired() throws {
    let installation = try Installation.withProject()
    installation.run("key", "create", "--scope", "verify", "--expires-in", "1m").expect(.success)
    #expect(installation.run("key", "list").output.contains("expiring"))
    installation.pass(seconds: 60)
    #expect(installation.run("key", "list").output.contains("expired"))
  }

  @Test("a key that is not there is refused, with the nearest id")
  func unknown() throws {
    let installation = try Installation.withProject()
    let made = try installation.run("key", "create", "--scope", "verify", "--output", "json").json()
    let keyID = try #require(made.text("key_id"))
    let near = String(keyID.dropLast()) + (keyID.hasSuffix("0") ? "1" : "0")
    installation.run("key", "show", near).expect(.refused, "did you mean \(keyID)?")
    installation.run("key", "revoke", near, "--yes").expect(.refused)
    installation.run("key", "rotate", near).expect(.refused)
  }
}

@Suite("signing-key")
struct SigningKeyCommandTests {
  func states(_ installation: Installation) throws -> [String: String] {
    let items = try installation.run("signing-key", "list", "--output", "json").items()
    return Dictionary(
      uniqueKeysWithValues: items.map { ($0.text("key_id") ?? "", $0.text("state") ?? "") })
  }

  @Test("goes from pending by active and retired to revoked")
  func life() throws {
    let installation = try Installation.made()
    let first = try #require(try states(installation).first { $0.value == "active" }?.key)
    let made = try installation.run("signing-key", "create", "--output", "json")
      .expect(.success).json()
    let second = try #require(made.text("key_id"))
    #expect(try states(installation) == [first: "active", second: "pending"])
    installation.run("signing-key", "activate", second).expect(.success)
    #expect(try states(installation) == [first: "retired", second: "active"])
    installation.run("signing-key", "retire", second, "--yes").expect(.refused)
    let revoked = try installation.run("signing-key", "revoke", first, "--yes", "--output", "json")
      .expect(.success).json()
    #expect(revoked.text("state") == "revoked")
    #expect(revoked["activated"] is NSNull)
    installation.run("signing-key", "activate", first).expect(.refused)
  }

  @Test("revoking the active one activates a new one and says so")
  func revokeActive() throws {
    let installation = try Installation.made()
    let first = try #require(try states(installation).keys.first)
    let run = installation.run("signing-key", "revoke", first, "--yes", "--output", "json")
      .expect(.success, "signs from now on", "new export")
    let activated = try #require(try run.json()["activated"] as? [String: Any])
    let second = try #require(activated.text("key_id"))
    #expect(try states(installation) == [first: "revoked", second: "active"])
  }

  @Test("a key that is not there is refused")
  func unknown() throws {
    let installation = try Installation.made()
    for verb in ["activate", "retire", "revoke"] {
      installation.run("signing-key", verb, "sk_0Az0Az0Az0Az", "--yes").expect(.refused)
    }
  }

  @Test("export gives each key that is pending or verifies, and warns")
  func export() throws {
    let installation = try Installation.withProject()
    installation.run("signing-key", "create").expect(.success)
    let run = installation.run(
      "signing-key", "export", "--project", Installation.project, "--output", "json"
    ).expect(.success, "warning:", "forge", "neither log-out nor single use")
    let export = try run.json()
    #expect(export.text("project_id") == Installation.project)
    let keys = try #require(export["keys"] as? [[String: Any]])
    #expect(Set(keys.map { $0.text("state") }) == ["active", "pending"])
    for key in keys {
      #expect(Data(base64Encoded: key.text("secret") ?? "")?.count == 32)
      #expect(Set(key.keys) == ["key_id", "state", "secret"])
    }
    installation.run("signing-key", "export", "--project", "67b6f2a9688f4a05db0a1d46")
      .expect(.refused)
  }
}
