import Differences
import Domain
import Foundation
import Testing

@Suite("Catalogue in CSV")
struct CatalogCSVTests {
  static let header = "business_id,name,category,commission_type,commission_amount,commission_unit"
  static let percentage = "CPS,2.5,PERCENTAGE_COMMISSION_UNIT"
  let now = Timestamp(seconds: 1_800_000_000)

  func read(_ text: String) throws -> [Business] {
    try businesses(.csv, in: Array(text.utf8), categories: ["beauty", "mall", "food"], now: now)
  }

  /// Every fault as it is shown; empty where there is none.
  func faults(_ text: String) throws -> [String] {
    do {
      _ = try read(text)
      return []
    } catch let faults as CatalogFaults {
      #expect(faults.count == faults.first.count)
      return faults.first.map(\.description)
    }
  }

  @Test("reads every column, in any order")
  func everyColumn() throws {
    let columns = Array(CatalogCSV.columns.reversed())
    let values: [String: String] = [
      "business_id": "11st", "name": "11번가", "aliases": "eleven|일일번가", "category": "mall",
      "image_url": "https://cdn.example/11.png", "url": "https://11st.example",
      "program_name": "11번가 캐시백", "display_allowed_cases": "웹", "display_caution": "상품권 제외",
      "active": "FALSE", "target": "전체", "starts_at": "2026-01-01T00:00:00Z",
      "ends_at": "2026-12-31T23:59:59+09:00", "commission_type": "CPA",
      "commission_amount": "3000", "commission_unit": "KRW_COMMISSION_UNIT",
    ]
    let row = columns.map { values[$0] ?? "" }.joined(separator: ",")
    let business = try #require(try read(columns.joined(separator: ",") + "\n" + row).first)
    let commission = try #require(Commission(amount: "3000", unit: .won))
    let expected = Business(
      id: "11st", name: "11번가", aliases: ["eleven", "일일번가"], category: "mall",
      imageURL: "https://cdn.example/11.png", url: "https://11st.example",
      programName: "11번가 캐시백", displayAllowedCases: "웹", displayCaution: "상품권 제외",
      isActive: false,
      products: [
        Product(
          target: "전체", startsAt: Timestamp(rfc3339: "2026-01-01T00:00:00Z"),
          endsAt: Timestamp(rfc3339: "2026-12-31T14:59:59Z"), commissionType: .perAction,
          commission: commission)
      ], updatedAt: now)
    #expect(business == expected)
  }

  @Test("later rows of a business only add products, wherever they stand")
  func laterRows() throws {
    let businesses = try read(
      """
      \(Self.header)
      a,A,mall,\(Self.percentage)
      b,B,mall,\(Self.percentage)
      a,,,CPA,100,KRW_COMMISSION_UNIT
      a,A,mall,CPC,5,KRW_COMMISSION_UNIT
      """)
    #expect(businesses.map(\.id) == ["a", "b"])
    #expect(businesses.map(\.products.count) == [3, 1])
    #expect(businesses[0].products.map(\.commissionType) == [.perSale, .perAction, .perClick])
  }

  @Test("a later row that says something else of the business is refused")
  func contradiction() throws {
    let found = try faults(
      "\(Self.header)\na,A,mall,\(Self.percentage)\na,B,mall,\(Self.percentage)\n")
    try #require(found.count == 1)
    #expect(found[0].hasPrefix("line 3, column 3: name: Line 2 says something else"))
  }

  @Test(
    "quotation marks, line breaks, CRLF and a byte order mark are read as RFC 4180 has them",
    arguments: ["\n", "\r\n"])
  func quoting(lineBreak: String) throws {
    let text = [
      "\u{FEFF}\"business_id\",name,display_caution,category,commission_type,commission_amount,commission_unit",
      "a,\"A, \"\"B\"\"\",\"one\(lineBreak)two\",mall,\(Self.percentage)",
      "", ",,,,,,", "b,B,\"\",mall,\(Self.percentage)", "",
    ].joined(separator: lineBreak)
    let businesses = try read(text)
    #expect(businesses.map(\.name) == ["A, \"B\"", "B"])
    #expect(
      businesses.map(\.displayCaution) == ["one\ntwo", nil],
      "stored alike, whichever system wrote it")
  }

  @Test("names come out in NFC")
  func normalization() throws {
    let decomposed = "가방".decomposedStringWithCanonicalMapping
    let business = try #require(
      try read("\(Self.header)\na,\(decomposed),mall,\(Self.percentage)").first)
    #expect(Array(business.name.utf8) == Array("가방".utf8))
  }

  @Test("every fault of a file is reported at once, in its order, by line and column")
  func everyFault() throws {
    let found = try faults(
      """
      business_id,name,category,active,url,starts_at,ends_at,commission_type,commission_amount,commission_unit
      A B,,beuaty,yes,ftp://x,gestern,,CPX,1.,PERCENT
      b,"비
      비",mall,true,,2026-02-01T00:00:00Z,2026-01-01T00:00:00Z,CPS,101,PERCENTAGE_COMMISSION_UNIT
      c,C
      ,D,mall,,,,,CPS,1,KRW_COMMISSION_UNIT
      """)
    let expected = [
      "line 2, column 1: business_id: A business id is 1 to 30 of a-z 0-9 _ and -",
      "line 2, column 5: name: This is missing",
      "line 2, column 6: category: There is no such category; did you mean beauty?",
      "line 2, column 13: active: This has to be true or false",
      "line 2, column 17: url: This has to be a URL that starts with https:// or http://, at most 2048 bytes",
      "line 2, column 25: starts_at: A time is written as in RFC 3339, such as 2026-11-29T12:00:00Z",
      "line 2, column 34: commission_type: This has to be one of CPS, CPA, CPC, CPM",
      "line 2, column 38: commission_amount: An amount is a decimal number such as 2",
      "line 2, column 41: commission_unit: This has to be PERCENTAGE_COMMISSION_UNIT, KRW_COMMISSION_UNIT",
      "line 3, column 3: name: A line break or another control character cannot stand here",
      "line 4, column 36: ends_at: The end has to come after the start",
      "line 4, column 61: commission_amount: An amount is a decimal number such as 2",
      "line 5, column 1: This row has 2 fields, the first row has 10",
      "line 6, column 1: business_id: This is missing; each row names its business",
    ]
    let starts = found.map { String($0.prefix { $0 != "." }) }
    #expect(
      firstDifference(starts.joined(separator: "\n"), expected.joined(separator: "\n")) == nil)
  }

  @Test("a column that is unknown or repeated is named, with the nearest known one")
  func header() throws {
    let found = try faults("business_id,nmae,category,category,commission_type,commission_amount\n")
    #expect(
      found == [
        "line 1, column 13: There is no column of this name; did you mean name?",
        "line 1, column 27: category: This column is there already.",
      ])
  }

  @Test("broken quoting is reported where it is")
  func brokenQuoting() throws {
    let found = try faults(
      "\(Self.header)\na,A\"B,mall,\(Self.percentage)\nb,\"B\"x,mall,\(Self.percentage)\nc,\"C,mall\n"
    )
    try #require(found.count == 3)
    #expect(found[0].hasPrefix("line 2, column 4: A quotation mark inside a field"))
    #expect(found[1].hasPrefix("line 3, column 6: Something stands between the closing"))
    #expect(found[2] == "line 4, column 3: The closing quotation mark is missing.")
    #expect(
      try faults("sep=,\nbusiness_id,\"name\na,A\n") == [
        "line 2, column 13: The closing quotation mark is missing."
      ])
  }

  @Test("a file that is not UTF-8 is refused with what to do")
  func encoding() throws {
    let bytes =
      Array("\(Self.header)\na,".utf8) + [0xB0, 0xA1] + Array(",mall,\(Self.percentage)".utf8)
    let error = try #require(throws: CatalogFaults.self) {
      _ = try businesses(.csv, in: bytes, categories: ["mall"], now: now)
    }
    #expect(
      error.first.map(\.description) == [
        "line 2, column 3: This is not UTF-8; it may be EUC-KR (CP949). Export the file as UTF-8: in "
          + "Excel as CSV UTF-8, in LibreOffice with the character set Unicode (UTF-8)."
      ])
  }

  @Test("a field with too many combining characters is one fault, whatever column it is of")
  func combiningCharacters() throws {
    let text = "a" + String(repeating: "\u{301}", count: 31)
    for row in ["a,\(text),mall", "a,A,\(text)"] {
      #expect(
        try faults(
          "business_id,name,category,commission_type,commission_amount,commission_unit\n"
            + "\(row),CPS,1,KRW_COMMISSION_UNIT") == [
            "line 2, column \(row == "a,A,\(text)" ? 5 : 3): This field has more than 30 combining characters in a "
              + "row."
          ])
    }
  }

  @Test("a file in another encoding is refused once, not field by field")
  func otherEncodings() throws {
    let rows = repeatElement(
      Array("a,".utf8) + [0xB0, 0xA1] + Array(",mall,\(Self.percentage)\n".utf8), count: 5)
    let error = try #require(throws: CatalogFaults.self) {
      _ = try businesses(
        .csv, in: Array("\(Self.header)\n".utf8) + rows.joined(), categories: ["mall"], now: now)
    }
    #expect(error.first.filter { $0.message.contains("CP949") }.map(\.line) == [2])
    for mark in [[0xFF, 0xFE], [0xFE, 0xFF], []] as [[UInt8]] {
      let bytes = mark + Self.header.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
      for format in CatalogFormat.allCases {
        let error = try #require(throws: CatalogFaults.self) {
          _ = try businesses(format, in: bytes, categories: ["mall"], now: now)
        }
        #expect(error.count == 1)
        #expect(error.first.first?.message.hasPrefix("The file is UTF-16.") == true)
      }
    }
  }

  @Test("empty columns and fields that spreadsheets add or leave out at a row's end do no harm")
  func ragged() throws {
    let businesses = try read(
      """
      \(Self.header),aliases,url,,
      a,A,mall,\(Self.percentage),eins,,,
      b,B,mall,\(Self.percentage),
      c,C,mall,\(Self.percentage)
      ,,,,,,,,,,,
      """)
    #expect(businesses.map(\.id) == ["a", "b", "c"])
    #expect(businesses.map(\.aliases) == [["eins"], [], []])
    #expect(
      try faults("\(Self.header),,\na,A,mall,\(Self.percentage),,note\n") == [
        "line 2, column 1: This row has 8 fields, the first row has 6."
      ])
  }

  @Test("other separators than commas are named", arguments: [(";", "semicolons"), ("\t", "tabs")])
  func separators(separator: String, name: String) throws {
    let found = try faults(Self.header.replacing(",", with: separator))
    #expect(found.contains { $0.contains("separated by \(name); export them separated by commas") })
  }

  @Test(
    "a missing quotation mark is told where it was opened, however long the rest of the file is")
  func endlessField() throws {
    let rest = (1...5000).map { "b\($0),B,mall,\(Self.percentage)\n" }.joined()
    let found = try faults("\(Self.header)\na,\"A,mall,\(Self.percentage)\n\(rest)")
    #expect(found == ["line 2, column 3: The closing quotation mark is missing."])
    let long = String(repeating: "x", count: 70_000)
    let other = try faults("\(Self.header)\na,\(long),mall,\(Self.percentage)\n")
    #expect(other == ["line 2, column 3: This field has more than 65536 bytes."])
  }

  @Test("where the pieces of a file end makes no difference", arguments: [1, 2, 3, 5, 7, 64])
  func pieces(size: Int) throws {
    let text =
      "\u{FEFF}\(Self.header),display_caution\r\na,\"쿠\"\"팡\",mall,\(Self.percentage),\"하나\r\n둘\"\r\n"
      + "b,B,mall,CPS,101,PERCENTAGE_COMMISSION_UNIT,\r\n"
    let whole = try #require(throws: CatalogFaults.self) { _ = try read(text) }
    let cut = try #require(throws: CatalogFaults.self) {
      _ = try businesses(
        .csv, in: Array(text.utf8), pieces: size, categories: ["mall"], now: now)
    }
    #expect(whole.first == cut.first && whole.first.map(\.line) == [4])
    let good = text.replacing("101", with: "100")
    #expect(
      try businesses(.csv, in: Array(good.utf8), pieces: size, categories: ["mall"], now: now)
        == read(good))
  }

  @Test("an empty file lacks its columns")
  func empty() throws {
    let missing =
      "line 1, column 1: business_id: This column is missing; the first row has to name the columns."
    #expect(try faults("") == [missing])
    #expect(try faults("\u{FEFF}\r\n") == [missing])
  }

  @Test("all faults are counted, and the first hundred shown")
  func manyFaults() throws {
    let rows = (1...250).map { "a\($0),A,nowhere,\(Self.percentage)\n" }.joined()
    let error = try #require(throws: CatalogFaults.self) { _ = try read("\(Self.header)\n\(rows)") }
    #expect(error.count == 250)
    #expect(error.first.count == CatalogFaults.limit)
    let lines = error.description.split(separator: "\n")
    #expect(lines.first == "The catalogue has 250 faults; nothing was imported.")
    #expect(lines.last?.hasSuffix("… and 150 more") == true)
  }

  @Test("a business has a bounded number of products and aliases")
  func bounds() throws {
    let rows = (1...101).map { _ in "a,A,mall,\(Self.percentage)\n" }.joined()
    #expect(try faults("\(Self.header)\n\(rows)").first?.hasPrefix("line 102, column 1") == true)
    let aliases = (1...51).map { "n\($0)" }.joined(separator: "|")
    let found = try faults("\(Self.header),aliases\na,A,mall,\(Self.percentage),\(aliases)")
    #expect(found.map { $0.hasSuffix("aliases: There may be 50 aliases at most.") } == [true])
  }

  @Test("an absent column says nothing, an empty cell that there is none")
  func mentions() throws {
    let text =
      "business_id,url,display_caution,active,aliases\na,https://a.example/,,,\nb,,x,true,y|z\n"
    let found = try entries(.csv, in: Array(text.utf8), categories: [])
    try #require(found.count == 2)
    #expect(found[0].url == .value("https://a.example/") && found[0].displayCaution == .erased)
    #expect(found[0].isActive == .erased && found[0].aliases == [])
    #expect(found[1].url == .erased && found[1].isActive == .value(true))
    #expect(found[1].aliases == ["y", "z"])
    for entry in found {
      #expect(entry.name == nil && entry.category == nil && entry.products == nil)
      #expect(entry.imageURL == .unnamed && entry.programName == .unnamed)
    }
    let products = try entries(
      .csv, in: Array("business_id,target\na,x\na,\n".utf8), categories: [])
    #expect(products.first?.products?.map(\.target) == [.value("x"), .erased])
    #expect(products.first?.products?.map(\.endsAt) == [.unnamed, .unnamed])
  }

  @Test("a name, category or commission is never empty, though its column may be absent")
  func essentials() throws {
    #expect(
      try faults("business_id,name,category,commission_amount\na,,,\n") == [
        "line 2, column 3: name: This is missing.",
        "line 2, column 4: category: This is missing.",
        "line 2, column 5: commission_amount: This is missing.",
      ])
  }

  @Test(
    "rows that show nothing are no rows",
    arguments: [" , , , , , ", "\u{A0},\u{3000},,,,", "\t", ",,,,,,,,, "])
  func blankRows(row: String) throws {
    let found = try read("\(Self.header)\n\(row)\na,A,mall,\(Self.percentage)\n\(row)\n")
    #expect(found.map(\.id) == ["a"])
  }

  @Test(
    "what spoils a whole file is one fault, which names the cause",
    arguments: [
      ("business_id,name\ra,A\rb,B\r", "carriage return (CR)"),
      ("business_id,name\r\r\na,A\r\r\n", "carriage return (CR)"),
      ("sep=,\rbusiness_id,name\ra,A\r", "carriage return (CR)"),
      ("\u{FEFF}\u{FEFF}business_id,name\na,A\n", "two byte order marks (U+FEFF)"),
      ("\u{FEFF}\u{FEFF}\u{FEFF}business_id,name\na,A\n", "two byte order marks (U+FEFF)"),
      (
        "business_id,name\u{A0},url\na,A,\n",
        "name: The name of the column has a no-break space (U+00A0)"
      ),
      ("business_id\u{A0},name\na,A\n", "business_id: The name of the column has a no-break space"),
      ("business_id,\u{200B}name\na,A\n", "a character that shows nothing (U+200B)"),
      ("business_id,name \na,A\n", "name: The name of the column has a blank (U+0020)"),
      ("business id,name\na,A\n", "business_id: The name of the column has a blank (U+0020)"),
      ("“business_id”,“name”\na,A\n", "a quotation mark that quotes nothing (U+201C)"),
      ("Business_ID,NAME\na,A\n", "small letters"),
      ("business_id，name\na，A\n", "separated by full-width commas"),
      ("business_id|name\na|A\n", "separated by vertical bars"),
      ("business_id;name\na;A\n", "separated by semicolons"),
      ("아이디,이름\na,A\n", "The first row has to name the columns"),
      ("11st,11번가,mall\n", "The first row has to name the columns"),
      ("PK\u{03}\u{04}\u{14}", "a workbook of a spreadsheet"),
    ])
  func oneCause(text: String, cause: String) throws {
    let found = try faults(text)
    #expect(found.count == 1 && found.first?.contains(cause) == true, "\(found)")
  }

  @Test("what spoils a row is one fault, and blames no other row for it")
  func oneCauseInARow() throws {
    let rows = """
      \(Self.header),target
      a,A,mall,CPS,2,5,PERCENTAGE_COMMISSION_UNIT,x
      a,,,CPA,300,KRW_COMMISSION_UNIT,
      b,B,mall,CPS,3,000,KRW_COMMISSION_UNIT,
      b,,,CPA,300,KRW_COMMISSION_UNIT,
      c,“C, c”,mall,CPS,1,KRW_COMMISSION_UNIT,x
      c,,,CPA,300,KRW_COMMISSION_UNIT,
      \u{FEFF}business_id,name,category,commission_type,commission_amount,commission_unit,target
      d,D\rd,mall,CPS,1,KRW_COMMISSION_UNIT,x
      e,E
      e,mall,CPS,1,KRW_COMMISSION_UNIT,x
      e,,,CPA,300,KRW_COMMISSION_UNIT,
      f,F,mall,CPS,1,KRW_COMMISSION_UNIT,x
      """
    let found = try faults(rows)
    let starts = [
      "line 2, column 14: commission_amount: 2,5 is cut in two by its comma",
      "line 4, column 14: commission_amount: 3,000 is cut in two by its comma",
      "line 6, column 1: This row has 8 fields, the first row has 7. Typographic quotation marks",
      "line 8, column 1: This is the first row again",
      "line 9, column 4: A carriage return (CR) without a line feed.",
      "line 10, column 1: This row has 2 fields, the first row has 7. A line break inside a field",
    ]
    #expect(found.count == starts.count, "\(found)")
    for (fault, start) in zip(found, starts) { #expect(fault.hasPrefix(start), "\(fault)") }
  }

  @Test(
    "a character that nobody sees is named",
    arguments: [
      ("a\u{A0},A,mall,CPS,2,KRW_COMMISSION_UNIT", "business_id", "a no-break space (U+00A0)"),
      ("\u{FEFF}a,A,mall,CPS,2,KRW_COMMISSION_UNIT", "business_id", "a byte order mark (U+FEFF)"),
      ("a,A,mall ,CPS,2,KRW_COMMISSION_UNIT", "category", "a blank (U+0020)"),
      ("a,A,mall,CPS\u{200B},2,KRW_COMMISSION_UNIT", "commission_type", "(U+200B)"),
      ("a,A,mall,CPS,2\u{A0},KRW_COMMISSION_UNIT", "commission_amount", "(U+00A0)"),
      ("a,A,mall,CPS,2,KRW_COMMISSION_UNIT\u{3000}", "commission_unit", "(U+3000)"),
      ("a,A,mall,CPS,2,KRW_COMMISSION_UNIT\u{FEFF}b,B,mall,CPS,2,x", "row", "(U+FEFF)"),
    ])
  func hidden(row: String, field: String, cause: String) throws {
    let found = try faults(
      "business_id,name,category,commission_type,commission_amount,commission_unit\n\(row)\n")
    #expect(found.count == 1 && found.first?.contains(cause) == true, "\(found)")
    #expect(found.first?.contains(field) == true)
  }

  @Test("rows that end in a carriage return below a header that does not are one fault")
  func carriageReturnsInRows() throws {
    let row = "A,mall,\(Self.percentage)"
    let found = try faults("\(Self.header)\na,\(row)\rb,\(row)\rc,\(row)\r")
    #expect(found.count == 1 && found.first?.contains("carriage return (CR)") == true, "\(found)")
  }

  @Test("the sample catalogue has no fault and every category")
  func sample() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Config/catalog.sample.csv")
    let keys = [
      "food", "mall", "culture", "travel", "electronics", "infant", "health", "fashion", "beauty",
      "finance", "living", "education", "etc",
    ]
    let businesses = try businesses(
      .csv, in: Array(Data(contentsOf: file)), categories: keys, now: now)
    #expect(Set(businesses.map(\.category)) == Set(keys))
    #expect(businesses.contains { $0.products.count > 1 })
  }
}
