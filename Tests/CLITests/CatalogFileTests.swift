import Differences
import Foundation
import Synchronization
import Testing

@testable import CLI

@Suite("catalog import and export")
struct CatalogFileTests {
  static let sample = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../Config/catalog.sample.csv").path

  func imported() throws -> Installation {
    let installation = try Installation.made()
    installation.run("catalog", "import", Self.sample).expect(.success)
    return installation
  }

  func exported(_ installation: Installation) -> String {
    installation.run("catalog", "export").output
  }

  @Test("what export writes is imported again and changes nothing", arguments: ["csv", "json"])
  func roundTrip(format: String) throws {
    let installation = try imported()
    let text = installation.run("catalog", "export", "--format", format).expect(.success).output
    let file = try installation.write(text, to: "again.\(format)")
    let dry = installation.run("catalog", "import", file, "--dry-run", "--prune", "--yes").expect(
      .success)
    #expect(dry.output.isEmpty)
    #expect(dry.errors.contains("0 added, 0 changed, 32 unchanged, 0 deactivated"))
    installation.run("catalog", "import", file).expect(.success)
    let again = installation.run("catalog", "export", "--format", format).output
    #expect(firstDifference(again, text) == nil)
    let other = try Installation.made()
    other.run("catalog", "import", "-", "--format", format, input: text).expect(.success)
    #expect(firstDifference(exported(other), exported(installation)) == nil)
  }

  @Test("export takes its format from --output, and its mark only for CSV")
  func formats() throws {
    let installation = try imported()
    let json = installation.run("catalog", "export", "--output", "json").expect(.success).output
    let named = installation.run("catalog", "export", "--format", "json").output
    #expect(firstDifference(json, named) == nil)
    let csv = installation.run("catalog", "export").expect(.success).output
    let marked = installation.run("catalog", "export", "--byte-order-mark").expect(.success).output
    #expect(firstDifference(Array(marked.utf8), [0xEF, 0xBB, 0xBF] + Array(csv.utf8)) == nil)
    installation.run("catalog", "export", "--format", "json", "--byte-order-mark").expect(
      .usage, "--byte-order-mark")
    let file = try installation.write(marked, to: "marked.csv")
    installation.run("catalog", "import", file, "--dry-run").expect(.success, "32 unchanged")
  }

  @Test("a dry run shows each change for people and programs")
  func dryRun() throws {
    let installation = try imported()
    let header =
      "business_id,name,category,commission_type,commission_amount,commission_unit\n"
    let file = try installation.write(
      header
        + "new,새 가게,mall,CPS,1,KRW_COMMISSION_UNIT\n11st,11번가,mall,CPS,1,KRW_COMMISSION_UNIT\n",
      to: "next.csv")
    let before = installation.run("catalog", "export").output
    let dry = installation.run("catalog", "import", file, "--dry-run").expect(
      .success, "1 added, 1 changed (something erased of 1), 0 unchanged",
      "--prune would deactivate them")
    let lines = dry.output.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    #expect(lines.map { $0[0] } == ["change", "product", "erase", "add"])
    #expect(lines.map { $0[1] } == ["11st", "11st", "11st", "new"])
    #expect(lines[0].contains("products") && lines[3].suffix(2) == ["새", "가게"])
    let json = try installation.run(
      "catalog", "import", file, "--dry-run", "--prune", "--yes", "--output", "json"
    ).expect(.success).json()
    let changes = try #require(json["changes"] as? [[String: Any]])
    #expect(json["dry_run"] as? Bool == true && json["added"] as? Int == 1)
    #expect(changes.prefix(2).map { $0.text("change") } == ["change", "add"])
    #expect(changes.dropFirst(2).allSatisfy { $0.text("change") == "deactivate" })
    #expect(changes.count == 2 + (json["deactivated"] as? Int ?? -1))
    let nothing = try installation.run(
      "catalog", "import", Self.sample, "--dry-run", "--output", "json"
    ).json()
    #expect((nothing["changes"] as? [Any])?.isEmpty == true)
    #expect(firstDifference(exported(installation), before) == nil)
  }

  @Test("--prune deactivates what the file lacks, and never everything")
  func pruning() throws {
    let installation = try imported()
    let header = "business_id,name,category,commission_type,commission_amount,commission_unit\n"
    let one = try installation.write(
      header + "only,하나,mall,CPS,1,KRW_COMMISSION_UNIT\n", to: "one.csv")
    let none = try installation.write(header, to: "none.csv")
    installation.run("catalog", "import", none, "--prune", "--yes").expect(
      .badData, "would deactivate all")
    installation.run("catalog", "import", none).expect(.success)
    let done = installation.run("catalog", "import", one, "--prune", "--yes").expect(.success)
    #expect(done.output.hasPrefix("1 added, 0 changed, 0 unchanged, "))
    let active = try installation.run(
      "catalog", "list", "--active", "true", "--output", "json"
    ).items()
    #expect(active.map { $0.text("business_id") } == ["only"])
  }

  @Test("what an import takes away is listed and asked for; --yes, or an answer, lets it go")
  func takingAway() throws {
    let installation = try imported()
    let before = installation.run("catalog", "export").output
    let file = try installation.write(
      "business_id,aliases,url,active\n11st,eleven,,true\ncoupang,,,true\n", to: "less.csv")
    let arguments = ["catalog", "import", file, "--prune"]
    let told = installation.run(arguments).expect(
      .usage, "11st: url: \"https://11st.example/\"", "coupang: aliases: ", "say --yes",
      "deactivated (")
    installation.run(arguments, answer: "n").expect(
      .refused, "coupang: aliases: ", "Nothing was changed.")
    let dry = installation.run(arguments + ["--dry-run"]).expect(.success, "something erased of 2")
    let lines = dry.output.split(separator: "\n").map { $0.split(separator: " ").prefix(3) }
    let erasures = lines.filter { $0.first == "erase" }
    #expect(erasures.contains(["erase", "11st", "url:"]))
    #expect(erasures.contains(["erase", "coupang", "aliases:"]))
    let json = try installation.run(arguments + ["--dry-run", "--output", "json"]).json()
    let changes = try #require(json["changes"] as? [[String: Any]])
    let erased = try #require(changes.first?["erased"] as? [[String: Any]])
    #expect(erased.contains { $0.text("field") == "url" } && json["erased"] as? Int == 2)
    #expect(firstDifference(exported(installation), before) == nil)
    let done = installation.run(arguments + ["--yes"]).expect(.success, "The import took away:")
    #expect(done.output.hasPrefix("0 added, 2 changed (something erased of 2), 0 unchanged, "))
    let other = try imported()
    let agreed = other.run(arguments, answer: "y").expect(.success, "The import would take away:")
    #expect(firstDifference(agreed.output, done.output) == nil)
    #expect(firstDifference(exported(other), exported(installation)) == nil)
    #expect(told.output.isEmpty)
  }

  @Test("a long list is cut, and says how much there is beyond")
  func longList() throws {
    let installation = try Installation.made()
    let header =
      "business_id,name,category,commission_type,commission_amount,commission_unit,aliases"
    let rows = { (aliases: String) in
      (100..<170).map { "s\($0),S,mall,CPS,1,KRW_COMMISSION_UNIT,\(aliases)" }
    }
    let many = (1...9).map { "a\($0)" }.joined(separator: "|")
    let first = try installation.write(
      ([header] + rows(many)).joined(separator: "\n"), to: "first.csv")
    let next = try installation.write(
      ([header] + rows("")).joined(separator: "\n"), to: "next.csv")
    installation.run("catalog", "import", first).expect(.success)
    let told = installation.run("catalog", "import", next).expect(
      .usage, "\"a5\" and 4 more", "… and of 20 more; --dry-run shows all.",
      "70 lose something")
    #expect(told.errors.split(separator: "\n").count < 60)
    let dry = installation.run("catalog", "import", next, "--dry-run").expect(.success)
    #expect(dry.output.split(separator: "\n").filter { $0.hasPrefix("erase") }.count == 70)
  }

  @Test("standard input needs a format, and a format overrules a name")
  func names() throws {
    let installation = try Installation.made()
    installation.run("catalog", "import", "-", input: "[]").expect(.usage, "--format")
    let file = try installation.write("[]", to: "catalog.txt")
    installation.run("catalog", "import", file).expect(.usage, "or say --format")
    installation.run("catalog", "import", file, "--format", "json").expect(.success)
    installation.run("catalog", "import", file, "--format", "jsn").expect(
      .usage, "did you mean json")
  }

  @Test("only long work on a terminal shows how far it is")
  func progress() {
    func shown(size: Int, isTerminal: Bool) -> String {
      let lines = Lines()
      let console = Console(
        readInput: { _ in [] }, readLine: { _ in nil }, isInteractive: false,
        showsProgress: isTerminal, write: { _ in }, writeError: { lines.add($0) })
      let progress = Progress(of: size, on: console)
      for _ in 0..<4 { progress.read(size / 4) }
      progress.changed(999)
      progress.changed(1000)
      progress.end()
      progress.end()
      return lines.text
    }
    #expect(shown(size: 8 << 20, isTerminal: false).isEmpty)
    #expect(shown(size: 1 << 20, isTerminal: true).isEmpty)
    #expect(
      shown(size: 8 << 20, isTerminal: true).split(separator: "\u{1B}[K") == [
        "\rReading: 25 %", "\rReading: 50 %", "\rReading: 75 %", "\rReading: 100 %",
        "\rChanging: 1000 businesses", "\r",
      ])
  }
}

@Suite("catalog add, update, disable, enable, remove")
struct CatalogEditingTests {
  static let add = [
    "catalog", "add", "--id", "coupang", "--name", "쿠팡", "--category", "mall", "--commission-type",
    "CPS", "--commission-amount", "2.5", "--commission-unit", "PERCENTAGE_COMMISSION_UNIT",
  ]

  func made() throws -> Installation {
    let installation = try Installation.withProject()
    installation.run(Self.add + ["--alias", "a,b", "--alias", "로켓"]).expect(.success)
    return installation
  }

  func launch(_ installation: Installation) -> Run {
    installation.run(
      "launch", "--project", Installation.project, "--user-id", "u", "--platform", "IOS", "--page",
      "program", "--business-id", "coupang")
  }

  @Test("add takes everything that a file can say")
  func adding() throws {
    let installation = try made()
    let shown = try installation.run("catalog", "show", "coupang", "--output", "json").json()
    #expect(shown["aliases"] as? [String] == ["a,b", "로켓"] && shown["active"] as? Bool == true)
    installation.run(Self.add).expect(.refused, "catalog update coupang")
    let full = try installation.run(
      Self.add.map { $0 == "coupang" ? "full" : $0 } + [
        "--image-url", "https://i.example/", "--url", "https://u.example/", "--program-name", "p",
        "--display-allowed-cases", "d", "--display-caution", "c", "--target", "t", "--starts-at",
        "2026-01-01T00:00:00Z", "--ends-at", "2026-02-01T00:00:00Z", "--active", "false",
        "--output", "json",
      ]
    ).expect(.success).json()
    #expect(full.values.allSatisfy { !($0 is NSNull) } && full["active"] as? Bool == false)
    let product = try #require((full["products"] as? [[String: Any]])?.first)
    #expect(product.values.allSatisfy { !($0 is NSNull) })
  }

  @Test("every fault of a command line is told by its option")
  func faults() throws {
    let installation = try Installation.made()
    installation.run(
      "catalog", "add", "--id", "A", "--name", "", "--category", "mal", "--commission-type", "CPS",
      "--commission-amount", "101", "--commission-unit", "PERCENTAGE_COMMISSION_UNIT", "--alias",
      "a|b", "--url", "x"
    ).expect(
      .usage, "--id: A business id", "--name: ",
      "--category: There is no such category; did you mean mall?",
      "--commission-amount: ", "--alias: ", "--url: ")
    installation.run("catalog", "add", "--commission-type", "CPX").expect(
      .usage, "--commission-type: \"CPX\" is not one of")
    installation.run("catalog", "add", "--id", "a").expect(.usage, "Missing: --name NAME")
    #expect(try installation.run("catalog", "list", "--output", "json").items().isEmpty)
  }

  @Test("update changes only what is named, and clears what is empty")
  func updating() throws {
    let installation = try made()
    installation.run(
      "catalog", "update", "coupang", "--url", "https://coupang.example/", "--commission-amount",
      "3"
    ).expect(.success)
    let added = try installation.run(
      "catalog", "update", "coupang", "--url", "", "--set-aliases", "", "--product", "2",
      "--commission-type", "CPA", "--commission-amount", "3000", "--commission-unit",
      "KRW_COMMISSION_UNIT", "--output", "json"
    ).expect(.success).json()
    #expect(added["url"] is NSNull && added["aliases"] as? [String] == [])
    #expect(added.text("name") == "쿠팡" && (added["products"] as? [Any])?.count == 2)
    let shown = installation.run("catalog", "update", "coupang", "--remove-product", "1")
      .expect(.success).output
    #expect(shown.contains("CPA 3000 KRW") && !shown.contains("CPS"))
    installation.run("catalog", "update", "coupang", "--remove-product", "1").expect(
      .usage, "at least one product")
    installation.run("catalog", "update", "coupang", "--remove-product", "2").expect(.usage)
    installation.run("catalog", "update", "coupang", "--product", "1").expect(.usage, "--product")
    installation.run("catalog", "update", "coupang").expect(.usage, "Name what is to be changed.")
    installation.run("catalog", "update", "coupang", "--category", "x").expect(.usage, "--category")
    installation.run("catalog", "update", "copang", "--name", "x").expect(
      .refused, "did you mean coupang?")
  }

  @Test("aliases come and go one by one, and all only where that is said")
  func aliases() throws {
    let installation = try made()
    func updated(_ arguments: String...) throws -> [String]? {
      try installation.run(
        ["catalog", "update", "coupang", "--output", "json"] + arguments
      ).expect(.success).json()["aliases"] as? [String]
    }
    #expect(try updated("--add-alias", "c", "--add-alias", "d,e") == ["a,b", "로켓", "c", "d,e"])
    #expect(try updated("--add-alias", "c") == ["a,b", "로켓", "c", "d,e"])
    #expect(try updated("--remove-alias", "a,b", "--remove-alias", "c") == ["로켓", "d,e"])
    #expect(try updated("--remove-alias", "로켓".decomposedStringWithCanonicalMapping) == ["d,e"])
    #expect(try updated("--remove-alias", "d,e", "--add-alias", "f") == ["f"])
    #expect(try updated("--set-aliases", "g|h i") == ["g", "h i"])
    #expect(try updated("--name", "쿠팡") == ["g", "h i"])
    for (arguments, words) in [
      (["--alias", "x"], ["--add-alias", "--remove-alias", "--set-aliases"]),
      (["--alias=x"], ["--add-alias", "--remove-alias", "--set-aliases"]),
      (["--set-aliases", "x", "--add-alias", "y"], ["--set-aliases replaces all"]),
      (["--remove-alias", "hi"], ["--remove-alias: ", "did you mean h i?"]),
      (["--add-alias", "a|b"], ["--add-alias: An alias cannot hold |"]),
      (["--add-alias", ""], ["--add-alias: "]), (["--set-aliases", "a||b"], ["--set-aliases: "]),
    ] {
      let run = installation.run(["catalog", "update", "coupang"] + arguments).expect(.usage)
      for word in words { #expect(run.errors.contains(word), "\(run.errors)") }
    }
    #expect(try updated("--set-aliases", "") == [])
  }

  @Test("a launch follows disable, enable and remove at once")
  func launching() throws {
    let installation = try made()
    launch(installation).expect(.success)
    installation.run("catalog", "disable", "coupang").expect(.success)
    launch(installation).expect(.badData, "inactive_business")
    installation.run("catalog", "enable", "coupang").expect(.success)
    launch(installation).expect(.success)
    installation.run("catalog", "remove", "coupang", "--yes").expect(.success)
    launch(installation).expect(.badData, "unknown_business")
    installation.run("catalog", "disable", "coupang").expect(.refused)
  }

  @Test("remove asks, and needs --yes where nobody can be asked")
  func removing() throws {
    let installation = try made()
    installation.run("catalog", "remove", "coupang").expect(.usage, "--yes")
    installation.run("catalog", "remove", "coupang", answer: "n").expect(
      .refused, "Remove coupang (쿠팡) for good?", "Nothing was changed.")
    installation.run("catalog", "remove", "copang", "--yes").expect(
      .refused, "did you mean coupang?")
    let json = try installation.run("catalog", "remove", "coupang", "--output", "json", answer: "y")
      .expect(.success).json()
    #expect(json["removed"] as? Bool == true && json.text("business_id") == "coupang")
    installation.run("catalog", "show", "coupang").expect(.refused)
  }
}
