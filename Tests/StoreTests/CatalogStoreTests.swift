import Domain
import Store
import StoreFixtures
import Testing

func business(
  _ id: String, name: String? = nil, category: String = "mall", active: Bool = true,
  products: Int = 1
) throws -> Business {
  let commission = try #require(Commission(amount: "2.5", unit: .percentage))
  let all = (0..<products).map { number in
    Product(
      target: "target \(number)", startsAt: Timestamp(seconds: 1_700_000_000),
      commissionType: .perSale, commission: commission)
  }
  return Business(
    id: id, name: name ?? id, aliases: ["하나", "two"], category: category,
    imageURL: "https://cdn.example/\(id).png", displayCaution: "주의\n둘", isActive: active,
    products: all, updatedAt: Timestamp(seconds: 0))
}

@Suite("The catalogue in the store") struct CatalogStoreTests {
  @Test("what is imported comes back whole, with the time of the change")
  func roundTrip() throws {
    let test = try TestStore()
    let imported = try business("11st", name: "11번가", products: 3)
    let summary = try test.store.importBusinesses([imported], by: test.actor)
    #expect(summary == ImportSummary(added: 1))
    let found = try #require(try test.store.makeReader().knowledge.business("11st"))
    #expect(found.hasSameContent(as: imported) && found.updatedAt == test.clock.now)
  }

  @Test("an import says what it added and changed, and leaves the rest as it was")
  func importing() throws {
    let test = try TestStore()
    _ = try test.store.importBusinesses(
      [business("a"), business("b"), business("c")], by: test.actor)
    let before = test.clock.now
    test.clock.advance(seconds: 10)
    let summary = try test.store.importBusinesses(
      [business("a"), business("b", products: 2), business("d")], by: test.actor)
    #expect(summary == ImportSummary(added: 1, changed: 1, unchanged: 1, missing: 1))
    let reader = try test.store.makeReader()
    #expect(try reader.knowledge.business("a")?.updatedAt == before)
    #expect(try reader.knowledge.business("b")?.products.count == 2)
    #expect(try reader.knowledge.business("c") != nil)
    _ = try test.store.importBusinesses([business("a")], by: test.actor)
    #expect(try test.audit().filter { $0.hasPrefix("catalog.import") }.count == 2)
  }

  @Test("the audit log tells a business that an import changed from one that it deactivated")
  func importAudit() throws {
    let test = try TestStore()
    _ = try test.store.importBusinesses([business("a"), business("b")], by: test.actor)
    let before = try test.audit().count
    let manner = ImportManner(prunes: true, mayErase: true)
    _ = try test.store.importCatalog(manner, by: test.actor) { collector in
      try collector.put(CatalogEntry(business("b", products: 2)))
    } eachChange: { _ in
    } confirm: { _ in
    }
    #expect(
      try test.audit().dropFirst(before).sorted()
        == ["catalog.disable a", "catalog.import catalog", "catalog.update b"])
  }

  @Test("what callers are given of a business is made once, until something changes")
  func remembering() throws {
    let test = try TestStore()
    _ = try test.store.importBusinesses([business("a"), business("b")], by: test.actor)
    let reader = try test.store.makeReader()
    var made: [String] = []
    let make = { (found: FoundBusiness) in
      made.append(found.business.id)
      let text = found.business.id + (found.match.map { " \($0)" } ?? "")
      return Representation(body: Array(text.utf8), tag: "\"\(text)\"")
    }
    var search = BusinessQuery()
    search.text = "b"
    for _ in 0..<2 {
      let page = try reader.knowledge.representations(ofBusinesses: BusinessQuery(), make: make)
      #expect(page.items.map(\.tag) == ["\"a\"", "\"b\""])
      #expect(
        try reader.knowledge.representation(ofBusiness: "b", make: make)?.body == Array("b".utf8))
      let found = try reader.knowledge.representations(ofBusinesses: search, make: make)
      #expect(found.items.map(\.tag) == ["\"b id\""])
    }
    #expect(made == ["a", "b", "b"])
    _ = try test.store.importBusinesses([business("b", products: 2)], by: test.actor)
    _ = try reader.knowledge.representations(ofBusinesses: BusinessQuery(), make: make)
    #expect(made == ["a", "b", "b", "a", "b"])
  }

  @Test("pages follow each other by name, whatever is added or removed meanwhile")
  func paging() throws {
    let test = try TestStore()
    let all = try (0..<25).map { try business("id\(100 + $0)", name: "name \(100 + $0 / 2)") }
    _ = try test.store.importBusinesses(all.shuffled(), by: test.actor)
    let reader = try test.store.makeReader()
    var query = BusinessQuery()
    query.limit = 10
    let first = try reader.knowledge.businesses(query)
    #expect(first.items.map(\.business.id) == all.prefix(10).map(\.id) && first.total == 25)
    // One goes from the first page, one comes before, one comes behind.
    try test.removeBusiness("id103")
    _ = try test.store.importBusinesses(
      [business("early", name: "a"), business("late", name: "name 105x")], by: test.actor)
    query.after = first.next
    let second = try reader.knowledge.businesses(query)
    #expect(
      second.items.first?.business.id == all[10].id
        && second.items.contains { $0.business.id == "late" })
    query.after = second.next
    let third = try reader.knowledge.businesses(query)
    #expect(third.items.last?.business.id == all[24].id && third.next == nil && third.total == 26)
  }

  @Test("filters narrow the list and its total")
  func filters() throws {
    let test = try TestStore()
    _ = try test.store.importBusinesses(
      [
        business("a"), business("b", active: false), business("c", category: "beauty"),
        business("d", category: "beauty", active: false),
      ], by: test.actor)
    let reader = try test.store.makeReader()
    let ids: (String?, Bool?) throws -> [String] = { category, active in
      var query = BusinessQuery()
      query.category = category
      query.isActive = active
      let page = try reader.knowledge.businesses(query)
      #expect(page.total == page.items.count)
      return page.items.map(\.business.id)
    }
    #expect(try ids(nil, nil) == ["a", "b", "c", "d"])
    #expect(try ids("beauty", nil) == ["c", "d"])
    #expect(try ids(nil, true) == ["a", "c"])
    #expect(try ids("mall", false) == ["b"])
    #expect(try ids("food", nil).isEmpty)
  }

  @Test("launches see at once whether a business is active, inactive or unknown")
  func standing() throws {
    let test = try TestStore()
    let reader = try test.store.makeReader()
    _ = try test.store.importBusinesses([business("coupang"), business("coupon")], by: test.actor)
    #expect(try reader.knowledge.standing(ofBusiness: "coupang") == .active)
    #expect(
      try reader.knowledge.standing(ofBusiness: "coupnag") == .unknown(nearest: ["coupang"]))
    #expect(try reader.knowledge.standing(ofBusiness: "쿠팡") == .unknown(nearest: []))
    #expect(try reader.knowledge.standing(ofBusiness: "") == .unknown(nearest: []))
    _ = try test.store.importBusinesses([business("coupang", active: false)], by: test.actor)
    #expect(try reader.knowledge.standing(ofBusiness: "coupang") == .inactive)
    #expect(
      try reader.knowledge.standing(ofBusiness: "coupnag") == .unknown(nearest: []),
      "one that is refused too"
    )
    #expect(try reader.knowledge.businessID(nearestTo: "coupnag") == "coupang")
  }
}
