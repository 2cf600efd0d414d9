import Foundation
import Testing

@testable import CLI

@Suite("init")
struct InitCommandTests {
  @Test("makes what is missing, says so, and changes nothing the second time")
  func twice() throws {
    let installation = try Installation()
    let first = try installation.run("init", "--output", "json").expect(.success).json()
    #expect((first["created"] as? [String])?.count == 4)
    let key = try Data(contentsOf: URL(filePath: installation.data + "/master.key"))
    let second = installation.run("init").expect(.success)
    #expect(second.output.hasPrefix("Everything was there already"))
    #expect(try Data(contentsOf: URL(filePath: installation.data + "/master.key")) == key)
    let attributes = try FileManager.default.attributesOfItem(atPath: installation.data)
    #expect(attributes[.posixPermissions] as? Int == 0o700)
  }

  @Test("without it every other command says what to do", arguments: ["project", "catalog", "key"])
  func missing(noun: String) throws {
    try Installation().run(noun, "list").expect(.configuration, "launchlink init")
  }

  @Test("a master key that others can read is refused")
  func looseMode() throws {
    let installation = try Installation.made()
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o640], ofItemAtPath: installation.data + "/master.key")
    installation.run("project", "list").expect(.permission, "master.key")
  }

  @Test("the configuration may put the master key elsewhere")
  func masterKeyFile() throws {
    let installation = try Installation()
    let file = installation.directory.appending(path: "elsewhere.key").path
    let environment = ["LAUNCHLINK_MASTER_KEY_FILE": file]
    installation.run("init", environment: environment).expect(.success)
    #expect(FileManager.default.fileExists(atPath: file))
    installation.run("signing-key", "list", environment: environment).expect(.success)
    installation.run("signing-key", "list").expect(.configuration, "master.key")
  }
}

@Suite("project")
struct ProjectCommandTests {
  static let id = Installation.project

  func create(_ installation: Installation, _ more: [String], input: String = "wk_1\n") -> Run {
    installation.run(
      ["project", "create", "--id", Self.id, "--name", "Acme", "--web-api-key-file", "-"] + more,
      input: input)
  }

  @Test("is created, listed, shown, changed, disabled, enabled and deleted")
  func life() throws {
    let installation = try Installation.made()
    let made = try create(
      installation,
      [
        "--key-delivery", "gateway", "--replay-policy", "once", "--ttl", "60", "--rate-limit", "7",
        "--upstream", "canary", "--output", "json",
      ]
    ).expect(.success).json()
    #expect(made.text("project_id") == Self.id)
    #expect(made.text("key_delivery") == "gateway")
    #expect(made.text("replay_policy") == "once")
    #expect(made["ttl"] as? Int == 60)
    #expect(made["rate_limit"] as? Int == 7)
    #expect(made.text("upstream") == "canary")
    #expect(made["enabled"] as? Bool == true)
    #expect(made.text("created_at") == "2027-01-15T08:00:00Z")

    let changed = try installation.run(
      "project", "update", Self.id, "--name", "쿠팡", "--ttl", "90", "--output", "json"
    ).expect(.success).json()
    #expect(changed.text("name") == "쿠팡")
    #expect(changed["ttl"] as? Int == 90)
    #expect(changed.text("upstream") == "canary")
    #expect(changed.text("replay_policy") == "once")

    let disabled = try installation.run("project", "disable", Self.id, "--output", "json")
      .expect(.success).json()
    #expect(disabled["enabled"] as? Bool == false)
    #expect(installation.run("project", "list").expect(.success).output.contains("disabled"))
    let enabled = try installation.run("project", "enable", Self.id, "--output", "json")
      .expect(.success).json()
    #expect(enabled["enabled"] as? Bool == true)
    let items = try installation.run("project", "list", "--output", "json").expect(.success).items()
    #expect(items.map { $0.text("project_id") } == [Self.id])

    installation.run("project", "delete", Self.id, "--yes").expect(.success)
    installation.run("project", "show", Self.id).expect(.refused, "There is no project \(Self.id)")
    let empty = installation.run("project", "list").expect(.success)
    #expect(empty.output.isEmpty)
    #expect(empty.errors.contains("project create"))
  }

  @Test("has the contract's defaults, but key delivery is always chosen")
  func defaults() throws {
    let installation = try Installation.made()
    create(installation, []).expect(.usage, "Missing: --key-delivery gateway|direct")
    let made = try create(installation, ["--key-delivery", "gateway", "--output", "json"])
      .expect(.success).json()
    #expect(made.text("replay_policy") == "allow")
    #expect(made["ttl"] as? Int == 300)
    #expect(made["rate_limit"] as? Int == 500)
    #expect(made.text("upstream") == "production")
  }

  @Test("direct delivery is warned of, and leaving it too")
  func direct() throws {
    let installation = try Installation.made()
    let made = create(installation, ["--key-delivery", "direct"])
    made.expect(.success, "warning: with key delivery direct", "sole way in")
    installation.run("project", "update", Self.id, "--key-delivery", "direct")
      .expect(.success, "warning: with key delivery direct")
    installation.run("project", "update", Self.id, "--key-delivery", "gateway")
      .expect(.success, "warning: the Web API Key has been on phones", "change it")
    let quiet = installation.run("project", "update", Self.id, "--key-delivery", "gateway")
    #expect(quiet.expect(.success).errors.isEmpty)
  }

  @Test("what is there already or not at all is refused with 1, and the nearest id named")
  func refusals() throws {
    let installation = try Installation.withProject()
    create(installation, ["--key-delivery", "gateway"]).expect(.refused)
    let other = "67b6f2a9688f4a05db0a1d46"
    installation.run("project", "show", other).expect(.refused, "did you mean \(Self.id)?")
    installation.run("project", "update", other, "--ttl", "60").expect(.refused, other)
    installation.run("project", "disable", other).expect(.refused, other)
    installation.run("project", "delete", other, "--yes").expect(.refused, other)
  }

  @Test("a project with a working key is not deleted")
  func inUse() throws {
    let installation = try Installation.withProject()
    let key = try installation.run(
      "key", "create", "--scope", "launch", "--project", Self.id, "--output", "json"
    ).expect(.success).json()
    installation.run("project", "delete", Self.id, "--yes").expect(.refused)
    installation.run("key", "revoke", try #require(key.text("key_id")), "--yes").expect(.success)
    installation.run("project", "delete", Self.id, "--yes").expect(.success)
  }

  @Test(
    "what does not fit is a usage error",
    arguments: [
      (["--ttl", "9"], "--ttl: \"9\" is not a whole number from 10 to 3600."),
      (["--ttl", "3601"], "from 10 to 3600"), (["--rate-limit", "0"], "from 1 to 100000"),
      (["--upstream", "prodution"], "did you mean production?"), (["--name", ""], "--name: "),
      (["--name", "a\u{1B}"], "--name: "), (["--name", String(repeating: "x", count: 101)], "100"),
    ])
  func usage(arguments: [String], words: String) throws {
    let installation = try Installation.withProject()
    installation.run(["project", "update", Self.id] + arguments).expect(.usage, words)
  }

  @Test("update has to be told what to change")
  func emptyUpdate() throws {
    try Installation.withProject().run("project", "update", Self.id)
      .expect(.usage, "Name what is to be changed.")
  }

  @Test(
    "the Web API Key may end in one line break, and is checked",
    arguments: [
      ("wk\n", true), ("wk\r\n", true), ("wk", true), (String(repeating: "x", count: 512), true),
      (String(repeating: "x", count: 512) + "\r\n", true),
      ("", false), ("\n", false), ("wk\n\n", false), ("w k", false), (" wk", false), ("키", false),
      ("wk\r", false), (String(repeating: "x", count: 513), false),
    ])
  func webAPIKey(text: String, isGood: Bool) throws {
    let installation = try Installation.made()
    let file = try installation.write(text, to: "key")
    for source in ["-", file] {
      let run = installation.run(
        [
          "project", "create", "--id", Self.id, "--name", "A", "--key-delivery", "gateway",
          "--web-api-key-file", source,
        ], input: text)
      run.expect(isGood ? .success : .badData)
      if isGood { installation.run("project", "delete", Self.id, "--yes").expect(.success) }
    }
  }

  @Test("the Web API Key is asked for on a terminal, and not echoed")
  func askedFor() throws {
    let installation = try Installation.made()
    let run = installation.run(
      "project", "create", "--id", Self.id, "--name", "A", "--key-delivery", "direct",
      "--web-api-key-file", "-", answer: "wk_typed"
    ).expect(.success, "Web API Key (not shown): ")
    #expect(!(run.output + run.errors).contains("wk_typed"))
    let launch = installation.run(
      "launch", "--project", Self.id, "--user-id", "u", "--platform", "IOS")
    #expect(launch.output.contains("x-moment-web-api-key: wk_typed\n"))
  }

  @Test("the Web API Key is never shown and stands in no file")
  func secrecy() throws {
    let installation = try Installation.withProject()
    let runs = [
      installation.run("project", "show", Self.id, "--output", "json"),
      installation.run("project", "list", "--output", "json"),
      create(installation, ["--key-delivery", "gateway"], input: Installation.webAPIKey),
      create(installation, ["--key-delivery", "gateway"], input: Installation.webAPIKey + " "),
    ]
    for run in runs {
      #expect(!(run.output + run.errors).contains(Installation.webAPIKey))
    }
    let files = try FileManager.default.contentsOfDirectory(atPath: installation.data)
    for file in files {
      let bytes = try Data(contentsOf: URL(filePath: installation.data + "/" + file))
      #expect(bytes.range(of: Data(Installation.webAPIKey.utf8)) == nil, "\(file)")
    }
  }

  @Test("a key file that is not there is an I/O error")
  func missingFile() throws {
    let installation = try Installation.made()
    installation.run(
      "project", "create", "--id", Self.id, "--name", "A", "--key-delivery", "gateway",
      "--web-api-key-file", "/nowhere/key"
    ).expect(.inputOutput, "/nowhere/key")
  }
}

@Suite("Destructive commands")
struct ConfirmationTests {
  static let commands = [
    ["project", "delete"], ["key", "revoke"], ["signing-key", "retire"], ["signing-key", "revoke"],
  ]

  /// An installation with one of each, and the command with the id of what is there.
  private func prepared(_ command: [String]) throws -> (Installation, [String]) {
    let installation = try Installation.withProject()
    installation.run("key", "create", "--scope", "verify", "--name", "백엔드").expect(.success)
    let noun = command[0] == "project" ? "project" : "key"
    let items = try installation.run(command[0], "list", "--output", "json").items()
    return (installation, command + [try #require(items.first?.text("\(noun)_id"))])
  }

  @Test("need --yes where there is no terminal", arguments: commands)
  func noTerminal(command: [String]) throws {
    let (installation, command) = try prepared(command)
    let before = installation.run(command[0], "list").output
    installation.run(command).expect(.usage, "--yes", command[2])
    #expect(installation.run(command[0], "list").output == before)
  }

  @Test("ask on a terminal, and no but yes means yes", arguments: commands)
  func terminal(command: [String]) throws {
    let (installation, command) = try prepared(command)
    let before = installation.run(command[0], "list").output
    for answer in ["", "n", "no", "yeah"] {
      installation.run(command, answer: answer)
        .expect(.refused, "[y/N]", "Nothing was changed.", command[2])
    }
    #expect(installation.run(command[0], "list").output == before)
  }

  @Test("do not ask about what is not there")
  func unknown() throws {
    let installation = try Installation.withProject()
    for command in [
      ["key", "revoke", "key_0Az0Az0Az0Az"], ["signing-key", "revoke", "sk_0Az0Az0Az0Az"],
      ["signing-key", "retire", "sk_0Az0Az0Az0Az"], ["project", "delete", "nowhere"],
    ] {
      let run = installation.run(command, answer: "y").expect(.refused, "There is no")
      #expect(!run.errors.contains("[y/N]"))
    }
  }

  @Test("are done on yes")
  func yes() throws {
    for answer in ["y", "YES"] {
      let installation = try Installation.withProject()
      installation.run("project", "delete", Installation.project, answer: answer).expect(.success)
    }
  }
}
