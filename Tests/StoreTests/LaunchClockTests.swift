import Domain
import Store
import StoreFixtures
import Testing

@Suite("The clock of launches") struct LaunchClockTests {
  private func launchID(_ number: Int) throws -> LaunchID {
    try #require(LaunchID("01a2272d-267b-7abc-8def-00000000000\(number)"))
  }

  /// What a server of the store names a launch by that is issued now.
  private func launchTime(_ store: Store) throws -> Timestamp {
    try store.makeReader().knowledge.launchClock().now
  }

  @Test(
    "a log-out finds the launches of every server, however the time of day is set",
    arguments: [
      [0, 0], [1000, 0], [-1000, 0], [1000, -1000], [172_800, 0], [0, 1000], [-3600, 7200],
    ])
  func timeOfDay(offsets: [Int]) throws {
    let test = try TestStore()
    let project = try test.addProject()
    let (first, second) = (test.store, try test.openAgain())
    let begin = test.clock.now
    var last = Timestamp(milliseconds: 0)
    for (step, offset) in (offsets + offsets).enumerated() {
      // No server has written anything down since the clock was set.
      test.clock.now = begin.adding(seconds: offset)
      let before = [try launchTime(first), try launchTime(second)]
      test.clock.now = begin.adding(seconds: offsets[1])
      let cut = try [first, second][step % 2].record(.logOut("kim", of: project.id))
      #expect(before.allSatisfy { $0 <= cut && $0 >= last })
      test.clock.advance(milliseconds: 1)
      for store in [first, second] { #expect(try launchTime(store) > cut) }
      last = cut
    }
  }

  @Test("it is set forward with the time of day, for all, and never back")
  func setForward() throws {
    let test = try TestStore()
    let project = try test.addProject()
    let other = try test.openAgain()
    let begin = test.clock.now
    test.clock.now = begin.adding(seconds: 500)
    #expect(try launchTime(test.store) == begin, "not before that is agreed on")
    try test.store.record(.logOut("kim", of: project.id))
    #expect(try launchTime(other) == begin.adding(seconds: 500))
    test.clock.now = begin
    test.clock.advance(seconds: 5)
    #expect(try launchTime(other) == begin.adding(seconds: 505))
    #expect(try launchTime(test.openAgain()) == begin.adding(seconds: 505))
  }

  @Test("any number of log-outs within a millisecond does not set it forward")
  func sameMillisecond() throws {
    let test = try TestStore()
    let project = try test.addProject()
    let times = try (0..<5).map { try test.store.record(.logOut("u\($0)", of: project.id)) }
    #expect(Set(times) == [test.clock.now])
  }

  @Test(
    "where the machine is started anew with a time of day that lies behind, it goes on",
    arguments: ["second", nil])
  func restarted(bootID: String?) throws {
    let test = try TestStore()
    let project = try test.addProject()
    let key = try test.addKey(of: project)
    let begin = test.clock.now
    test.clock.advance(seconds: 3600)
    var usage = Usage(lastUsed: [key.key.id: test.clock.now])
    usage.latestLaunch = try launchTime(test.store)
    try test.store.record(.count(usage, on: Day(test.clock.now)))
    test.clock.advance(milliseconds: 1900)
    let lost = try launchTime(test.store)
    test.clock.restart()
    test.clock.now = begin
    let store = try test.openAgain(bootID: bootID)
    #expect(try store.record(.logOut("kim", of: project.id)) >= (bootID == nil ? begin : lost))
  }

  @Test("a launch by the command counts as the latest one after a restart")
  func restartedAfterCommand() throws {
    let test = try TestStore()
    let project = try test.addProject()
    let begin = test.clock.now
    let ahead = begin.adding(seconds: 3600)
    try test.store.issueLaunch(of: project.id, by: test.actor) { _, _ in
      var generator = SystemRandomNumberGenerator()
      let id = LaunchIDSource().next(at: ahead, using: &generator)
      return LaunchRecord(id, of: "kim", on: .ios, page: nil, redirectTo: nil)
    }
    test.clock.restart()
    test.clock.now = begin
    let store = try test.openAgain(bootID: "second")
    #expect(try store.record(.logOut("kim", of: project.id)) >= ahead)
  }

  @Test("on another machine, which has run for longer, it goes by the time of day")
  func movedToAnotherMachine() throws {
    let test = try TestStore()
    try test.addProject()
    let begin = test.clock.now
    test.clock.advance(seconds: 300 * 86_400)
    test.clock.now = begin.adding(seconds: 60)
    #expect(try launchTime(test.openAgain(bootID: "other")) == begin.adding(seconds: 60))
  }

  @Test("a project made again lies after every launch of its earlier life")
  func madeAgain() throws {
    let test = try TestStore()
    let project = try test.addProject()
    let key = try test.addKey(of: project)
    test.clock.now = test.clock.now.adding(seconds: 900)
    let last = try launchTime(test.store)
    test.clock.now = test.clock.now.adding(seconds: -1800)
    _ = try test.store.revokeAPIKey(key.key.id, by: test.actor)
    try test.store.deleteProject(project.id, by: test.actor)
    test.clock.advance(milliseconds: 1)
    #expect(try test.addProject().createdAt > last)
  }

  // MARK: How long used launches and log-outs are kept

  @Test("a time of day that is days ahead for a while clears nothing away, nor does a restart")
  func daysAhead() throws {
    let test = try TestStore()
    let project = try test.addProject()
    _ = try test.store.record(.use(launchID(1)))
    try test.store.record(.logOut("kim", of: project.id))
    let begin = test.clock.now
    for bootID in ["first", "second"] {
      if bootID == "second" { test.clock.restart() }
      test.clock.now = begin.adding(seconds: 30 * 86_400)
      let store = try test.openAgain(bootID: bootID)
      _ = try store.record(.use(launchID(bootID == "first" ? 2 : 3)))
      try store.record(.logOut("lee", of: project.id))
      test.clock.now = begin
      #expect(try !store.record(.use(launchID(1))))
      #expect(try store.makeReader().happenings.lastLogOut(of: "kim", in: project.id) != nil)
    }
  }

  @Test("what was used while the time of day was ahead is still so when that time comes")
  func usedAhead() throws {
    let test = try TestStore()
    let begin = test.clock.now
    test.clock.now = begin.adding(seconds: 2 * 86_400)
    _ = try test.store.record(.use(launchID(1)))
    test.clock.now = begin
    for day in 0..<3 {
      test.clock.advance(seconds: 86_400)
      #expect(try !test.store.record(.use(launchID(1))), "day \(day)")
    }
    test.clock.advance(seconds: 86_400)
    _ = try test.store.record(.use(launchID(2)))
    #expect(try !test.store.makeReader().happenings.isUsed(launchID(1)), "and then it goes")
  }
}
