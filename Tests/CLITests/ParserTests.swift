import Configuration
import Domain
import Testing

@testable import CLI

/// A command with one of everything.
struct Sample: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(commandName: "sample", abstract: "Try.", examples: ["top sample x"])
  }

  @Argument("THING", help: "A thing.") var thing: String
  @Option("ID", help: "Needed.") var project: ProjectID
  @Option("COUNT", in: 1...9, help: "Bounded.") var count = 3
  @Option("COUNT", in: 1...9, help: "Bounded and optional.") var most: Int?
  @Option(help: "One of some.") var keyDelivery: KeyDelivery?
  @Option(help: "Some of some.") var scope: [Scope]
  @Option("TIME", help: "A time.") var webAPIKeyTime = Seconds(5)
  @Flag(help: "A flag.") var curl: Bool

  func run(in context: Context) throws {}
}

struct Bare: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(commandName: "bare", abstract: "Nothing.", examples: ["top bare"])
  }

  func run(in context: Context) throws {}
}

struct Top: CommandGroup {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "top", abstract: "All.", examples: ["top bare"],
      subcommands: [Sample.self, Bare.self])
  }
}

@Suite("Command-line parser")
struct ParserTests {
  static let id = "67b6f2a9688f4a05db0a1d45"

  func parse(_ arguments: [String]) throws -> (command: Sample, globals: GlobalOptions) {
    let globals = GlobalOptions()
    let invocation = try CommandParser.parse(arguments, root: Top.self, globals: globals)
    guard case .run(let command, let path) = invocation else {
      throw UsageError("not a command")
    }
    #expect(path == ["top", "sample"])
    return (try #require(command as? Sample), globals)
  }

  func refusal(_ arguments: [String]) -> String? {
    do throws(ParsingFailure) {
      _ = try CommandParser.parse(arguments, root: Top.self, globals: GlobalOptions())
      return nil
    } catch {
      return error.message
    }
  }

  @Test("options and arguments come in any order and both forms")
  func forms() throws {
    let (a, _) = try parse([
      "sample", "x", "--project", Self.id, "--count=4", "--most", "9", "--scope", "launch,verify",
      "--scope=catalog", "--web-api-key-time", "2m", "--curl",
    ])
    #expect(a.thing == "x")
    #expect(a.project.description == Self.id)
    #expect(a.count == 4)
    #expect(a.most == 9)
    #expect(a.keyDelivery == nil)
    #expect(a.scope == [.launch, .verify, .catalog])
    #expect(a.webAPIKeyTime == Seconds(120))
    #expect(a.curl)
    let (b, _) = try parse([
      "sample", "--key-delivery=direct", "--scope", "launch", "--project=\(Self.id)", "--", "--x",
    ])
    #expect(b.thing == "--x")
    #expect(b.keyDelivery == .direct)
    #expect(b.count == 3)
    #expect(b.most == nil)
    #expect(b.webAPIKeyTime == Seconds(5))
    #expect(!b.curl)
  }

  @Test("an option ends at its sign also where the value begins with a mark")
  func marks() throws {
    let (command, globals) = try parse([
      "sample", "--config=\u{E33}", "--data-directory=\u{301}d", "--project", Self.id,
      "--scope=launch",
      "--", "-\u{301}",
    ])
    #expect(globals.config == "\u{E33}" && globals.dataDirectory == "\u{301}d")
    #expect(command.thing == "-\u{301}")
    #expect(refusal(["sample", "-\u{301}"])?.hasPrefix("There is no option") == true)
  }

  @Test("what every command takes may stand before and after its name")
  func globals() throws {
    let rest = ["x", "--project", Self.id, "--scope", "launch"]
    let (_, before) = try parse(["--output", "json", "--yes", "sample"] + rest)
    #expect(before.output == .json)
    #expect(before.yes)
    let (_, after) = try parse(["sample"] + rest + ["--config=a=b", "--data-directory", "-"])
    #expect(after.config == "a=b")
    #expect(after.dataDirectory == "-")
    #expect(after.output == .table)
    #expect(!after.yes)
  }

  @Test(
    "a slip of the keyboard is told with what was meant",
    arguments: [
      (["smaple"], #"There is no command "smaple"; did you mean sample?"#),
      (["zzz"], #"There is no command "zzz". Which command? There are sample, bare."#),
      ([], "Which command? There are sample, bare."),
      (["sample", "--cuont", "1"], #"There is no option "--cuont"; did you mean --count?"#),
      (["sample", "--out=json"], #"There is no option "--out"; did you mean --output?"#),
      (["sample", "-x"], #"There is no option "-x"."#),
      (["--count", "1", "sample"], #"There is no option "--count" before the command."#),
      (
        ["sample", "--key-delivery", "gatway"],
        #"--key-delivery: "gatway" is not one of gateway, direct; did you mean gateway?"#
      ),
      (["--verson"], #"There is no option "--verson" before the command; did you mean --version?"#),
    ])
  func slips(arguments: [String], message: String) {
    #expect(refusal(arguments) == message)
  }

  @Test(
    "what cannot be done is refused with the reason",
    arguments: [
      (["sample", "x"], "Missing: --project ID, --scope launch|catalog|support|verify"),
      (["sample", "--project", id, "--scope", "launch"], "Missing: THING"),
      (["bare", "x"], #"There is one argument too many: "x"."#),
      (["sample", "--project"], "--project needs a value: --project ID"),
      (["sample", "--project", "--curl"], "--project needs a value: --project ID"),
      (["sample", "--curl=yes"], "--curl takes no value."),
      (["sample", "--curl", "--curl"], "--curl is given twice."),
      (["sample", "--count", "1", "--count=1"], "--count is given twice."),
      (["sample", "--count", "10"], #"--count: "10" is not a whole number from 1 to 9."#),
      (["sample", "--count", "-1"], #"--count: "-1" is not a whole number from 1 to 9."#),
      (
        ["sample", "--project", "67B6"],
        #"--project: "67B6" is not a project id: 24 lower-case hexadecimal digits, such as "#
          + "\(id)."
      ),
      (
        ["sample", "--scope", "launch,"],
        #"--scope: "" is not one of launch, catalog, support, verify."#
      ),
    ])
  func refusals(arguments: [String], message: String) {
    #expect(refusal(arguments) == message)
  }

  @Test("an API key in the place of its id, or astray, is not repeated")
  func pastedKey() throws {
    let key = "llk_0Az0Az0Az0Az_00000000000000000000000000000000000000000000VrZD2"
    for arguments in [["sample", "--project", key], ["bare", key]] {
      let message = try #require(refusal(arguments))
      #expect(!message.contains(key))
    }
    let installation = try Installation()
    let run = installation.run("key", "revoke", key).expect(.usage, "that is an API key itself")
    #expect(!run.errors.contains(key))
  }

  @Test("a text from outside cannot steer the terminal")
  func controls() throws {
    let message = try #require(refusal(["\u{1B}[2Jx"]))
    #expect(!message.contains("\u{1B}"))
  }

  @Test("names of options come from names of properties")
  func names() {
    #expect(Substring("webAPIKeyFile").kebabCased == "web-api-key-file")
    #expect(Substring("userID").kebabCased == "user-id")
    #expect(Substring("ttl").kebabCased == "ttl")
  }
}

@Suite("Lengths of time")
struct SecondsTests {
  @Test(
    "are numbers with a unit",
    arguments: [
      ("3600s", 3600), ("30m", 1800), ("24h", 86_400), ("90d", 7_776_000),
      ("0s", 0), ("36500d", Seconds.limit),
    ])
  func valid(text: String, count: Int) {
    #expect(Seconds(argument: text)?.count == count)
  }

  @Test("are shown in the largest unit that leaves no rest")
  func description() {
    #expect(
      [0, 59, 60, 3600, 86_400, 90_000].map { "\(Seconds($0))" } == [
        "0s", "59s", "1m", "1h", "1d", "25h",
      ])
  }

  @Test(
    "nothing else is one",
    arguments: [
      "", "s", "d", "0", "90", "-1", "+1", "1.5h", "1w", "1 h", "h1", "1hh", "36501d",
      "999999999999d",
      "99999999999999999999", "１h", "1H",
    ])
  func invalid(text: String) {
    #expect(Seconds(argument: text) == nil)
  }
}
