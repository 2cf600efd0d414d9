import Foundation
import Testing

@testable import CLI

@Suite("catalog")
struct CatalogCommandTests {
  static let header =
    "business_id,name,category,active,commission_type,commission_amount,commission_unit\n"
  static let rows = """
    11st,11번가,mall,true,CPS,2.5,PERCENTAGE_COMMISSION_UNIT
    coupang,쿠팡,mall,false,CPS,1,PERCENTAGE_COMMISSION_UNIT
    gmarket,G마켓,beauty,true,CPA,3000,KRW_COMMISSION_UNIT

    """

  func imported() throws -> Installation {
    let installation = try Installation.made()
    let file = try installation.write(Self.header + Self.rows, to: "catalog.csv")
    installation.run("catalog", "import", file).expect(.success)
    return installation
  }

  @Test("import says what was added, changed and left")
  func summary() throws {
    let installation = try Installation.made()
    let file = try installation.write(Self.header + Self.rows, to: "catalog.CSV")
    let first = installation.run("catalog", "import", file).expect(.success)
    #expect(first.output == "3 added, 0 changed, 0 unchanged.\n")
    try installation.write(
      Self.header + Self.rows.replacing("쿠팡", with: "쿠팡!").replacing("11st", with: "12st"),
      to: "catalog.CSV")
    let second = try installation.run("catalog", "import", file, "--output", "json")
      .expect(.success).json()
    #expect(
      second as? [String: Int] == [
        "added": 1, "changed": 1, "unchanged": 1, "erased": 0, "deactivated": 0,
      ])
  }

  @Test("what list gives as JSON can be imported and changes nothing")
  func roundTrip() throws {
    let installation = try imported()
    let items = try installation.run("catalog", "list", "--output", "json").expect(.success).items()
    let text = String(decoding: try JSONSerialization.data(withJSONObject: items), as: UTF8.self)
    let file = try installation.write(text, to: "catalog.json")
    let run = installation.run("catalog", "import", file).expect(.success)
    #expect(run.output == "0 added, 0 changed, 3 unchanged.\n")
  }

  @Test("search shows the best match first and how it matched")
  func search() throws {
    let installation = try imported()
    let table = installation.run("catalog", "search", "ㅋㅍ").expect(.success).output
    #expect(table.split(separator: "\n").count == 2 && table.contains("MATCH"))
    #expect(table.contains(/coupang +쿠팡 +mall +CPS 1 % +no +initials/))
    let both = installation.run("catalog", "search", "a", "--limit", "1").expect(
      .success, "1 of 2 are shown")
    #expect(both.output.isEmpty == false)
    let json = try installation.run("catalog", "search", " 11 ST", "--output", "json")
      .expect(.success).items()
    #expect(json.map { $0["match"] as? String } == ["id"])
    installation.run("catalog", "search", "지마켓").expect(.success, "Nothing was found.")
    installation.run("catalog", "search", " ").expect(.usage, "catalog list")
    installation.run("catalog", "search", "a", "--limit", "201").expect(.usage, "--limit")
  }

  @Test("a file with a fault changes nothing and tells every fault")
  func faults() throws {
    let installation = try imported()
    let rows =
      "new,New,mall,true,CPS,1,KRW_COMMISSION_UNIT\nbad,,mal,true,CPS,1,KRW_COMMISSION_UNIT\n"
    let csv = try installation.write(Self.header + rows, to: "bad.csv")
    installation.run("catalog", "import", csv).expect(
      .badData, "2 faults; nothing was imported", "line 3, column 5: name",
      "line 3, column 6: category: There is no such category; did you mean mall?")
    let json = try installation.write("[{}]", to: "bad.json")
    installation.run("catalog", "import", json).expect(
      .badData, "line 1, column 2: /0/business_id: This is missing.")
    installation.run("catalog", "show", "new").expect(.refused)
    #expect(try installation.run("catalog", "list", "--output", "json").items().count == 3)
  }

  @Test("the name tells the kind, and the file has to be there")
  func files() throws {
    let installation = try imported()
    let file = try installation.write(Self.header, to: "catalog.txt")
    installation.run("catalog", "import", file).expect(.usage, ".csv or .json")
    installation.run("catalog", "import", "/nowhere.csv").expect(.inputOutput, "/nowhere.csv")
    installation.run("catalog", "import").expect(.usage, "Missing: FILE")
  }

  @Test("categories come from the configuration")
  func categories() throws {
    let installation = try Installation.made()
    let file = try installation.write(Self.header + Self.rows, to: "catalog.csv")
    installation.run(
      "catalog", "import", file, environment: ["LAUNCHLINK_CATEGORIES": "{mall: 몰}"]
    ).expect(.badData, "line 4, column 13: category")
  }

  @Test("list filters by category and by what is active, whatever the number")
  func list() throws {
    let installation = try imported()
    func ids(_ arguments: String...) throws -> [String?] {
      try installation.run(["catalog", "list", "--output", "json"] + arguments).expect(.success)
        .items().map { $0.text("business_id") }
    }
    #expect(try ids() == ["11st", "gmarket", "coupang"])
    #expect(try ids("--category", "mall") == ["11st", "coupang"])
    #expect(try ids("--active", "false") == ["coupang"])
    #expect(try ids("--active=true", "--category=mall") == ["11st"])
    installation.run("catalog", "list", "--category", "beuty").expect(
      .usage, "did you mean beauty?")
    installation.run("catalog", "list", "--active", "yes").expect(.usage, "--active")
    let many = (1...450).map { "b\($0),B\($0),food,true,CPC,5,KRW_COMMISSION_UNIT\n" }.joined()
    let file = try installation.write(Self.header + many, to: "many.csv")
    installation.run("catalog", "import", file).expect(.success)
    #expect(Set(try ids("--category", "food")).count == 450)
  }

  @Test("the table is readable")
  func table() throws {
    let output = try imported().run("catalog", "list", "--category", "mall").expect(.success).output
    #expect(
      output.split(separator: "\n") == [
        "BUSINESS ID  NAME    CATEGORY  COMMISSION  ACTIVE  UPDATED",
        "11st         11번가  mall      CPS 2.5 %   yes     2027-01-15T08:00:00Z",
        "coupang      쿠팡    mall      CPS 1 %     no      2027-01-15T08:00:00Z",
      ])
  }

  @Test("show gives the API's business, or the nearest id")
  func show() throws {
    let installation = try imported()
    let shown = try installation.run("catalog", "show", "11st", "--output", "json")
      .expect(.success).json()
    #expect(
      Set(shown.keys) == [
        "business_id", "name", "aliases", "category", "image_url", "url", "program_name",
        "display_allowed_cases", "display_caution", "active", "products", "updated_at",
      ])
    #expect(
      installation.run("catalog", "show", "gmarket").expect(.success).output.contains(
        "CPA 3000 KRW"))
    installation.run("catalog", "show", "copang").expect(.refused, "did you mean coupang?")
  }
}
