import Domain
import Store
import StoreFixtures
import Testing

@Suite("Importing into the store") struct CatalogImportTests {
  /// Imports what is in memory and says what was heard of it.
  private func bring(
    _ businesses: [Business], _ manner: ImportManner, to test: TestStore
  ) throws -> (summary: ImportSummary, changes: [String]) {
    try bring(businesses.map { CatalogEntry($0) }, manner, to: test)
  }

  private func bring(
    _ entries: [CatalogEntry], _ manner: ImportManner, to test: TestStore,
    confirm: (CatalogLosses) throws -> Void = { _ in }
  ) throws -> (summary: ImportSummary, changes: [String]) {
    var changes: [String] = []
    let summary = try test.store.importCatalog(manner, by: test.actor) { collector in
      for entry in entries { try collector.put(entry) }
    } eachChange: { change in
      let fields = change.fields.joined(separator: "+")
      changes.append("\(change.kind.rawValue) \(change.business.id) \(fields)")
    } confirm: {
      changes = []
      try confirm($0)
    }
    return (summary, changes)
  }

  private func catalog(_ test: TestStore) throws -> [Business] {
    var all: [Business] = []
    try test.store.makeReader().knowledge.forEachBusiness { all.append($0) }
    return all
  }

  @Test("a dry run tells every change and makes none, nor a row of the audit log")
  func dryRun() throws {
    let test = try TestStore()
    let first = try [business("a"), business("b"), business("c"), business("d", active: false)]
    _ = try bring(first, ImportManner(), to: test)
    let (before, audit) = (try catalog(test), try test.audit())
    let next = try [business("b", name: "B"), business("c"), business("e")]
    let manner = ImportManner(prunes: true, isDryRun: true)
    let told = try bring(next, manner, to: test)
    #expect(
      told.summary == ImportSummary(added: 1, changed: 1, unchanged: 1, deactivated: 1))
    #expect(told.changes == ["change b name", "add e ", "deactivate a active"])
    #expect(try catalog(test) == before)
    #expect(try test.audit() == audit)
    let done = try bring(next, ImportManner(prunes: true), to: test)
    #expect(done.summary == told.summary && done.changes == told.changes)
  }

  @Test("pruning deactivates what is missing, and leaves the rest of it as it was")
  func pruning() throws {
    let test = try TestStore()
    _ = try bring([business("a", products: 2), business("b")], ImportManner(), to: test)
    let reader = try test.store.makeReader()
    #expect(try reader.knowledge.standing(ofBusiness: "a") == .active)
    test.clock.advance(seconds: 5)
    let done = try bring([business("b")], ImportManner(prunes: true), to: test)
    #expect(done.summary == ImportSummary(unchanged: 1, deactivated: 1))
    #expect(try reader.knowledge.standing(ofBusiness: "a") == .inactive)
    let old = try #require(try reader.knowledge.business("a"))
    #expect(old.products.count == 2 && old.updatedAt == test.clock.now)
    let again = try bring([business("b")], ImportManner(prunes: true), to: test)
    #expect(again.summary == ImportSummary(unchanged: 1) && again.changes.isEmpty)
    #expect(try test.audit().filter { $0 == "catalog.import catalog" }.count == 2)
  }

  @Test("an empty file prunes nothing")
  func emptyFile() throws {
    let test = try TestStore()
    _ = try bring([business("a")], ImportManner(), to: test)
    #expect(
      try kind { _ = try bring([], ImportManner(prunes: true), to: test) } == .invalid)
    #expect(try catalog(test).map(\.isActive) == [true])
  }

  @Test("a failure while reading, or at the last change, changes nothing")
  func failing() throws {
    struct Failure: Error {}
    let test = try TestStore()
    _ = try bring([business("a")], ImportManner(), to: test)
    let (before, audit) = (try catalog(test), try test.audit())
    #expect(throws: Failure.self) {
      _ = try test.store.importCatalog(ImportManner(), by: test.actor) { collector in
        try collector.put(CatalogEntry(business("b")))
        throw Failure()
      } eachChange: { _ in
      } confirm: { _ in
      }
    }
    #expect(throws: Failure.self) {
      _ = try test.store.importCatalog(ImportManner(prunes: true), by: test.actor) { collector in
        for id in ["b", "c", "d"] { try collector.put(CatalogEntry(business(id))) }
      } eachChange: { change in
        if change.kind == .deactivate { throw Failure() }
      } confirm: { _ in
      }
    }
    #expect(try catalog(test) == before)
    #expect(try test.audit() == audit)
  }

  @Test("the collector gives back what it was given, and takes what replaces it")
  func collecting() throws {
    let test = try TestStore()
    var partial = CatalogEntry(id: "p", line: 12, column: 3)
    (partial.url, partial.imageURL, partial.isActive) = (
      .erased, .value("https://i"), .value(false)
    )
    (partial.aliases, partial.displayCaution) = ([], .unnamed)
    var products = [4, 5].map { ProductEntry(line: $0) }
    (products[0].target, products[0].startsAt) = (.erased, .value(Timestamp(seconds: 5)))
    (products[1].commissionAmount, products[1].commissionUnit) = ("3", .won)
    partial.products = products
    let bare = CatalogEntry(id: "q", line: 13)
    let summary = try test.store.importCatalog(
      ImportManner(isDryRun: true), by: test.actor
    ) { collector in
      let whole = CatalogEntry(try business("a", products: 3))
      for entry in [whole, partial, bare] {
        try collector.put(entry)
        #expect(try collector.find(entry.id) == entry)
      }
      #expect(try collector.find("b") == nil)
      for id in ["p", "q", "a"] { try collector.put(CatalogEntry(business(id, name: "later"))) }
      #expect(try collector.find("p") == CatalogEntry(business("p", name: "later")))
    } eachChange: { change in
      #expect(change.business.name == "later" && change.business.products.count == 1)
    } confirm: { _ in
    }
    #expect(summary == ImportSummary(added: 3))
  }

  @Test("what is not named stays, and nobody is asked")
  func merging() throws {
    let test = try TestStore()
    let before = try business("a", products: 2)
    _ = try bring([before], ImportManner(), to: test)
    var entry = CatalogEntry(id: "a")
    entry.name = "new"
    let done = try bring([entry], ImportManner(), to: test) { _ in Issue.record("asked") }
    #expect(done.summary == ImportSummary(changed: 1) && done.changes == ["change a name"])
    var expected = before
    expected.name = "new"
    #expect(try catalog(test).first?.hasSameContent(as: expected) == true)
  }

  @Test("what would go is told before anything is changed, and goes only when somebody agrees")
  func losses() throws {
    struct Refusal: Error {}
    let test = try TestStore()
    _ = try bring(
      [business("a", products: 2), business("b"), business("c")], ImportManner(), to: test)
    let (before, audit) = (try catalog(test), try test.audit())
    var a = CatalogEntry(id: "a")
    a.aliases = ["two"]
    a.displayCaution = .erased
    a.products = [ProductEntry(line: 2)]
    var b = CatalogEntry(id: "b")
    b.name = "B"
    let manner = ImportManner(prunes: true)
    var told: [String] = []
    #expect(throws: Refusal.self) {
      _ = try bring([a, b], manner, to: test) { losses in
        told = losses.first.map { change in
          "\(change.kind.rawValue) \(change.business.id): "
            + change.erasures.map(\.field).joined(separator: "+")
        }
        #expect(losses.erased == 1 && losses.deactivated == 1 && losses.count == 2)
        // Nothing is locked while somebody thinks about it.
        try test.touchCatalog()
        throw Refusal()
      }
    }
    #expect(told == ["change a: aliases+display_caution+products", "deactivate c: "])
    #expect(try catalog(test) == before)
    #expect(try test.audit() == audit)
    let dry = try bring([a, b], ImportManner(prunes: true, isDryRun: true), to: test)
    let done = try bring([a, b], manner, to: test)
    #expect(done.summary == ImportSummary(changed: 2, erased: 1, deactivated: 1))
    #expect(dry.summary == done.summary && dry.changes == done.changes)
    let after = try catalog(test)
    #expect(after.map(\.aliases.count) == [1, 2, 2] && after.map(\.products.count) == [1, 1, 1])
    #expect(after.map(\.isActive) == [true, true, false] && after[0].displayCaution == nil)
  }

  @Test("where the catalogue changes while somebody thinks, no more goes than they agreed to")
  func changedMeanwhile() throws {
    let test = try TestStore()
    _ = try bring([business("a"), business("b")], ImportManner(), to: test)
    var entry = CatalogEntry(id: "a")
    entry.aliases = []
    let kind = try kind {
      _ = try bring([entry], ImportManner(), to: test) { _ in
        _ = try test.store.updateBusiness("a", by: test.actor) { $0.aliases.append("third") }
      }
    }
    #expect(kind == .unavailable)
    #expect(try test.store.makeReader().knowledge.business("a")?.aliases == ["하나", "two", "third"])
    _ = try bring([entry], ImportManner(), to: test) { _ in
      _ = try test.store.updateBusiness("b", by: test.actor) { $0.name = "other" }
    }
    #expect(try test.store.makeReader().knowledge.business("a")?.aliases == [])
  }

  @Test("faults of the file and those that show against the catalogue are told together")
  func faults() throws {
    let test = try TestStore()
    _ = try bring([business("a")], ImportManner(), to: test)
    let faults = try #require(throws: CatalogFaults.self) {
      _ = try test.store.importCatalog(ImportManner(mayErase: true), by: test.actor) { collector in
        let text = "business_id,name,url\nz,Z,\na,A,\ny,Y,nowhere\nb,B,\n"
        var rest = Array(text.utf8)
        try CatalogFormat.csv.read(
          from: {
            defer { rest = [] }
            return rest
          }, categories: ["mall"], into: collector)
      } eachChange: { _ in
      } confirm: { _ in
      }
    }
    #expect(faults.first.map(\.line) == [2, 4, 5] && faults.count == 3)
    #expect(try test.store.makeReader().knowledge.business("a")?.name == "a")
  }

  @Test("reading a file keeps no other change waiting")
  func locking() throws {
    let test = try TestStore()
    _ = try test.store.importCatalog(ImportManner(), by: test.actor) { collector in
      try collector.put(CatalogEntry(business("a")))
      // Another process's write would wait here as long as the file takes.
      try test.touchCatalog()
    } eachChange: { _ in
    } confirm: { _ in
    }
    #expect(try catalog(test).map(\.id) == ["a"])
  }
}

@Suite("Editing the catalogue in the store") struct CatalogEditingTests {
  private func rows(_ test: TestStore) throws -> [[String?]] {
    try test.auditEntries().filter { $0.action.hasPrefix("catalog.") }.map { entry in
      [entry.action, entry.subject, entry.old.map { "\($0)" }, entry.new.map { "\($0)" }]
    }
  }

  @Test("each change is there at once and is one row with old and new")
  func auditing() throws {
    let test = try TestStore()
    let reader = try test.store.makeReader()
    let made = try test.store.createBusiness(business("a", name: "eins"), by: test.actor)
    #expect(made.updatedAt == test.clock.now)
    #expect(try reader.knowledge.standing(ofBusiness: "a") == .active)
    test.clock.advance(seconds: 3)
    let updated = try test.store.updateBusiness("a", by: test.actor) { $0.name = "zwei" }
    #expect(updated.name == "zwei" && updated.updatedAt == test.clock.now)
    #expect(try !test.store.setBusiness("a", active: false, by: test.actor).isActive)
    #expect(try reader.knowledge.standing(ofBusiness: "a") == .inactive)
    #expect(try test.store.setBusiness("a", active: true, by: test.actor).isActive)
    try test.store.removeBusiness("a", by: test.actor)
    #expect(try reader.knowledge.business("a") == nil)
    let rows = try rows(test)
    #expect(
      rows.map { $0[0] } == [
        "catalog.add", "catalog.update", "catalog.disable", "catalog.enable", "catalog.remove",
      ])
    #expect(rows.allSatisfy { $0[1] == "a" })
    #expect(rows.map { $0[2] != nil } == [false, true, true, true, true])
    #expect(rows.map { $0[3] != nil } == [true, true, true, true, false])
    #expect(rows[1][2]?.contains("eins") == true && rows[1][3]?.contains("zwei") == true)
  }

  @Test("what changes nothing leaves no trace")
  func unchanged() throws {
    let test = try TestStore()
    let made = try test.store.createBusiness(business("a"), by: test.actor)
    test.clock.advance(seconds: 3)
    #expect(try test.store.updateBusiness("a", by: test.actor) { $0.name = "a" } == made)
    #expect(try test.store.setBusiness("a", active: true, by: test.actor) == made)
    #expect(try rows(test).count == 1)
  }

  @Test("an id that is there, or not there, is refused, the nearest named")
  func refusals() throws {
    struct Failure: Error {}
    let test = try TestStore()
    _ = try test.store.createBusiness(business("coupang"), by: test.actor)
    #expect(
      try kind { _ = try test.store.createBusiness(business("coupang"), by: test.actor) }
        == .alreadyExists)
    let error = try #require(throws: StoreError.self) {
      try test.store.removeBusiness("copang", by: test.actor)
    }
    #expect(error.kind == .notFound && error.description.contains("did you mean coupang?"))
    #expect(
      try kind { _ = try test.store.setBusiness("x", active: true, by: test.actor) } == .notFound)
    #expect(throws: Failure.self) {
      _ = try test.store.updateBusiness("coupang", by: test.actor) { business in
        business.name = "changed"
        throw Failure()
      }
    }
    #expect(try test.store.makeReader().knowledge.business("coupang")?.name == "coupang")
  }

  @Test("removing takes the products along")
  func products() throws {
    let test = try TestStore()
    _ = try test.store.createBusiness(business("a", products: 3), by: test.actor)
    try test.store.removeBusiness("a", by: test.actor)
    #expect(try test.count(of: "product") == 0)
  }
}
