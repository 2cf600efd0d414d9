package import Domain
internal import Foundation
package import SQLite
internal import SQLiteStore
package import Store

/// A store in a directory of its own, which goes when the test ends.
package final class TestStore {
  /// A value that a test needs is not there.
  package struct Missing: Error {}

  /// The data directory.
  package let directory: String
  /// The store's clock.
  package let clock = TestClock()
  /// The store.
  package let store: Store
  /// Who makes the tests' changes.
  package let actor = Actor(osUser: "admin", sudoUser: "kim")

  /// Makes a store with an active signing key.
  package init() throws {
    directory = FileManager.default.temporaryDirectory.path + "/store-\(UUID().uuidString)"
    let clock = clock
    _ = try SQLiteStore.initialize(
      directory: directory, keyRing: nil, masterKeyFile: directory + "/master.key",
      clock: { clock.now }, machine: clock.machine(bootID: "first"), by: actor)
    store = try Self.open(directory, clock: clock)
  }

  deinit {
    // Nothing depends on the directory's going.
    try? FileManager.default.removeItem(atPath: directory)
  }

  /// The database's file.
  package var database: String { directory + "/launchlink.db" }
  /// The key ring's file.
  package var masterKey: String { directory + "/master.key" }

  /// The key ring as its file has it now.
  package func keyRing() throws -> KeyRing {
    try KeyRing.read(masterKey, credentialsDirectory: nil)
  }

  private static func open(
    _ directory: String, clock: TestClock, bootID: String? = "first"
  ) throws -> Store {
    try SQLiteStore.open(
      directory: directory,
      keyRing: KeyRing.read(directory + "/master.key", credentialsDirectory: nil),
      clock: { clock.now }, machine: clock.machine(bootID: bootID))
  }

  /// The same store as another process would open it.
  package func openAgain(bootID: String? = "first") throws -> Store {
    try Self.open(directory, clock: clock, bootID: bootID)
  }

  /// The same store as a process opens it that read this key ring.
  package func open(with keyRing: KeyRing) throws -> Store {
    let clock = clock
    return try SQLiteStore.open(directory: directory, keyRing: keyRing, clock: { clock.now })
  }

  /// The database itself, past the store.
  @discardableResult
  package func withDatabase<Value>(_ body: (Connection) throws -> Value) throws -> Value {
    try body(Connection(path: database, mode: .readWrite, busyTimeout: .seconds(5)))
  }

  /// Adds a project.
  @discardableResult
  package func addProject(
    _ id: String = "67b6f2a9688f4a05db0a1d45", webAPIKey: String = "wk_secret_0123456789"
  ) throws -> Project {
    guard let projectID = ProjectID(id) else { throw Missing() }
    return try store.createProject(
      ProjectDraft(id: projectID, name: "Acme \(id.suffix(2))", keyDelivery: .direct),
      webAPIKey: webAPIKey, by: actor)
  }

  /// Adds a launch key of a project.
  package func addKey(of project: Project, expiresIn: Int? = nil) throws -> IssuedAPIKey {
    try store.createAPIKey(
      APIKeyDraft(
        name: "backend", scopes: [.launch], projectID: project.id, expiresIn: expiresIn),
      by: actor)
  }

  /// The audit log as `action subject`, oldest first.
  package func audit() throws -> [String] {
    try auditEntries().map { "\($0.action) \($0.subject)" }
  }

  /// The audit log, oldest first.
  package func auditEntries() throws -> [AuditEntry] {
    var query = AuditQuery()
    query.limit = AuditQuery.limits.upperBound
    return try store.makeReader().knowledge.auditEntries(query).reversed()
  }
}

/// The kind of the store's error that `body` throws.
package func kind(of body: () throws -> Void) throws -> StoreError.Kind {
  do {
    try body()
  } catch let error as StoreError {
    return error.kind
  }
  throw TestStore.Missing()
}

extension Store {
  /// Removes every master key that nothing needs.
  package func dropUnneededMasterKeys(by actor: Actor) throws -> [String] {
    try dropMasterKeys(unneededMasterKeys(), by: actor)
  }
}
