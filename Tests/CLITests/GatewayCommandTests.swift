import Domain
import Foundation
import Testing

@testable import CLI

@Suite("user, master-key, web-version, cookie")
struct GatewayCommandTests {
  static let id = Installation.project

  @Test("user revoke says until when, by its id and never by name in the audit log")
  func userRevoke() throws {
    let installation = try Installation.withProject()
    let told = try installation.run(
      "user", "revoke", "--project", Self.id, "--user-id", "USER-123", "--output", "json"
    ).expect(.success).json()
    #expect(told.text("project_id") == Self.id)
    #expect(told.text("revoked_until") == "2027-01-15T08:00:00Z")
    installation.run(
      "user", "revoke", "--project", Self.id, "--user-id", "a b"
    ).expect(.usage, "--user-id", "visible ASCII")
    installation.run(
      "user", "revoke", "--project", "6540c6dfd94458b60d8e7aca", "--user-id", "u"
    ).expect(.refused, "6540c6dfd94458b60d8e7aca")
    installation.run("user", "revoke", "--project", Self.id).expect(.usage, "--user-id")
  }

  @Test("master-key rotate tells the new key and how much was sealed anew; drop asks first")
  func masterKey() throws {
    let installation = try Installation.withProject()
    let told = try installation.run("master-key", "rotate", "--output", "json")
      .expect(.success, "Back up").json()
    #expect(told.text("key_id")?.hasPrefix("mk_") == true)
    #expect(told["resealed"] as? Int == 3)
    installation.run("master-key", "drop").expect(.usage, "--yes")
    installation.run("master-key", "drop", answer: "no").expect(.refused)
    let dropped = try installation.run("master-key", "drop", "--yes", "--output", "json")
      .expect(.success).json()
    #expect((dropped["dropped"] as? [String])?.count == 1)
    installation.run("master-key", "drop", "--yes").expect(.success)
    installation.run("launch", "--project", Self.id, "--user-id", "u", "--platform", "IOS")
      .expect(.success)
  }

  @Test("master-key rotate in systemd's credentials says what to do instead")
  func credential() throws {
    let installation = try Installation.withProject()
    installation.run(
      "master-key", "rotate", environment: ["CREDENTIALS_DIRECTORY": installation.data]
    ).expect(.permission, "LoadCredential", "restart")
  }

  @Test("web-version set and show; what is no version is refused")
  func webVersion() throws {
    let installation = try Installation.made()
    #expect(installation.run("web-version", "show").expect(.success).output.contains("No version"))
    installation.run("web-version", "set", "1.4.0").expect(.success)
    let shown = try installation.run("web-version", "show", "--output", "json")
      .expect(.success).json()
    #expect(shown.text("latest") == "1.4.0")
    for text in ["v1", "1.4.0.0.0", "1.", "", "1.1234567890", "1.4-beta"] {
      installation.run("web-version", "set", text).expect(.usage, "version")
    }
    installation.run("web-version", "set").expect(.usage, "VERSION")
  }

  @Test("cookie set, list and remove")
  func cookies() throws {
    let installation = try Installation.withProject()
    let lang = ["--name", "lang", "--domain", "cashback.example"]
    let made = try installation.run(
      ["cookie", "set"] + lang + ["--value", "ko", "--project", Self.id, "--output", "json"]
    ).expect(.success).json()
    #expect(made.text("value") == "ko" && made.text("same_site") == "Lax")
    #expect(made["secure"] as? Bool == true && made["expires"] is NSNull)
    installation.run(["cookie", "set"] + lang + ["--value", "en"]).expect(.success)
    let listed = try installation.run("cookie", "list", "--output", "json").expect(.success).items()
    #expect(listed.compactMap { $0.text("value") }.sorted() == ["en", "ko"])
    installation.run(["cookie", "remove"] + lang).expect(.usage, "--yes")
    installation.run(["cookie", "remove"] + lang + ["--yes"]).expect(.success)
    installation.run(["cookie", "remove"] + lang + ["--yes"]).expect(.refused, "no such cookie")
    installation.run(["cookie", "remove"] + lang + ["--project", Self.id, "--yes"])
      .expect(.success)
    #expect(installation.run("cookie", "list").errors.contains("There are no cookies"))
  }

  @Test("cookie set leaves what is not named as it is, until it is told otherwise")
  func keptAttributes() throws {
    let installation = try Installation.made()
    func set(_ options: String...) throws -> [String: Any] {
      let named = ["--name", "a", "--domain", "a.example", "--value", "b", "--output", "json"]
      return try installation.run(["cookie", "set"] + named + options).expect(.success).json()
    }
    _ = try set(
      "--http-only", "--insecure", "--same-site", "Strict", "--expires", "2099-01-01T00:00:00Z")
    let kept = try set()
    #expect(kept["http_only"] as? Bool == true && kept["secure"] as? Bool == false)
    #expect(kept.text("same_site") == "Strict" && kept.text("expires") == "2099-01-01T00:00:00Z")
    let undone = try set("--no-http-only", "--secure", "--no-expires", "--same-site", "None")
    #expect(undone["http_only"] as? Bool == false && undone["secure"] as? Bool == true)
    #expect(undone.text("same_site") == "None" && undone["expires"] is NSNull)
    let given = ["cookie", "set", "--name", "a", "--domain", "a.example", "--value", "b"]
    // What stays and what is set have to go together.
    installation.run(given + ["--insecure"]).expect(.usage, "SameSite=None with Secure only")
    installation.run(given + ["--http-only", "--no-http-only"]).expect(.usage, "contradicts")
    _ = try set("--expires", "2099-01-01T00:00:00Z")
    installation.pass(seconds: 4_000_000_000)
    #expect(try set()["expires"] is NSNull, "it had ended")
  }

  @Test(
    "what no browser would take is refused",
    arguments: [
      ["--domain", "https://a.example"], ["--domain", "a.example:443"], ["--name", "a b"],
      ["--value", "a;b"], ["--path", "x"], ["--same-site", "Sometimes"], ["--expires", "soon"],
      ["--same-site", "None", "--insecure"],
    ])
  func refusedCookies(wrong: [String]) throws {
    let installation = try Installation.made()
    var options = ["--name": "a", "--value": "b", "--domain": "a.example"]
    options[wrong[0]] = nil
    let given = options.flatMap { [$0.key, $0.value] }
    installation.run(["cookie", "set"] + given + wrong).expect(.usage)
    #expect(installation.run("cookie", "list").errors.contains("There are no cookies"))
  }
}
