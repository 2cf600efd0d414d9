import Foundation
import Domain
import Platform
import Store
import SQLite
import Synchronization
import TestSupport
import Testing

/// The time of day and the time since the machine was started, which stand where they were set.
final class TestClock: Sendable {
  private let time = Mutex(Timestamp(seconds: 1_795_953_600))
  private let milliseconds = Atomic<Int64>(40_000_000)

  /// The time of day; to set it is what `date --set` does.
  var now: Timestamp {
    get { time.withLock { $0 } }
    set { time.withLock { $0 = newValue } }
  }

  /// Lets time pass.
  func advance(seconds: Int) { advance(milliseconds: Int64(seconds) * 1000) }

  /// Lets time pass.
  func advance(milliseconds passed: Int64) {
    now = Timestamp(milliseconds: now.milliseconds + passed)
    milliseconds.add(passed, ordering: .relaxed)
  }

  /// Has the machine started just now.
  func restart() { milliseconds.store(1000, ordering: .relaxed) }

  /// The time since the machine was started.
  func machine(bootID: String?) -> MachineClock {
    MachineClock(bootID: bootID) { self.milliseconds.load(ordering: .relaxed) }
  }
}

/// A store in a directory of its own, which goes when the test ends.
final class TestStore {
  let directory: String
  let clock = TestClock()
  let store: any Store
  let actor = Actor(osUser: "admin", sudoUser: "kim")

  init() throws {
    directory = FileManager.default.temporaryDirectory.path + "/store-\(UUID().uuidString)"
    let clock = clock
    _ = try FileStore.initialize(
      directory: directory, keyRing: nil, masterKeyFile: directory + "/master.key",
      clock: { clock.now }, machine: clock.machine(bootID: "first"), by: actor)
    store = try Self.open(directory, clock: clock)
  }

  deinit {
    // Nothing depends on the directory's going.
    try? FileManager.default.removeItem(atPath: directory)
  }

  var database: String { directory + "/launchlink.db" }
  var masterKey: String { directory + "/master.key" }

  static func open(
    _ directory: String, clock: TestClock, bootID: String? = "first"
  ) throws -> any Store {
    try FileStore.open(
      directory: directory,
      keyRing: KeyRing.read(directory + "/master.key", credentialsDirectory: nil),
      clock: { clock.now }, machine: clock.machine(bootID: bootID))
  }

  /// The same store as another process would open it.
  func openAgain(bootID: String? = "first") throws -> any Store {
    try Self.open(directory, clock: clock, bootID: bootID)
  }

  /// The database itself, past the store.
  @discardableResult
  func withDatabase<Value>(_ body: (Connection) throws -> Value) throws -> Value {
    try body(Connection(path: database, mode: .readWrite, busyTimeout: .seconds(5)))
  }

  /// Puts another file in the place of the database, whose log files go too.
  func replaceDatabase(with file: String) throws {
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: database + suffix)
    }
    try FileManager.default.moveItem(atPath: file, toPath: database)
  }

  /// Makes files until those that come after get other numbers than those that were just removed had.
  func takeFreedFileNumbers() throws {
    for _ in 0..<8 { try Data().write(to: URL(filePath: "\(directory)/\(UUID().uuidString)")) }
  }

  @discardableResult
  func addProject(
    _ id: String = "67b6f2a9688f4a05db0a1d45", webAPIKey: String = "wk_secret_0123456789"
  ) throws -> Project {
    try store.createProject(
      ProjectDraft(id: #require(ProjectID(id)), name: "Acme \(id.suffix(2))", keyDelivery: .direct),
      webAPIKey: webAPIKey, by: actor)
  }

  func addKey(of project: Project, expiresIn: Int? = nil) throws -> IssuedAPIKey {
    try store.createAPIKey(
      APIKeyDraft(
        name: "backend", scopes: [.launch], projectID: project.id, expiresIn: expiresIn),
      by: actor)
  }

  /// The audit log as `action subject`.
  func audit() throws -> [String] {
    try withDatabase { database in
      try database.rows("SELECT action, subject FROM audit ORDER BY audit_id") {
        "\(try $0.text(0)) \(try $0.text(1))"
      }
    }
  }
}

/// The kind of the store's error that `body` throws.
func kind(of body: () throws -> Void) throws -> StoreError.Kind {
  try #require(throws: StoreError.self) { try body() }.kind
}

extension Store {
  /// Removes every master key that nothing needs.
  func dropUnneededMasterKeys(by actor: Actor) throws -> [String] {
    try dropMasterKeys(unneededMasterKeys().ids, by: actor)
  }
}
