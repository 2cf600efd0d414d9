import Configuration
import Differences
import Foundation
import Testing

@testable import CLI

/// Help, completions and the manual against the table that the parser reads by.
@Suite("The command table")
struct CommandTableTests {
  static var program: CommandEntry { CommandEntry(LaunchLinkCommand.self) }
  static var manual: Manual { Manual(of: program, date: "November 30, 2026") }

  /// The manual page that a command is on.
  static func page(of command: CommandEntry, in manual: Manual) throws -> String {
    let name = command.path.prefix(2).joined(separator: "-")
    return try #require(manual.pages.first { $0.name == name }).source
  }

  @Test("has what the parser takes", arguments: HelpTests.paths)
  func parsing(path: [String]) throws {
    let command = try #require(Self.program.all.first { $0.path.dropFirst() == path[...] })
    for definition in command.options + command.common {
      // What is unknown is told by name; what is known asks for its value, or for what else is missing.
      do {
        _ = try CommandParser.parse(
          path + ["--" + definition.name], root: LaunchLinkCommand.self, globals: GlobalOptions())
      } catch {
        #expect(!error.message.contains("There is no option"), "\(definition.usage)")
        if definition.kind == .option {
          #expect(error.message.contains("needs a value"), "\(definition.usage)")
        }
      }
    }
  }

  @Test("every command, option and argument is in its help and its manual")
  func words() throws {
    let manual = Self.manual
    for command in Self.program.all {
      let help = HelpText.of(command)
      let page = try Self.page(of: command, in: manual)
      let synopsis = command.name.replacing("-", with: "\\-")
      let name = command.isRoot ? ".Nm launchlink" : synopsis
      #expect(excerpt(of: page, around: name) != nil, "\(name)")
      for argument in command.arguments + command.common {
        #expect(
          excerpt(of: help, around: "  " + argument.usage) != nil,
          "\(command.name) \(argument.usage)")
      }
      // What all commands take is told once.
      for argument in command.arguments + (command.isRoot ? command.common : []) {
        let name = argument.name.replacing("-", with: "\\-")
        let item =
          argument.kind == .argument
          ? ".It Ar \(Mdoc.escaped(argument.valueName))" : ".It Fl \\-\(name)"
        let lines = page.replacing("\\&", with: "").split(separator: "\n")
        #expect(
          lines.contains { $0 == item || $0.hasPrefix(item + " ") }, "\(command.name) \(item)")
      }
    }
  }

  @Test("a file or a directory is completed as such")
  func files() {
    for argument in Self.program.all.flatMap({ $0.arguments + $0.common }) {
      let isFile = argument.name == "file" || argument.name.hasSuffix("-file")
      if isFile { #expect(argument.completion == .files, "\(argument.usage)") }
    }
  }

  @Test("an option of the program stands in place of a command")
  func inPlaceOfACommand() throws {
    let installation = try Installation()
    let script = installation.run("--generate-completion-script", "fish").expect(.success).output
    #expect(firstDifference(script, CompletionShell.fish.script) == nil)
    installation.run("--generate-completion-script", "fish", "key", "list")
      .expect(.usage, "--generate-completion-script stands in place of a command")
    installation.run("--generate-completion-script", "powershell").expect(.usage, "bash")
  }
}

@Suite("The manual")
struct ManualTests {
  @Test("every setting is described, in the order of the table")
  func settings() throws {
    let text = SettingsText.shipped
    let entries = text.sections.flatMap(\.entries)
    #expect(entries.map(\.name) == Settings.all.map(\.name))
    #expect(entries.allSatisfy { !$0.text.isEmpty })
    #expect(text.introduction.hasPrefix("LaunchLink's settings"))
    let page = try #require(CommandTableTests.manual.pages.last)
    #expect(page.name == "launchlink.yaml" && page.section == 5)
    for setting in Settings.all {
      for line in [".It Cm \(setting.name)\n", ".Ev \(setting.variable)\n"] {
        #expect(excerpt(of: page.source, around: line) != nil, "\(line)")
      }
    }
    let origins = "  internal_origins: [https://cashback\\-ui.moment.fairytech.ai]"
    #expect(excerpt(of: page.source, around: origins) != nil)
  }

  @Test("what is text stays text: quotes, dashes, backslashes, Hangul, macros' names")
  func escaping() {
    #expect(Mdoc.escaped(#"a-b\ 'c' "d" ~^`"#) == #"a\-b\e \(aqc\(aq \(dqd\(dq \(ti\(ha\(ga"#)
    #expect(Mdoc.escaped("뷰티…") == "\\[uBDF0]\\[uD2F0]\\[u2026]")
    #expect(Mdoc.escaped(".Sh") == "\\&.Sh")
    var text = Mdoc()
    text.line("It", "No", "key list")
    text.prose("One. Two: …\n\n  .literal\nThree.")
    #expect(
      text.source == """
        .It \\&No "key list"
        One.
        Two: \\[u2026]
        .Bd -literal -offset indent
        \\&.literal
        .Ed
        .Pp
        Three.

        """)
  }

  @Test("pages bear the day of SOURCE_DATE_EPOCH and come out the same again")
  func date() throws {
    let installation = try Installation()
    func page(_ environment: [String: String]) throws -> String {
      let directory = installation.directory.appending(path: "manual").path
      installation.run("--generate-manual", directory, environment: environment).expect(.success)
      return try String(contentsOfFile: directory + "/man1/launchlink-key.1", encoding: .utf8)
    }
    let first = try page(["SOURCE_DATE_EPOCH": "1796000000"])
    let head = first.split(separator: "\n").prefix(2)
    #expect(head == [".Dd November 30, 2026", ".Dt LAUNCHLINK-KEY 1"])
    installation.pass(seconds: 86_400)
    let second = try page(["SOURCE_DATE_EPOCH": "1796000000"])
    #expect(firstDifference(second, first) == nil)
    #expect(try page([:]).hasPrefix(".Dd January 16, 2027\n"))
    let directory = installation.directory.appending(path: "manual").path
    installation.run(
      "--generate-manual", directory, environment: ["SOURCE_DATE_EPOCH": "yesterday"]
    ).expect(.usage, "SOURCE_DATE_EPOCH")
    installation.run("--generate-manual", "/dev/null/x").expect(.inputOutput, "/dev/null/x")
  }
}
