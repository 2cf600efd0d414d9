import Domain
import Foundation
import Platform
import Store
import StoreFixtures
import Testing

@Suite("Used launches and log-outs") struct LaunchUseTests {
  private func launchID(_ number: Int = 0) throws -> LaunchID {
    try #require(LaunchID("01a2272d-267b-7abc-8def-\(String(format: "%012d", number))"))
  }

  @Test("a launch is used once, by whichever process and in whichever case its id is written")
  func once() throws {
    let test = try TestStore()
    let id = try launchID(0xabc)
    let other = try test.openAgain()
    #expect(try !test.store.makeReader().happenings.isUsed(id))
    #expect(try test.store.record(.use(id)))
    #expect(try !test.store.record(.use(id)))
    #expect(try !other.record(.use(id)))
    #expect(try !other.record(.use(#require(LaunchID(id.description.uppercased())))))
    #expect(
      try other.makeReader().happenings.isUsed(#require(LaunchID(id.description.uppercased()))))
    #expect(try other.record(.use(launchID(1))), "another launch is another")
  }

  @Test("of many threads over two openings of the database exactly one uses it")
  func race() throws {
    let test = try TestStore()
    let stores = [test.store, try test.openAgain()]
    for number in 0..<20 {
      let id = try launchID(number)
      let outcomes = Locked<[Bool]>([])
      DispatchQueue.concurrentPerform(iterations: 16) { index in
        do {
          let used = try stores[index % 2].record(.use(id))
          outcomes.withLock { $0.append(used) }
        } catch {
          Issue.record(error)
        }
      }
      #expect(outcomes.withLock { $0.filter(\.self).count } == 1)
      #expect(outcomes.withLock(\.count) == 16)
    }
  }

  @Test("used launches are kept a day past the longest lifetime, then cleaned away")
  func retention() throws {
    let test = try TestStore()
    let (first, second) = (try launchID(1), try launchID(2))
    _ = try test.store.record(.use(first))
    let kept = 86_400 + Project.lifetimes.upperBound
    test.clock.advance(seconds: kept)
    _ = try test.store.record(.use(second))
    #expect(try test.store.makeReader().happenings.isUsed(first))
    test.clock.advance(seconds: 60)
    _ = try test.store.record(.use(launchID(3)))
    #expect(try !test.store.makeReader().happenings.isUsed(first))
    #expect(try test.store.makeReader().happenings.isUsed(second))
    test.clock.now = test.clock.now.adding(seconds: -86_400)
    #expect(try !test.store.record(.use(second)), "a clock set back revives nothing")
  }

  @Test("many that are old enough go by and by, so that nobody waits long for it")
  func retentionOfMany() throws {
    let test = try TestStore()
    let used = WorkQueue<Bool>(limit: 5000)
    for number in 0..<5000 {
      test.store.record(.use(try launchID(number))) { _ in _ = used.put(true) }
    }
    var count = 0
    while count < 5000 { count += used.take(atMost: 5000).count }
    test.clock.advance(seconds: 86_400 + Project.lifetimes.upperBound + 60)
    for left in [3000, 1000, 0] {
      _ = try test.store.record(.use(launchID(9000 + left)))
      let reader = try test.store.makeReader()
      let kept = try (0..<5000).filter { try reader.happenings.isUsed(launchID($0)) }
      #expect(kept.count == left)
    }
  }

  @Test("a log-out is one user's of one project, never goes backwards, and holds no user's id")
  func logOut() throws {
    let test = try TestStore()
    let project = try test.addProject()
    let other = try test.addProject("6540c6dfd94458b60d8e7aca")
    let time = test.clock.now
    let last: (String, Project) throws -> Timestamp? = { user, project in
      try test.store.makeReader().happenings.lastLogOut(of: user, in: project.id)
    }
    #expect(try last("USER-123", project) == nil)
    try test.store.record(.logOut("USER-123", of: project.id))
    #expect(try last("USER-123", project) == time)
    #expect(try last("USER-123", other) == nil)
    #expect(try last("user-123", project) == nil)
    #expect(try last("USER-12", project) == nil)
    test.clock.now = time.adding(seconds: -60)
    #expect(
      try test.store.record(.logOut("USER-123", of: project.id)) == time,
      "by a clock that is not set back")
    test.clock.advance(seconds: 60)
    try test.store.logOut("USER-123", of: project.id, by: test.actor)
    #expect(try last("USER-123", project) == time.adding(seconds: 60))
    #expect(try test.blobs("user_digest", of: "log_out").map(\.count) == [32])
    #expect(try test.audit().last == "user.revoke \(project.id)", "the admin's is audited")
    #expect(try test.audit().filter { $0.hasPrefix("user.revoke") }.count == 1)
  }

  @Test("a reader that remembers the latest log-outs sees the next one of any process at once")
  func seesNextLogOut() throws {
    let test = try TestStore()
    let project = try test.addProject()
    let other = try test.addProject("6540c6dfd94458b60d8e7aca")
    let elsewhere = try test.openAgain()
    let happenings = try test.store.makeReader().happenings
    let first = test.clock.now
    let isOut: (String, Project, Timestamp) throws -> Bool = {
      try happenings.isLoggedOut($0, of: $1.id, since: $2)
    }
    #expect(try !isOut("kim", project, first))
    try elsewhere.record(.logOut("kim", of: project.id))
    #expect(try isOut("kim", project, first), "in the same millisecond, too")
    #expect(try !isOut("lee", project, first), "the row tells whose log-out it was")
    #expect(try !isOut("kim", other, first))
    test.clock.advance(seconds: 1)
    #expect(try !isOut("kim", project, test.clock.now))
    try elsewhere.record(.logOut("lee", of: project.id))
    #expect(try isOut("lee", project, test.clock.now))
    #expect(try isOut("kim", project, first))
    #expect(
      try !isOut("kim", project, test.clock.now), "a later log-out of another user is not kim's")
    try test.store.deleteProject(project.id, by: test.actor)
    #expect(try !isOut("kim", project, first))
  }

  @Test("log-outs are kept a day past the longest lifetime")
  func logOutRetention() throws {
    let test = try TestStore()
    let project = try test.addProject()
    try test.store.record(.logOut("first", of: project.id))
    test.clock.advance(seconds: 86_400 + Project.lifetimes.upperBound)
    try test.store.record(.logOut("second", of: project.id))
    #expect(try test.store.makeReader().happenings.lastLogOut(of: "first", in: project.id) != nil)
    test.clock.advance(seconds: 60)
    try test.store.record(.logOut("third", of: project.id))
    #expect(try test.store.makeReader().happenings.lastLogOut(of: "first", in: project.id) == nil)
    #expect(try test.store.makeReader().happenings.lastLogOut(of: "second", in: project.id) != nil)
  }

  @Test("an admin logs out users of projects that exist")
  func unknownProject() throws {
    let test = try TestStore()
    let id = try #require(ProjectID("67b6f2a9688f4a05db0a1d45"))
    #expect(
      try kind { try test.store.logOut("u", of: id, by: test.actor) }
        == .notFound)
  }
}
