import Differences
import Domain
import Foundation
import Testing

@Suite("Writing a catalogue")
struct CatalogWriterTests {
  let now = Timestamp(seconds: 1_800_000_000)

  func written(_ businesses: [Business], _ format: CatalogFormat) -> [UInt8] {
    var writer = CatalogWriter(format)
    var output = writer.start
    for business in businesses { writer.append(business, to: &output) }
    return output + writer.end
  }

  func awkward() throws -> [Business] {
    let percentage = try #require(Commission(amount: "2.50", unit: .percentage))
    let won = try #require(Commission(amount: "3000", unit: .won))
    let bare = Product(commissionType: .perClick, commission: won)
    let whole = Product(
      target: "첫 구매, \"앱\"", startsAt: Timestamp(rfc3339: "2026-01-01T00:00:00Z"),
      endsAt: Timestamp(rfc3339: "2026-12-31T14:59:59Z"), commissionType: .perSale,
      commission: percentage)
    return [
      Business(
        id: "a-1", name: "=1+1", aliases: ["하나", "\"둘\"", "a,b"], category: "mall",
        imageURL: "https://cdn.example/a,b.png", url: "https://a.example/", programName: "@프로그램",
        displayAllowedCases: "한 줄\n두 줄\n세 줄", displayCaution: "탭\t그리고 \"\"",
        isActive: false, products: [whole, bare, whole], updatedAt: now),
      Business(id: "b", name: "-", category: "beauty", products: [bare], updatedAt: now),
    ]
  }

  @Test("what is written reads as the same, whatever is in it", arguments: CatalogFormat.allCases)
  func roundTrip(format: CatalogFormat) throws {
    let awkward = try awkward()
    let bytes = written(awkward, format)
    let again = try businesses(format, in: bytes, categories: ["mall", "beauty"], now: now)
    #expect(again == awkward)
    #expect(firstDifference(written(again, format), bytes) == nil)
  }

  @Test(
    "no cell begins a formula, and each reads as it was",
    arguments: [
      "=1+1", "+1", "-1", "@SUM(A1)", "＝1", "＋1", "－1", "＠a", "'=1", "''@a", "'", "'a", "''", "a=1",
      "=\"a\",b", "=1;=2", "a;=1", "'=1;@x",
    ])
  func formulas(name: String) throws {
    var business = try awkward()[1]
    business.name = name
    business.aliases = [name, name + "2"]
    business.programName = name
    business.displayAllowedCases = name
    business.displayCaution = name
    business.products[0].target = name
    let bytes = written([business], .csv)
    let begins = /[,\n]"?[=+\-@＝＋－＠]/
    #expect(!String(decoding: bytes, as: UTF8.self).contains(begins))
    let again = try businesses(.csv, in: bytes, categories: ["beauty"], now: now)
    #expect(firstDifference(written(again, .json), written([business], .json)) == nil)
  }

  @Test("an id that begins with a hyphen is guarded in every row")
  func formulaInID() throws {
    var business = try awkward()[0]
    business = Business(
      id: "-1", name: business.name, category: "mall", products: business.products, updatedAt: now)
    let bytes = written([business], .csv)
    let rows = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    #expect(rows.filter { $0.hasPrefix("'-1,") }.count == 3)
    #expect(try businesses(.csv, in: bytes, categories: ["mall"], now: now) == [business])
  }

  @Test(
    "no cell is what a spreadsheet takes for a number, date or truth value, and each reads as it was",
    arguments: [
      "007", "1e5", "12E-3", "1-2", "2026-01", "1/2", "3.10", "12345678901234567890", "10:30",
      "PM 3:00",
      "10 am", "9p", "50%", "₩1,000", "(5)", "１２３", "true", "FALSE", "Ｔｒｕｅ", "mar1", "1-jan",
      "Sept 2", "may5", "1월 2일", "2026년 1월", "오전 10시", "'007", "''1-2", "'true",
      "2026-01-01T00:00:00Z",
    ])
  func numbers(text: String) throws {
    var business = Business(
      id: Business.isID(text) ? text : "b", name: text, aliases: [text], category: "beauty",
      programName: text, displayAllowedCases: text, displayCaution: text,
      isActive: text != "true", products: try awkward()[1].products, updatedAt: now)
    business.products[0].target = text
    let bytes = written([business], .csv)
    let shown = String(decoding: bytes, as: UTF8.self)
    #expect(!shown.contains(",\(text),") && !shown.contains("\n\(text),"))
    #expect(shown.contains(text.contains(",") ? ",\"'\(text)\"," : ",'\(text),"))
    let again = try businesses(.csv, in: bytes, categories: ["beauty"], now: now)
    #expect(firstDifference(written(again, .json), written([business], .json)) == nil)
  }

  @Test(
    "what no spreadsheet changes stands as it is",
    arguments: [
      "11st", "29cm", "10x10", "쿠팡", "1번가", "t1", "e5", "a-1", "march", "1_000", "24|7", "v1.2",
    ])
  func plain(text: String) throws {
    var business = try awkward()[1]
    business.programName = text
    let bytes = written([business], .csv)
    #expect(String(decoding: bytes, as: UTF8.self).contains(",\(text),"))
    #expect(try businesses(.csv, in: bytes, categories: ["beauty"], now: now) == [business])
  }

  @Test("amounts, times and truth values stay what they are, and JSON holds all as it is")
  func values() throws {
    var business = try awkward()[0]
    business.name = "007"
    let csv = String(decoding: written([business], .csv), as: UTF8.self)
    #expect(
      csv.contains(",false,") && csv.contains(",2026-01-01T00:00:00Z,") && csv.contains(",2.50,"))
    #expect(String(decoding: written([business], .json), as: UTF8.self).contains(#""name":"007""#))
  }

  @Test("nothing reads as nothing", arguments: CatalogFormat.allCases)
  func empty(format: CatalogFormat) throws {
    let bytes = written([], format)
    #expect(try businesses(format, in: bytes, categories: [], now: now).isEmpty)
  }

  @Test("CSV repeats nothing of the business in later rows")
  func rows() throws {
    let text = String(decoding: written([try awkward()[0]], .csv), as: UTF8.self)
    #expect(text.hasPrefix(CatalogCSV.columns.joined(separator: ",") + "\na-1,'=1+1,"))
    #expect(text.contains("\na-1,,,,,,,,,,,,,CPC,3000,KRW_COMMISSION_UNIT\n"))
  }

  @Test("a time keeps no more than is written again")
  func fractions() throws {
    let text =
      CatalogCSV.columns.joined(separator: ",")
      + "\na,A,,mall,,,,,,,,2026-01-01T00:00:00.75Z,,CPS,1,KRW_COMMISSION_UNIT\n"
    let read = try businesses(.csv, in: Array(text.utf8), categories: ["mall"], now: now)
    let again = try businesses(.csv, in: written(read, .csv), categories: ["mall"], now: now)
    #expect(again == read)
  }
}

@Suite("Editing a business")
struct BusinessEditTests {
  let now = Timestamp(seconds: 1_800_000_000)

  func made() throws -> Business {
    var edit = BusinessEdit()
    edit.name = "쿠팡".decomposedStringWithCanonicalMapping
    edit.aliases = ["하나", "하나", "a,b"]
    edit.category = "mall"
    edit.url = "https://coupang.example/"
    edit.startsAt = "2026-01-01T00:00:00Z"
    edit.commissionType = .perSale
    edit.commissionAmount = "2.5"
    edit.commissionUnit = .percentage
    return try edit.business(id: "coupang", categories: ["mall"])
  }

  func faults(_ body: () throws -> Void) throws -> [String] {
    try #require(throws: BusinessEdit.Objections.self) { try body() }.all.map(\.field)
  }

  @Test("a new business follows the rules of the files")
  func making() throws {
    let business = try made()
    #expect(Array(business.name.utf8) == Array("쿠팡".utf8))
    #expect(business.aliases == ["하나", "a,b"] && business.isActive)
    #expect(business.products.map(\.commission.amount) == ["2.5"])
    #expect(
      try faults { _ = try BusinessEdit().business(id: "A", categories: ["mall"]) } == [
        "business_id", "name", "category", "commission_type", "commission_amount",
        "commission_unit",
      ])
  }

  @Test("only what is named changes, and an empty text clears")
  func changing() throws {
    let before = try made()
    var business = before
    var edit = BusinessEdit()
    #expect(edit.isEmpty)
    edit.url = ""
    edit.aliases = []
    edit.startsAt = ""
    edit.commissionAmount = "3"
    #expect(!edit.isEmpty)
    try edit.apply(to: &business, categories: ["mall"])
    #expect(business.url == nil && business.aliases.isEmpty)
    #expect(business.products[0].startsAt == nil && business.products[0].commission.amount == "3")
    #expect(business.name == before.name && business.products[0].commissionType == .perSale)
  }

  @Test("a change with a fault changes nothing")
  func faultyChange() throws {
    let before = try made()
    var business = before
    var edit = BusinessEdit()
    edit.name = ""
    edit.aliases = ["a|b"]
    edit.category = "mal"
    edit.url = "ftp://x"
    edit.endsAt = "2025-01-01T00:00:00Z"
    edit.commissionAmount = "101"
    #expect(
      try faults { try edit.apply(to: &business, categories: ["mall"]) } == [
        "name", "aliases", "category", "url", "ends_at", "commission_amount",
      ])
    #expect(business == before)
  }

  @Test("a product is changed by its number, and the next number adds one")
  func products() throws {
    var business = try made()
    var edit = BusinessEdit()
    edit.productNumber = 2
    edit.commissionType = .perAction
    #expect(
      try faults { try edit.apply(to: &business, categories: []) } == [
        "commission_amount", "commission_unit",
      ])
    edit.commissionAmount = "3000"
    edit.commissionUnit = .won
    try edit.apply(to: &business, categories: [])
    #expect(business.products.map(\.commission.amount) == ["2.5", "3000"])
    edit.productNumber = 4
    #expect(try faults { try edit.apply(to: &business, categories: []) } == ["product"])
  }
}

@Suite("Changes of the catalogue")
struct CatalogChangeTests {
  let now = Timestamp(seconds: 9)

  func product(
    _ amount: String, _ target: String? = nil, endsAt: Timestamp? = nil
  ) throws -> Product {
    let commission = try #require(Commission(amount: amount, unit: .won))
    return Product(
      target: target, endsAt: endsAt, commissionType: .perSale, commission: commission)
  }

  func full() throws -> Business {
    Business(
      id: "a", name: "A", aliases: ["x", "y", "z"], category: "mall", imageURL: "https://i",
      url: "https://u", programName: "p", displayAllowedCases: "d", displayCaution: "c",
      isActive: false, products: [try product("1", "all"), try product("2", "first")],
      updatedAt: Timestamp(seconds: 0))
  }

  /// What goes, each field with its values.
  func erased(_ entry: CatalogEntry, _ old: Business) throws -> [String] {
    try CatalogChange(entry, to: old, now: now)?.erasures.map {
      "\($0.field): \($0.values.joined(separator: ", "))"
    } ?? []
  }

  @Test("every part of a business that differs is named, the time of change is none")
  func fields() throws {
    let old = Business(
      id: "a", name: "A", category: "food", products: [try product("1")],
      updatedAt: Timestamp(seconds: 0))
    var new = try full()
    new.name = "B"
    #expect(
      try CatalogChange(CatalogEntry(new), to: old, now: now)?.fields == [
        "name", "aliases", "category", "image_url", "url", "program_name", "display_allowed_cases",
        "display_caution", "active", "products",
      ])
    #expect(try CatalogChange(CatalogEntry(old), to: old, now: now) == nil)
    #expect(try CatalogChange(CatalogEntry(old), to: nil, now: now)?.fields == [])
  }

  @Test("what an entry does not name stays, and nothing is erased")
  func unnamed() throws {
    let old = try full()
    #expect(try CatalogChange(CatalogEntry(id: "a"), to: old, now: now) == nil)
    var entry = CatalogEntry(id: "a")
    entry.name = "B"
    var row = ProductEntry(line: 3)
    row.commissionAmount = "7"
    entry.products = [row, ProductEntry(line: 4)]
    let change = try #require(try CatalogChange(entry, to: old, now: now))
    #expect(change.fields == ["name", "products"] && !change.takesAway)
    #expect(change.business.products == [try product("7", "all"), old.products[1]])
    #expect(change.business.aliases == old.aliases && !change.business.isActive)
  }

  @Test("everything that goes is told with what it was")
  func erasing() throws {
    let old = try full()
    var entry = CatalogEntry(id: "a")
    entry.aliases = ["y", "new"]
    (entry.imageURL, entry.url, entry.programName) = (.erased, .erased, .erased)
    (entry.displayAllowedCases, entry.displayCaution) = (.erased, .value("other"))
    entry.isActive = .erased
    entry.products = [ProductEntry(try product("3"))]
    #expect(
      try erased(entry, old) == [
        "aliases: x, z", "image_url: https://i", "url: https://u", "program_name: p",
        "display_allowed_cases: d", "active: false",
        "products: target all of CPS 1 KRW, CPS 2 KRW  first",
      ])
    entry = CatalogEntry(id: "a")
    entry.isActive = .value(true)
    #expect(try erased(entry, old) == [])
  }

  @Test("products that change places or amounts are not erased")
  func movedProducts() throws {
    let old = try full()
    var entry = CatalogEntry(id: "a")
    entry.products = old.products.reversed().map { ProductEntry($0) }
    #expect(try erased(entry, old) == [])
    entry.products = [ProductEntry(old.products[1])]
    #expect(try erased(entry, old) == ["products: CPS 1 KRW  all"])
    entry.products = [ProductEntry(try product("5", "new")), ProductEntry(old.products[0])]
    #expect(try erased(entry, old) == [])
  }

  @Test(
    "a new business or product that lacks what it needs, or does not go with what stays, is a fault"
  )
  func lacking() throws {
    func fault(_ entry: CatalogEntry, _ old: Business?) throws -> [String] {
      try #require(throws: CatalogFaults.self) { _ = try entry.merged(into: old, now: now) }
        .first.map(\.description)
    }
    var entry = CatalogEntry(id: "b", line: 7, column: 3)
    entry.category = "mall"
    let lack = try fault(entry, nil)
    #expect(lack.count == 1 && lack[0].hasPrefix("line 7, column 3: b is not in the catalogue"))
    #expect(lack[0].contains("needs name, products"))
    let old = try full()
    var rows = (2...4).map { ProductEntry(line: $0) }
    rows[0].commissionUnit = .percentage
    rows[0].commissionAmount = "101"
    rows[1].startsAt = .value(Timestamp(seconds: 50))
    rows[1].endsAt = .value(Timestamp(seconds: 40))
    rows[2].commissionAmount = "1"
    entry.products = rows
    let found = try fault(entry, old)
    #expect(found.map { String($0.prefix(16)) } == [2, 3, 4].map { "line \($0), column 1" })
    #expect(found[2].contains("commission_type, commission_unit"))
  }
}
