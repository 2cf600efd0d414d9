import Foundation
import LaunchDomain
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
    #expect(written(again, format) == bytes)
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
    #expect(written(again, .json) == written([business], .json))
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
    return try edit.business(id: "coupang", categories: ["mall"], now: now)
  }

  func faults(_ body: () throws -> Void) throws -> [String] {
    try #require(throws: BusinessEdit.Faults.self) { try body() }.all.map(\.field)
  }

  @Test("a new business follows the rules of the files")
  func making() throws {
    let business = try made()
    #expect(Array(business.name.utf8) == Array("쿠팡".utf8))
    #expect(business.aliases == ["하나", "a,b"] && business.isActive)
    #expect(business.products.map(\.commission.amount) == ["2.5"])
    #expect(
      try faults { _ = try BusinessEdit().business(id: "A", categories: ["mall"], now: now) } == [
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
    edit.aliases = [""]
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
  @Test("every part of a business that differs is named, the time of change is none")
  func fields() throws {
    let commission = try #require(Commission(amount: "1", unit: .won))
    let product = Product(commissionType: .perSale, commission: commission)
    let old = Business(
      id: "a", name: "A", category: "mall", products: [product],
      updatedAt: Timestamp(seconds: 0))
    let new = Business(
      id: "a", name: "B", aliases: ["x"], category: "food", imageURL: "https://i", url: "https://u",
      programName: "p", displayAllowedCases: "d", displayCaution: "c", isActive: false,
      products: [product, product], updatedAt: Timestamp(seconds: 9))
    #expect(
      CatalogChange(.change, from: old, to: new)?.fields == [
        "name", "aliases", "category", "image_url", "url", "program_name", "display_allowed_cases",
        "display_caution", "active", "products",
      ])
    var later = old
    later.updatedAt = Timestamp(seconds: 9)
    #expect(CatalogChange(.change, from: old, to: later) == nil)
    #expect(CatalogChange(.add, from: nil, to: old)?.fields == [])
  }
}
