import Configuration
import Domain
import Foundation
import Serving
import SQLiteStore
import Store
import Synchronization
import Testing

@Suite("A server's life")
struct ServerProcessTests {
  /// What a server said, to the admin and to the service manager, in order.
  private final class Heard: Sendable {
    let lines = Mutex<[String]>([])

    func add(_ line: String) { lines.withLock { $0.append(line) } }
  }

  /// Serves on free ports, over a store of its own, until the last signal.
  ///
  /// - Parameters:
  ///   - signals: what the server obeys, one after the other; a stop follows them.
  ///   - reloaded: options that a reload finds beside the start's, by the setting's name.
  /// - Returns: what the server said.
  /// - Throws: what keeps it from starting.
  private func serve(
    _ signals: [ServerSignals.Request], reloaded: [String: String] = [:]
  ) throws -> [String] {
    let directory = FileManager.default.temporaryDirectory.path + "/serving-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let clock: Clock = { Timestamp(seconds: 1_800_000_000) }
    _ = try SQLiteStore.initialize(
      directory: directory, keyRing: nil, masterKeyFile: directory + "/master.key", clock: clock,
      by: Actor(osUser: "admin"))
    let store = try SQLiteStore.open(
      directory: directory,
      keyRing: KeyRing.read(directory + "/master.key", credentialsDirectory: nil), clock: clock)
    let file = directory + "/empty.yaml"
    try Data().write(to: URL(filePath: file))
    let options = [
      "data_directory": directory, "listen": "127.0.0.1:0", "operations_listen": "127.0.0.1:0",
      "workers": "1",
    ]
    func source(_ options: [String: String]) -> ConfigurationSource {
      ConfigurationSource(file: file, environment: [:], options: options)
    }
    let rest = Mutex(signals)
    let heard = Heard()
    let later = source(options.merging(reloaded) { $1 })
    var process = try ServerProcess(
      source(options).load(), store: store, sockets: ServingSockets([]),
      in: .init(
        version: "0", load: later.load, clock: clock,
        signals: ServerSignals(
          hold: {}, next: { rest.withLock { $0.isEmpty ? .stop : $0.removeFirst() } }),
        serviceManager: ServiceManager(
          takeSockets: { [] }, notify: { heard.add($0.prefix { $0 != "\n" } + "") },
          watchdogInterval: { nil }),
        say: { heard.add($0) }))
    try process.run()
    return heard.lines.withLock { lines in lines.filter { !$0.contains("listening on") } }
  }

  @Test("the service manager hears when it is ready and when it stops")
  func states() throws {
    #expect(try serve([]) == ["READY=1", "stopping", "STOPPING=1"])
  }

  @Test("a reload takes over what can change, and names what takes a restart")
  func reload() throws {
    let heard = try serve([.reload], reloaded: ["deep_link_scheme": "acme", "workers": "2"])
    #expect(
      heard == [
        "READY=1", "RELOADING=1", "workers has changed: it takes effect after a restart",
        "reloaded", "READY=1", "stopping", "STOPPING=1",
      ])
  }

  @Test("a reload of a wrong configuration changes nothing and says why")
  func refusedReload() throws {
    let heard = try serve([.reload], reloaded: ["workers": "none"])
    #expect(
      heard == [
        "READY=1", "RELOADING=1",
        """
        warning: not reloaded, the previous configuration stays in effect: The configuration has a fault:
          --workers: workers: This has to be a whole number from 1 to 256.
        """,
        "READY=1", "stopping", "STOPPING=1",
      ])
  }
}
