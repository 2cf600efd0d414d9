import Differences
import Domain
import Store
import Testing

@testable import CLI

@Suite("Completions")
struct CompletionTests {
  static var program: CommandEntry { CommandTableTests.program }

  /// What is printed for a line up to the cursor, its words split at blanks.
  func offered(
    _ line: String, shell: String = "bash", in installation: Installation? = nil
  ) -> [String] {
    let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    let environment = installation.map { ["LAUNCHLINK_DATA_DIRECTORY": $0.data] } ?? [:]
    let output = CompleteCommand([shell, "--"] + words, environment: environment).output
    return output.split(separator: "\n").map(String.init)
  }

  @Test("every command and option is offered where it can be typed, with what it is for")
  func everything() {
    for command in Self.program.all {
      let start = command.path.dropFirst().map { $0 + " " }.joined()
      for subcommand in command.subcommands.map(\.configuration) {
        let line = start + subcommand.commandName
        #expect(
          offered(line, shell: "fish").contains("\(subcommand.commandName)\t\(subcommand.abstract)")
        )
      }
      for option in command.options + command.common {
        let told = offered(start + "--" + option.name, shell: "zsh")
        #expect(told.contains { $0.hasPrefix("--\(option.name)\t") }, "\(start)\(option.name)")
      }
    }
  }

  @Test("every value that can be counted is offered, behind a blank and behind an equals sign")
  func values() {
    for command in Self.program.all {
      let start = command.path.dropFirst().map { $0 + " " }.joined()
      for option in command.options where !option.allowedValues.isEmpty {
        #expect(offered("\(start)--\(option.name) ") == option.allowedValues)
        let assigned = option.allowedValues.map { "--\(option.name)=\($0)" }
        #expect(offered("\(start)--\(option.name)=") == assigned)
      }
    }
  }

  @Test("an option that was given is not offered again, unless it can be repeated")
  func given() {
    let told = offered("key create --name x --scope launch --")
    #expect(!told.contains("--name") && told.contains("--scope") && told.contains("--project"))
    #expect(!offered("db restore --replace --").contains("--replace"))
  }

  @Test("bash has equals signs and colons as words of their own")
  func bashWords() {
    func told(_ words: String...) -> String {
      CompleteCommand(["bash", "--"] + words, environment: [:]).output
    }
    #expect(told("--output", "=", "j", "key", "cr") == "create\n")
    #expect(told("key", "list", "--output", "=") == "table\njson\n")
    #expect(told("key", "list", "--output", "=", "j") == "json\n")
    #expect(told("key", "list", "--output=j") == "--output=json\n")
    #expect(
      told("audit", "list", "--since", "2026-01-01T00", ":", "00Z", "--u") == "--user\n--until\n")
  }

  @Test("behind -- nothing is an option, and a value of an option is no command")
  func places() {
    #expect(offered("db check -- ") == [":files"])
    #expect(offered("db check --") != [":files"])
    #expect(offered("--config key sig") == ["signing-key"])
    #expect(offered("db check file ") == [], "one file is all it takes")
    #expect(offered("--data-directory ") == [":directories"])
    #expect(offered("no such command --out") == ["--output"])
  }

  @Test("ids come from the store, with what people call them")
  func identifiers() throws {
    let installation = try Installation.withProject()
    let key = try installation.run(
      "key", "create", "--scope", "catalog", "--name", "office", "--output", "json"
    ).json().text("key_id")
    let id = try #require(key)
    let project = Installation.project
    #expect(offered("project show ", shell: "fish", in: installation) == ["\(project)\t에이스"])
    #expect(offered("key list --project=67", in: installation) == ["--project=\(project)"])
    #expect(offered("key show key_", shell: "zsh", in: installation) == ["\(id)\toffice"])
    installation.run("key", "revoke", id, "--yes").expect(.success)
    #expect(offered("key show ", shell: "fish", in: installation) == ["\(id)\toffice (revoked)"])
    let signing = offered("signing-key retire sk_", shell: "fish", in: installation)
    #expect(signing.count == 1 && signing[0].hasPrefix("sk_") && signing[0].hasSuffix("\tactive"))
    #expect(offered("project create --id ", in: installation) == [], "a new one is made")
    #expect(offered("key show x", in: installation) == [])
  }

  @Test("categories, pages and upstreams come from the configuration")
  func configured() {
    #expect(offered("catalog list --category fa", shell: "fish") == ["fashion\t패션"])
    #expect(offered("launch --page p") == ["program"])
    #expect(offered("project update 0 --upstream ") == ["canary", "production"])
  }

  @Test("whatever is missing or wrong, nothing is said")
  func silence() throws {
    let installation = try Installation()
    let wrong = try installation.write("workers: 0", to: "wrong.yaml")
    #expect(offered("key show ", in: installation) == [])
    #expect(offered("--config \(wrong) launch --page ") == [])
    #expect(offered("--config /nowhere launch --page ") == [])
    #expect(offered("--config /dev/stdin launch --page ") == [], "nobody is waited for")
    let run = installation.run("key", "list")
    run.expect(.configuration)
    #expect(CompleteCommand([], environment: [:]).output.contains("serve\t"), "no shell, no words")
  }

  @Test("people are not told of it")
  func hidden() throws {
    #expect(!Self.program.all.contains { $0.name.contains(CompleteCommand.name) })
    #expect(excerpt(of: HelpText.of(Self.program), around: CompleteCommand.name) == nil)
    #expect(!CommandTableTests.manual.pages.contains { $0.source.contains("complete") })
    #expect(offered("__") == [])
  }
}
