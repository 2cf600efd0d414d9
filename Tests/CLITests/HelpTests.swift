import Differences
import Foundation
import Testing

@testable import CLI

@Suite("Help")
struct HelpTests {
  /// Every command with the words that call it.
  static func all(
    from command: any ParsableCommand.Type = LaunchLinkCommand.self, path: [String] = []
  ) -> [(path: [String], command: any ParsableCommand.Type)] {
    [(path, command)]
      + command.configuration.subcommands.flatMap {
        all(from: $0, path: path + [$0.configuration.commandName])
      }
  }

  static let paths = all().map(\.path)

  @Test("every command has one, with an example, on standard output", arguments: paths)
  func help(path: [String]) throws {
    let installation = try Installation()
    let globals = GlobalOptions()
    for arguments in [path + ["--help"], ["help"] + path, ["-h"] + path] {
      guard
        case .help(let text) = try CommandParser.parse(
          arguments, root: LaunchLinkCommand.self, globals: globals)
      else {
        Issue.record("no help for \(arguments)")
        continue
      }
      let usage = "Usage: " + (["launchlink"] + path).joined(separator: " ")
      #expect(excerpt(of: text, around: usage) != nil, "\(usage)")
      #expect(excerpt(of: text, around: "Example:\n  launchlink") != nil, "\(usage)")
      #expect(text.split(separator: "\n").allSatisfy { !$0.hasSuffix(" ") })
    }
    #expect(installation.run("--help").expect(.success).errors.isEmpty)
  }

  @Test("every example is a command line that parses")
  func examples() throws {
    for (path, command) in Self.all() {
      let text = command.configuration.examples.joined(separator: "\n")
        .replacing("\\\n", with: "")
      #expect(!text.isEmpty, "\(path)")
      for line in text.split(separator: "\n") {
        for part in line.split(separator: "|") {
          let words = part.split(separator: " ").map { $0.replacing("\"", with: "") }
            .filter { !$0.hasPrefix(">") }
          #expect(words.first == "launchlink")
          _ = try CommandParser.parse(
            words.dropFirst().map(String.init), root: LaunchLinkCommand.self,
            globals: GlobalOptions())
        }
      }
    }
  }

  @Test("says what an option takes and its default")
  func options() throws {
    let text = try Installation().run("project", "create", "--help").expect(.success).output
    for words in [
      "--key-delivery gateway|direct", "[--ttl SECONDS]", "lifetimes.launch, 300 unless set",
      "Default: 500.", "--web-api-key-file FILE",
    ] {
      #expect(excerpt(of: text, around: words) != nil, "\(words)")
    }
    let key = try Installation().run("key", "create", "--help").expect(.success).output
    #expect(excerpt(of: key, around: "Default: .") == nil)
    let rotate = try Installation().run("key", "rotate", "--help").expect(.success).output
    #expect(excerpt(of: rotate, around: "lifetimes.key_grace, 24h unless set") != nil)
  }

  @Test("the version is told either way")
  func version() throws {
    let installation = try Installation()
    #expect(installation.run("--version").expect(.success).output == "launchlink 0.1.0\n")
    let json = try installation.run("version", "--output", "json").expect(.success).json()
    #expect(json.text("version") == "0.1.0")
    let description = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../openapi.yaml")
    #expect(try String(contentsOf: description, encoding: .utf8).contains("\n  version: 0.1.0\n"))
  }
}

@Suite("Tables")
struct TableTests {
  @Test("Hangul takes two columns, what combines none")
  func width() {
    #expect("쿠팡".displayWidth == 4)
    #expect("쿠팡".decomposedStringWithCanonicalMapping.displayWidth == 4)
    #expect("e\u{301}A".displayWidth == 2)
    #expect("ｶA가".displayWidth == 4)
    #expect("Ａ한".displayWidth == 4)
  }

  @Test("columns are aligned whatever is in them")
  func alignment() {
    let table = Table(headings: ["ID", "NAME", "X"], rows: [["1", "쿠팡", "a"], ["22", "b", ""]])
    #expect(table.text == "ID  NAME  X\n1   쿠팡  a\n22  b\n")
  }

  @Test("control characters do not reach the terminal")
  func controls() {
    let table = Table(headings: ["ID"], rows: [["a\u{1B}[2J\nb"]])
    #expect(table.text == "ID\na\\u{1b}[2J\\nb\n")
    #expect(Table.properties([("A", "one\ntwo\u{7}")]) == "A  one\n   two\\u{7}\n")
  }
}
