import Configuration
import Differences
import Foundation
import Testing

@testable import CLI

@Suite("config")
struct ConfigCommandTests {
  @Test("check says OK, or every fault and 78")
  func check() throws {
    let installation = try Installation()
    let good = try installation.write("workers: 1", to: "good.yaml")
    let bad = try installation.write("workers: 0\nlisten: x", to: "bad.yaml")
    #expect(
      installation.run("config", "check", "--config", good).expect(.success).output
        == "OK: \(good)\n")
    let run = installation.run("config", "check", "--config", bad)
      .expect(.configuration, "2 faults", "\(bad):1:10", "\(bad):2:9")
    #expect(run.output.isEmpty)
    let json = try installation.run("config", "check", "--config", bad, "--output", "json")
      .expect(.configuration).json()
    #expect(json["valid"] as? Bool == false)
    #expect((json["faults"] as? [Any])?.count == 2)
  }

  @Test("check refuses an option that names no file")
  func emptyName() throws {
    let run = try Installation().run("config", "check", "--config", "")
    run.expect(.configuration, "--config: ")
  }

  @Test("show names each setting with its value and where it comes from")
  func show() throws {
    let installation = try Installation()
    let items = try installation.run(
      "config", "show", "--output", "json", environment: ["LAUNCHLINK_WORKERS": "3"]
    ).expect(.success).items()
    #expect(items.count == Settings.all.count)
    let workers = try #require(items.first { $0.text("setting") == "workers" })
    #expect(workers["value"] as? Int == 3)
    #expect(workers.text("source") == "$LAUNCHLINK_WORKERS")
    let directory = try #require(items.first { $0.text("setting") == "data_directory" })
    #expect(directory.text("source") == "--data-directory")
    let table = installation.run("config", "show").expect(.success).output
    #expect(excerpt(of: table, around: "timeouts.idle") != nil)
  }

  @Test("every command that needs the configuration stops on its faults")
  func stops() throws {
    let installation = try Installation()
    for command in [["init"], ["project", "list"], ["catalog", "list"]] {
      let environment = ["LAUNCHLINK_WROKERS": "1"]
      let run =
        command.count == 1
        ? installation.run(command[0], environment: environment)
        : installation.run(command[0], command[1], environment: environment)
      run.expect(.configuration, "$LAUNCHLINK_WROKERS", "LAUNCHLINK_WORKERS?")
    }
  }
}
