import Domain
import Foundation
import Platform
import Store
import StoreFixtures
import Testing

@Suite("Happenings that are written together") struct HappeningGroupTests {
  private func launchID(_ number: Int) throws -> LaunchID {
    try #require(LaunchID("01a2272d-267b-7abc-8def-\(String(format: "%012d", number))"))
  }

  private let told = Told()

  /// Runs `body` while another process holds the lock, so that all it records comes together after a first happening.
  private func together(in test: TestStore, _ body: () throws -> Void) throws {
    try test.whileLocked {
      // The writer waits for the lock with this one.
      test.store.record(.use(try launchID(999_999))) { _ in }
      usleep(50_000)
      try body()
    }
  }

  @Test("of many uses of one launch in one group, and in another process, exactly one is the first")
  func oneWins() throws {
    let test = try TestStore()
    let other = try test.openAgain()
    let id = try launchID(1)
    try together(in: test) {
      for number in 0..<64 {
        [test.store, other][number % 4 == 3 ? 1 : 0].record(.use(id)) {
          told.add("\(number)", $0.map(String.init))
        }
      }
    }
    let results = try told.wait(for: 64)
    #expect(results.values.filter { $0 == "true" }.count == 1)
    #expect(results.values.filter { $0 == "false" }.count == 63)
  }

  @Test("a group is one commit")
  func oneCommit() throws {
    let test = try TestStore()
    let project = try test.addProject()
    let before = try test.commits()
    try together(in: test) {
      for number in 0..<50 {
        test.store.record(.use(try launchID(number))) {
          told.add("use \(number)", $0.map(String.init))
        }
        test.store.record(.logOut("kim\(number)", of: project.id)) {
          told.add("log-out \(number)", $0.map { _ in "" })
        }
      }
    }
    _ = try told.wait(for: 100)
    #expect(try test.commits() - before == 2, "the first happening's and the group's")
  }

  @Test("the fault of one is not the fault of the others, and each is told its own result")
  func ownFaults() throws {
    let test = try TestStore()
    let project = try test.addProject()
    let key = try test.addKey(of: project).key.id
    let gone = try #require(KeyID("key_0123456789ab"))
    var generator = SystemRandomNumberGenerator()
    let (lost, kept) = (SessionToken(using: &generator), SessionToken(using: &generator))
    try together(in: test) {
      test.store.record(.use(try launchID(1))) { told.add("use", $0.map(String.init)) }
      test.store.record(.beginSession(lost, of: gone, seconds: 60, replacing: nil)) {
        told.add("lost", $0.map { "" })
      }
      test.store.record(.beginSession(kept, of: key, seconds: 60, replacing: nil)) {
        told.add("kept", $0.map { "" })
      }
      test.store.record(.use(try launchID(1))) { told.add("again", $0.map(String.init)) }
    }
    #expect(
      try told.wait(for: 4)
        == ["use": "true", "lost": "notFound", "kept": "", "again": "false"])
    let reader = try test.store.makeReader()
    #expect(try reader.happenings.session(kept) != nil)
    #expect(try reader.happenings.session(lost) == nil)
  }

  @Test("where a lock stays, all are refused within the limit and none is written")
  func locked() throws {
    let test = try TestStore()
    try test.whileLocked {
      for number in 0..<3 {
        test.store.record(.use(try launchID(number))) { told.add("\(number)", $0.map(String.init)) }
      }
      #expect(
        try told.wait(for: 3) == ["0": "unavailable", "1": "unavailable", "2": "unavailable"])
    }
    for number in 0..<3 { #expect(try test.store.record(.use(launchID(number)))) }
  }

  @Test("what is recorded is written even if the store goes before that")
  func storeGoes() throws {
    let test = try TestStore()
    var store: Store? = try test.openAgain()
    for number in 0..<20 {
      store?.record(.use(try launchID(number))) { told.add("\(number)", $0.map(String.init)) }
    }
    store = nil
    #expect(Set(try told.wait(for: 20).values) == ["true"])
  }
}

/// The results that happenings were told, by name.
private final class Told: Sendable {
  private let results = Locked<[String: String]>([:])

  func add(_ name: String, _ result: Result<String, any Error>) {
    let text =
      switch result {
      case .success(let value): value
      case .failure(let error as StoreError): "\(error.kind)"
      case .failure(let error): "\(error)"
      }
    results.withLock { $0[name] = $0[name] == nil ? text : "told twice" }
  }

  func wait(for count: Int) throws -> [String: String] {
    for _ in 0..<1000 {
      let results = results.withLock(\.self)
      if results.count == count { return results }
      usleep(10_000)
    }
    throw StoreError(.unavailable, "Not every happening was told its result.")
  }
}
