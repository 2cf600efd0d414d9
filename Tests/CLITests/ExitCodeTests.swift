import Configuration
import Domain
import HTTPServer
import Platform
import Serving
import Store
import Testing

@testable import CLI

@Suite("Exit codes")
struct ExitCodeTests {
  @Test(
    "are those of sysexits.h for what the store reports",
    arguments: [
      (StoreError.Kind.notFound, 1), (.alreadyExists, 1), (.inUse, 1), (.invalid, 65),
      (.unavailable, 69), (.inputOutput, 74), (.permission, 77), (.unusable, 78),
    ] as [(StoreError.Kind, Int32)])
  func store(kind: StoreError.Kind, code: Int32) {
    let failure = CommandFailure(describing: StoreError(kind, "It is so."))
    #expect(failure.code.rawValue == code)
    #expect(failure.message == "It is so.")
  }

  @Test("and for a server that does not start")
  func server() throws {
    let address = try Address(parsing: "127.0.0.1:80")
    let codes = [
      ServerError.addressInUse(address), .permissionDenied(address), .addressNotAvailable(address),
      .system(address, operation: "listen", number: 1),
    ].map { CommandFailure(describing: $0).code }
    #expect(codes == [.unavailable, .permission, .configuration, .unavailable])
  }

  @Test("a message cannot steer the terminal, wherever its words come from")
  func controls() throws {
    let run = try Installation().run("config", "check", "--config", "/no\u{1B}[2Jwhere\nat all")
    run.expect(.configuration, #"/no\u{1b}[2Jwhere"#)
    #expect(!run.errors.contains("\u{1B}"))
  }

  @Test("a result that cannot be written is an I/O error")
  func output() throws {
    let errors = Lines()
    let console = Console(
      readInput: { _ in [] }, readLine: { _ in nil }, isInteractive: false,
      write: { _ in throw FileError("No space left on device.") },
      writeError: { errors.add($0) })
    let program = Program(
      arguments: ["version"], environment: [:], console: console,
      clock: { Timestamp(seconds: 0) }, signals: ServerSignals(hold: {}, next: { .stop }))
    #expect(program.run() == 74)
    #expect(errors.text == "launchlink version: No space left on device.\n")
  }
}
