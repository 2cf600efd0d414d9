import Differences
import Domain
import JSON
import Testing

@Suite("Catalogue in JSON")
struct CatalogJSONTests {
  let now = Timestamp(seconds: 1_800_000_000)

  func read(_ text: String) throws -> [Business] {
    try businesses(.json, in: Array(text.utf8), categories: ["beauty", "mall"], now: now)
  }

  func faults(_ text: String) throws -> [String] {
    do {
      _ = try read(text)
      return []
    } catch let faults as CatalogFaults {
      return faults.first.map(\.description)
    }
  }

  @Test("reads what the API gives, to the same business")
  func roundTrip() throws {
    let csv = """
      business_id,name,aliases,category,url,display_caution,active,target,starts_at,commission_type,commission_amount,commission_unit
      11st,11번가,eleven|일일번가,mall,https://11st.example/,상품권 제외,false,전체,2026-01-01T00:00:00Z,CPS,2.50,PERCENTAGE_COMMISSION_UNIT
      11st,,,,,,,,,CPA,3000,KRW_COMMISSION_UNIT
      """
    let found = try businesses(.csv, in: Array(csv.utf8), categories: ["mall"], now: now)
    let text = JSON.array(found.map(\.json)).encoded()
    #expect(try businesses(.json, in: text, categories: ["mall"], now: now) == found)
    let marked = [0xEF, 0xBB, 0xBF] + text
    #expect(try businesses(.json, in: marked, pieces: 3, categories: ["mall"], now: now) == found)
  }

  @Test("a new business needs no more than id, name, category and a product; null is none")
  func smallest() throws {
    let business = try #require(
      try read(
        """
        [{"business_id":"a","name":"A","category":"mall","url":null,"active":null,
          "products":[{"commission_type":"CPS","commission":{"amount":"1","unit":"KRW_COMMISSION_UNIT"}}]}]
        """
      ).first)
    #expect(business.isActive)
    #expect(business.aliases.isEmpty)
    #expect(business.url == nil)
    #expect(business.updatedAt == now)
  }

  @Test("an absent member says nothing, null that there is none, and a product is said whole")
  func mentions() throws {
    let text = """
      [{"business_id":"a","url":null,"aliases":null,"active":null},
       {"business_id":"b","url":"https://b.example/","active":false,
        "products":[{"commission_type":"CPS","commission":{"amount":"1","unit":"KRW_COMMISSION_UNIT"}}]}]
      """
    let found = try entries(.json, in: Array(text.utf8), categories: [])
    try #require(found.count == 2)
    #expect(found[0].url == .erased && found[0].aliases == [] && found[0].isActive == .erased)
    #expect(found[0].name == nil && found[0].products == nil && found[0].imageURL == .unnamed)
    #expect(found[1].url == .value("https://b.example/") && found[1].isActive == .value(false))
    #expect(found[1].aliases == nil && found[1].products?.first?.target == .erased)
    #expect(
      try faults(#"[{"business_id":"a","name":null,"category":null,"products":null}]"#) == [
        "line 1, column 28: /0/name: This is missing.",
        "line 1, column 44: /0/category: This is missing.",
        "line 1, column 60: /0/products: This has to be an array of at least one product.",
      ])
  }

  @Test("every fault of a file is reported at once, by line, column and JSON Pointer")
  func everyFault() throws {
    let found = try faults(
      """
      [{"busines_id":"a","business_id":"A!","name":"","category":"beuty","aliases":["a|b"],
        "active":"yes","url":7,"products":[]},
       {"business_id":"b","name":"B","category":"mall","a/b":1,
        "products":[{"commission_type":"CPS","starts_at":"2026-02-01T00:00:00Z",
                     "ends_at":"2026-01-01T00:00:00Z","commission":{"amount":2.5,"unit":"EUR"}},
                    {"commission_type":"CPS"}]},
       {"business_id":"b","name":"B","category":"mall",
        "products":[{"commission_type":"CPS","commission":{"amount":"1","unit":"KRW_COMMISSION_UNIT"}}]},
       7]
      """)
    let expected = [
      "line 1, column 16: /0/busines_id: There is no member of this name; did you mean business_id?",
      "line 1, column 34: /0/business_id: A business id is 1 to 30 of a-z 0-9 _ and -",
      "line 1, column 46: /0/name: This cannot be empty",
      "line 1, column 78: /0/aliases: An alias cannot hold |, which separates them in CSV",
      "line 1, column 60: /0/category: There is no such category; did you mean beauty?",
      "line 2, column 24: /0/url: This has to be a string",
      "line 2, column 12: /0/active: This has to be true or false",
      "line 2, column 37: /0/products: This has to be an array of at least one product",
      "line 3, column 56: /1/a~1b: There is no member of this name",
      "line 5, column 26: /1/products/0/ends_at: The end has to come after the start",
      "line 5, column 83: /1/products/0/commission/unit: This has to be PERCENTAGE_COMMISSION_UNIT, "
        + "KRW_COMMISSION_UNIT",
      "line 5, column 72: /1/products/0/commission/amount: This has to be a string",
      "line 6, column 15: /1/products/1/commission: This has to be an object with amount, unit",
      "line 7, column 17: /2/business_id: This business is there already, in line 3",
      "line 9, column 2: /3: This has to be an object with business_id, name, aliases, category, "
        + "image_url, url, program_name, display_allowed_cases, display_caution, active, products, "
        + "updated_at",
    ]
    let starts = found.map { String($0.prefix { $0 != "." }) }
    #expect(
      firstDifference(starts.joined(separator: "\n"), expected.joined(separator: "\n")) == nil)
  }

  @Test("brackets and commas in strings and deep inside end no business")
  func brackets() throws {
    let product =
      #"{"commission_type":"CPS","commission":{"amount":"1","unit":"KRW_COMMISSION_UNIT"}}"#
    let names = [#"}],\"[{"#, #"\\"#, "],"]
    let text = names.enumerated().map { number, name in
      #"{"business_id":"b\#(number)","name":"\#(name)","category":"mall","products":[\#(product)]}"#
    }
    let found = try read("[" + text.joined(separator: " ,\n ") + "]\n")
    #expect(found.map(\.name) == [#"}],"[{"#, #"\"#, "],"])
  }

  @Test("a business that is there already is told also where it had a fault")
  func repeated() throws {
    let found = try faults(#"[{"business_id":"b"},"# + "\n" + #"{"business_id":"b"}]"#)
    #expect(
      found.contains(
        "line 2, column 16: /1/business_id: This business is there already, in line 1."))
  }

  @Test("what is no JSON is refused by line and column")
  func syntax() throws {
    #expect(try faults("[\n{\"a\":1,}]").first?.hasPrefix("line 2, column 8: ") == true)
    #expect(
      try faults(" {\"items\":[]}").first?.hasPrefix("line 1, column 2: This has to be an array")
        == true)
    #expect(try faults("").first?.hasPrefix("line 1, column 1: ") == true)
    #expect(try faults("[] x") == ["line 1, column 4: Something stands behind the array."])
    #expect(try faults("[{} {}]").last?.hasPrefix("line 1, column 5: ") == true)
    #expect(try faults("[{},\n]").last?.hasPrefix("line 2, column 1: ") == true)
    #expect(try faults("[{}").last == "line 1, column 4: A comma or ] is missing here.")
    #expect(try faults("[7,\n  {\"a\": \"\n\"}]").count == 2)
    #expect(try faults("[\n\"\\").first?.hasPrefix("line 2, column ") == true)
    #expect(try faults("[]").isEmpty)
  }
}
