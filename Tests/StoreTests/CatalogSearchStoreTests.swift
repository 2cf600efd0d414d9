import Domain
import Foundation
import Platform
import Store
import StoreFixtures
import Testing

private func shop(
  _ id: String, _ name: String, aliases: [String] = [], active: Bool = true, amount: String = "1"
) throws -> Business {
  Business(
    id: id, name: name, aliases: aliases, category: "mall", isActive: active,
    products: [
      Product(
        commissionType: .perSale,
        commission: try #require(Commission(amount: amount, unit: .percentage)))
    ], updatedAt: Timestamp(seconds: 0))
}

private func found(_ reader: StoreReader, _ text: String?) throws -> [String] {
  var query = BusinessQuery()
  query.text = text
  let page = try reader.knowledge.businesses(query)
  #expect(page.total == page.items.count && page.next == nil)
  return page.items.map { "\($0.business.id) \($0.match?.rawValue ?? "-")" }
}

@Suite("Searching the store") struct CatalogSearchStoreTests {
  @Test("a search gives whole businesses, a blank one the list by name")
  func whole() throws {
    let test = try TestStore()
    let coupang = try shop("coupang", "쿠팡", aliases: ["로켓", "rocket"])
    _ = try test.store.importBusinesses(
      [coupang, shop("a", "Zoo"), shop("b", "Ant")], by: test.actor)
    let reader = try test.store.makeReader()
    var query = BusinessQuery()
    query.text = "ROCKET"
    let item = try #require(try reader.knowledge.businesses(query).items.first)
    #expect(item.business.hasSameContent(as: coupang) && item.match == .alias)
    for text in [nil, "", " \u{3000}"] {
      #expect(try found(reader, text) == ["b -", "a -", "coupang -"])
    }
    #expect(try found(reader, "\u{200B}").isEmpty)
  }

  @Test("every change that searches read holds for the next search of every reader")
  func freshness() throws {
    let test = try TestStore()
    let reader = try test.store.makeReader()
    let other = try test.store.makeReader()
    let process = try test.openAgain()
    #expect(try found(reader, "쿠팡").isEmpty)
    _ = try process.importBusinesses([shop("c", "쿠팡")], by: test.actor)
    for one in [reader, other] { #expect(try found(one, "쿠팡") == ["c name"]) }
    _ = try process.importBusinesses([shop("c", "쿠팡", aliases: ["새벽"])], by: test.actor)
    for one in [reader, other] { #expect(try found(one, "새벽") == ["c alias"]) }
    _ = try process.importBusinesses([shop("c", "개명")], by: test.actor)
    for one in [reader, other] {
      #expect(try found(one, "쿠팡").isEmpty && found(one, "개명") == ["c name"])
    }
    var active = BusinessQuery()
    active.text = "개명"
    active.isActive = true
    #expect(try reader.knowledge.businesses(active).total == 1)
    _ = try process.importBusinesses([shop("c", "개명", active: false)], by: test.actor)
    #expect(try reader.knowledge.businesses(active).total == 0)
    try test.empty("business")
    for one in [reader, other] { #expect(try found(one, "개명").isEmpty) }
  }

  @Test("the revision changes with what searches read and with nothing else")
  func revision() throws {
    let test = try TestStore()
    var seen = [try test.searchRevision()]
    for business in [
      try shop("a", "A"), try shop("a", "B"), try shop("a", "B", aliases: ["x"]),
      try shop("a", "B", aliases: ["x"], active: false), try shop("b", "A"),
    ] {
      _ = try test.store.importBusinesses([business], by: test.actor)
      seen.append(try test.searchRevision())
    }
    #expect(Set(seen).count == 6)
    _ = try test.store.importBusinesses([shop("b", "A", amount: "5")], by: test.actor)
    #expect(try test.searchRevision() == seen.last)
  }

  @Test("pages stay right while businesses come, go and change their names")
  func paging() throws {
    let test = try TestStore()
    let all = try (0..<30).map { try shop("id\(100 + $0)", "가게 \(100 + $0 / 2)") }
    _ = try test.store.importBusinesses(all.shuffled(), by: test.actor)
    let reader = try test.store.makeReader()
    var query = BusinessQuery()
    query.text = "가게"
    query.limit = 10
    let first = try reader.knowledge.businesses(query)
    #expect(first.items.map(\.business.id) == all.prefix(10).map(\.id) && first.total == 30)
    // One of the first page goes, one comes before it, one behind, and its last changes its name.
    try test.removeBusiness("id103")
    _ = try test.store.importBusinesses(
      [
        shop("early", "가게"), shop("late", "가게 105x"), shop("worse", "새 가게"),
        shop("id109", "가게 000"),
      ], by: test.actor)
    query.after = first.next
    let second = try reader.knowledge.businesses(query)
    query.after = second.next
    let third = try reader.knowledge.businesses(query)
    query.after = third.next
    let fourth = try reader.knowledge.businesses(query)
    let rest = [second, third, fourth].flatMap { $0.items.map(\.business.id) }
    let untouched = all.dropFirst(10).map(\.id)
    #expect(rest == untouched.prefix(2) + ["late"] + untouched.dropFirst(2) + ["worse"])
    #expect(third.total == 32 && fourth.next == nil)
  }

  @Test("threads that search while the catalogue changes see one state each time")
  func threads() throws {
    let test = try TestStore()
    let names = ["쿠팡", "이마트"]
    let store = test.store
    let actor = test.actor
    _ = try store.importBusinesses([shop("a", names[0]), shop("b", names[0])], by: actor)
    let faults = FieldFaults()
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      faults.record {
        if thread == 0 {
          for round in 1...30 {
            let name = names[round % 2]
            _ = try store.importBusinesses([shop("a", name), shop("b", name)], by: actor)
          }
        } else {
          let reader = try store.makeReader()
          for _ in 1...60 {
            let both = try names.map { try found(reader, $0) }
            // Each search sees both businesses or none, whatever was written between the two.
            if both.contains(where: { ![0, 2].contains($0.count) }) { throw Torn() }
          }
        }
      }
    }
    #expect(faults.all.isEmpty)
    #expect(try found(store.makeReader(), names[0]) == ["a name", "b name"])
  }
}

private struct Torn: Error {}

/// What went wrong on any thread.
private final class FieldFaults: Sendable {
  private let errors = Locked<[String]>([])

  var all: [String] { errors.withLock { $0 } }

  func record(_ body: () throws -> Void) {
    do { try body() } catch { errors.withLock { $0.append("\(error)") } }
  }
}
