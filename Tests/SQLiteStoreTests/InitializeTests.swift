import Domain
import Foundation
import SQLite
import SQLiteStore
import Store
import StoreFixtures
import Testing

@Suite("Initializing and opening") struct InitializeTests {
  @Test("everything is made, readable by its owner only")
  func making() throws {
    let test = try TestStore()
    let mode: (String) throws -> Int? = { path in
      try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }
    #expect(try mode(test.directory) == 0o700)
    #expect(try mode(test.masterKey) == 0o600)
    #expect(try mode(test.database) == 0o600)
    let keys = try test.store.makeReader().knowledge.signingKeys()
    #expect(keys.map(\.state) == [.active])
    #expect(try test.audit() == ["signing-key.activate \(keys[0].id)"])
    try test.store.makeReader().knowledge.checkReadiness()
  }

  @Test("doing it again changes nothing")
  func again() throws {
    let test = try TestStore()
    let before = try Data(contentsOf: URL(filePath: test.masterKey))
    let clock = test.clock
    let report = try SQLiteStore.initialize(
      directory: test.directory, keyRing: KeyRing.read(test.masterKey, credentialsDirectory: nil),
      masterKeyFile: test.masterKey, clock: { clock.now }, by: test.actor)
    #expect(report.created.isEmpty)
    #expect(try Data(contentsOf: URL(filePath: test.masterKey)) == before)
    #expect(try test.store.makeReader().knowledge.signingKeys().count == 1)
  }

  @Test("a database whose master key is gone gets no new one")
  func lostKey() throws {
    let test = try TestStore()
    try FileManager.default.removeItem(atPath: test.masterKey)
    let clock = test.clock
    let found = try kind {
      _ = try SQLiteStore.initialize(
        directory: test.directory, keyRing: nil, masterKeyFile: test.masterKey,
        clock: { clock.now }, by: test.actor)
    }
    #expect(found == .unusable)
    #expect(!FileManager.default.fileExists(atPath: test.masterKey))
  }

  @Test("a directory without database says to run init")
  func noDatabase() throws {
    let test = try TestStore()
    try FileManager.default.removeItem(atPath: test.database)
    let error = try #require(throws: StoreError.self) { try test.openAgain() }
    #expect(error.kind == .unusable && error.description.contains("launchlink init"))
  }

  @Test("an empty database is refused, and init mends it")
  func emptyDatabase() throws {
    let test = try TestStore()
    let empty = test.directory + "/empty"
    try Data().write(to: URL(filePath: empty))
    try test.replaceDatabase(with: empty)
    let error = try #require(throws: StoreError.self) { try test.openAgain() }
    #expect(error.kind == .unusable && error.description.contains("empty"))
    let clock = test.clock
    _ = try SQLiteStore.initialize(
      directory: test.directory, keyRing: KeyRing.read(test.masterKey, credentialsDirectory: nil),
      masterKeyFile: test.masterKey, clock: { clock.now }, by: test.actor)
    try test.openAgain().makeReader().knowledge.checkReadiness()
  }

  @Test("a store whose database was replaced refuses everything, and another one opens the new")
  func replacedDatabase() throws {
    let test = try TestStore()
    let project = try test.addProject()
    let reader = try test.store.makeReader()
    #expect(try reader.knowledge.project(project.id) != nil && reader.isCurrent)
    #expect(!test.store.isReplaced)
    let other = test.directory + "/other"
    let clock = test.clock
    _ = try SQLiteStore.initialize(
      directory: other, keyRing: KeyRing.read(test.masterKey, credentialsDirectory: nil),
      masterKeyFile: test.masterKey, clock: { clock.now }, by: test.actor)
    try test.replaceDatabase(with: other + "/launchlink.db")
    // It looks ten times a second at most.
    usleep(150_000)
    #expect(!reader.isCurrent && test.store.isReplaced)
    #expect(try kind { _ = try test.store.makeReader() } == .unavailable)
    #expect(try kind { try test.addProject("67b6f2a9688f4a05db0a1d46") } == .unavailable)
    #expect(try test.openAgain().makeReader().knowledge.projects().isEmpty)
  }

  @Test("a database that was moved away and comes back goes on")
  func movedDatabase() throws {
    let test = try TestStore()
    let project = try test.addProject()
    let reader = try test.store.makeReader()
    let files = ["", "-wal", "-shm"]
    for suffix in files {
      try FileManager.default.moveItem(
        atPath: test.database + suffix, toPath: test.directory + "/away" + suffix)
    }
    usleep(150_000)
    #expect(!reader.isCurrent && !test.store.isReplaced)
    #expect(throws: StoreError.self) { try test.store.makeReader() }
    for suffix in files.reversed() {
      try FileManager.default.moveItem(
        atPath: test.directory + "/away" + suffix, toPath: test.database + suffix)
    }
    #expect(try test.store.makeReader().knowledge.project(project.id) != nil)
    _ = try test.store.setProject(project.id, enabled: false, by: test.actor)
  }

  @Test("a master key that others may read is refused", arguments: [0o640, 0o604, 0o644, 0o700])
  func looseMode(mode: Int) throws {
    let test = try TestStore()
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: test.masterKey)
    let error = try #require(throws: StoreError.self) { try test.openAgain() }
    #expect(error.kind == .permission && error.description.contains("chmod 0600"))
  }

  @Test("inside the credentials directory mode 0440 will do, and nowhere else")
  func credentials() throws {
    let test = try TestStore()
    try FileManager.default.setAttributes([.posixPermissions: 0o440], ofItemAtPath: test.masterKey)
    _ = try KeyRing.read(test.masterKey, credentialsDirectory: test.directory)
    #expect(
      try kind { _ = try KeyRing.read(test.masterKey, credentialsDirectory: "/elsewhere") }
        == .permission)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: test.masterKey)
  }

  @Test("a wrong or damaged key ring is refused when the store is opened, without showing a key")
  func wrongKey() throws {
    let test = try TestStore()
    let other = try TestStore()
    let good = try String(contentsOfFile: test.masterKey, encoding: .utf8)
    let wrong = try String(contentsOfFile: other.masterKey, encoding: .utf8)
    let samesName = good.prefix(16) + wrong.dropFirst(16)
    for text in [wrong, String(samesName), "", "mk_", good + good, good.replacing(":", with: ";")] {
      try Data(text.utf8).write(to: URL(filePath: test.masterKey))
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o600], ofItemAtPath: test.masterKey)
      let error = try #require(throws: StoreError.self) { try test.openAgain() }
      #expect(error.kind == .unusable)
      #expect(!error.description.contains(String(wrong.dropFirst(16).prefix(20))))
    }
  }

  @Test("a database of another program or a newer version is refused")
  func foreignDatabase() throws {
    for pragma in ["application_id = 7", "user_version = 9999"] {
      let test = try TestStore()
      try test.withDatabase { try $0.script("PRAGMA \(pragma)") }
      #expect(try kind { _ = try test.openAgain() } == .unusable)
    }
  }
}
