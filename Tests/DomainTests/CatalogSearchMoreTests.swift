import Domain
import Foundation
import JSON
import Testing

private func shop(
  _ id: String, _ name: String, _ program: String? = nil, url: String? = nil,
  aliases: [String] = [], isActive: Bool = true
) -> Shop {
  Shop(id: id, name: name, aliases: aliases, program: program, url: url, isActive: isActive)
}

@Suite("Searching for what is pasted, typed as keys and nearly right")
struct CatalogSearchMoreTests {
  @Test("the vectors")
  func vectors() throws {
    let vectors = try Vectors.load("catalog_search_more")
    let catalog = index(
      try vectors.list("businesses").map { one in
        shop(
          try one.text("business_id"), try one.text("name"), try one.text("program_name"),
          url: try one.text("url"), aliases: try one.list("aliases").compactMap(\.stringValue))
      })
    for one in try vectors.list("cases") {
      let finds = catalog.search(CatalogSearch(try one.text("query"), limit: 5))
      let first = finds.items.first
      #expect(first?.id == one["first"]?.stringValue, "\(one)")
      #expect(first.map { "\($0.rank.match)" } == one["match"]?.stringValue, "\(one)")
    }
  }

  @Test("of shops on one host the one whose path the URL begins with is meant")
  func sharedHosts() {
    let catalog = index([
      shop("nike", "나이키", url: "https://smartstore.example/nike/"),
      shop("nikekids", "나이키 키즈", url: "https://m.smartstore.example/nike/kids"),
      shop("adidas", "아디다스", url: "https://smartstore.example/Adidas?x=1"),
      shop("other", "다른 몰", url: "https://www.other.example"),
    ])
    let path = "https://smartstore.example/"
    #expect(catalog.found(path + "nike") == ["nike alias"])
    #expect(catalog.found(path + "nike/products/1?a=b") == ["nike alias"])
    #expect(catalog.found(path + "nike/kids/2") == ["nikekids alias"])
    #expect(catalog.found("www.smartstore.example/adidas") == ["adidas alias"])
    // None of them is meant, so all may be.
    #expect(catalog.found(path + "nikes").count == 3)
    #expect(catalog.found("smartstore.example").count == 3)
    #expect(catalog.found("shop.other.example/nike") == ["other alias"])
    #expect(catalog.found("another.example").isEmpty)
  }

  @Test(
    "what is meant to the letter comes before what differs in punctuation, and a guess never beside either"
  )
  func order() {
    let catalog = index([
      shop("cpp", "C++"), shop("cs", "C#"), shop("c-hall", "씨홀"), shop("coupang", "쿠팡"),
      shop("coupant", "쿠판트"), shop("xcoupangx", "엑스"),
    ])
    #expect(catalog.found("C#") == ["cs name", "cpp name"])
    #expect(catalog.found("chall") == ["c-hall id"])
    #expect(catalog.found("coupang") == ["coupang id", "xcoupangx part"])
    #expect(catalog.found("coupans") == ["coupant near", "coupang near"])
    #expect(catalog.found("coupang", isActive: false).isEmpty)
  }

  @Test("a business whose name is nearer comes first among guesses")
  func guesses() {
    let catalog = index([shop("a", "가나다라바"), shop("b", "가나다라마바"), shop("c", "가나다라시바")])
    #expect(catalog.found("가나다라사바") == ["b near", "c near", "a near"])
  }

  @Test("every word has to be there, in any order, in any of the texts")
  func words() {
    let catalog = index([
      shop("coupang", "쿠팡", "로켓 적립"), shop("eats", "쿠팡이츠", "배달 적립", aliases: ["coupang eats"]),
    ])
    #expect(catalog.found("coupang, 쿠팡") == ["coupang part", "eats part"])
    #expect(catalog.found("적립 eats 쿠팡") == ["eats part"])
    #expect(catalog.found("znvkd fhzpt") == ["coupang keyboard"])
    #expect(catalog.found("쿠팡 마트").isEmpty)
    #expect(catalog.found("a b c d e f g").isEmpty)
  }

  @Test("a host is found by its labels or their beginnings, never by what many hosts end in")
  func labels() {
    let catalog = index([
      shop("one", "말담영어", url: "https://maldam.example/"),
      shop("two", "나이키", url: "https://shop.nike.co.kr/"),
      shop("six", "로컬", url: "http://intranet/"),
    ])
    #expect(catalog.found("mex") == [] && catalog.found("dam") == [] && catalog.found("pni") == [])
    #expect(
      catalog.found("example") == [] && catalog.found("co.kr") == [] && catalog.found("kr") == [])
    #expect(catalog.found("maldam") == ["one prefix"] && catalog.found("mal") == ["one prefix"])
    #expect(catalog.found("nike") == ["two part"] && catalog.found("nike.co") == ["two part"])
    #expect(catalog.found("intranet") == ["six alias"])
    // Chance in the middle of a host hides no guess.
    let more = index([
      shop("ssg", "말담영어", url: "https://maldam.example/"),
      shop("nke", "다른", url: "https://unknke.example/"), shop("x", "nike", url: nil),
    ])
    #expect(more.found("nkes") == ["nke near"] && more.found("niek") == ["x near"])
  }

  @Test(
    "a word of one letter counts at the beginning of a text only, and one that another holds not at all"
  )
  func shortWords() {
    let catalog = index([
      shop("coupang", "쿠팡", "쿠팡 캐시백"), shop("eats", "이츠", "이츠 캐시백"),
      shop("hello", "안녕", "안녕 캐시백"),
    ])
    #expect(catalog.found("캐시백 e") == ["eats part"])
    #expect(catalog.found("zotlqor e") == ["eats keyboard"])
    #expect(catalog.found("캐시백 o").isEmpty)
    #expect(catalog.found("캐시백 쿠팡 시백") == ["coupang part"])
    #expect(catalog.found("쿠팡 쿠팡 캐시백 캐시백") == ["coupang part"])
  }

  @Test(
    "several words that nearly every business has compare few texts",
    arguments: [
      "a e i", "a e i o u n", "s 캐시백 e", "zotlqor s", "example s", "캐시백 s", "s e 캐시백 example 백 시",
      "캐시백 시백 백 캐 캐시", "샵 s 1 e 9", "https 캐시백 s.example e",
    ])
  func steps(text: String) {
    let finds = Self.many.search(CatalogSearch(text, limit: 5))
    #expect(finds.textsCompared <= Self.many.count, "\(finds.textsCompared)")
  }

  /// 2,000 businesses with what is in the names, programmes and hosts of all.
  private static let many = {
    let letters = Array("bcdfghjklmnpqrstvwz")
    return index(
      (0..<2_000).map { number in
        let id = "\(letters[number % 19])\(letters[number / 19 % 19])aeioun\(number)se"
        return shop(
          id, "가게 \(number) 샵", "가게 \(number) 캐시백", url: "https://\(id).example/",
          aliases: ["\(number) 스 aeiou"])
      })
  }()

  @Test("what only looks like an id in a link is none")
  func noIDs() {
    let catalog = index([
      shop("coupang", "쿠팡"), shop("card", "Business ID Card"), shop("my", "id: my shop"),
    ])
    #expect(catalog.found("business id card") == ["card name"])
    #expect(catalog.found("id: my shop") == ["my name"])
    #expect(catalog.found("business id: coupang") == ["coupang id"])
    #expect(catalog.found("business_id：coupang") == ["coupang id"])
    #expect(catalog.found("ｂｕｓｉｎｅｓｓ＿ｉｄ＝ｃｏｕｐａｎｇ") == ["coupang id"])
    for text in ["id", "id=", "/businesses/", "/businesses?query=a", "<business_id></business_id>"]
    {
      #expect(catalog.found(text).allSatisfy { !$0.hasPrefix("coupang") }, "\(text)")
    }
  }

  @Test("a link to an unknown business is searched for by its id")
  func links() {
    let catalog = index([shop("coupang", "쿠팡"), shop("eats", "이츠", isActive: false)])
    #expect(catalog.found("/cashback/detail?business_id=coupnag") == ["coupang near"])
    #expect(catalog.found("x?business_id=&business_id=eats") == ["eats id"])
    #expect(catalog.found("business_id=eats", isActive: true).isEmpty)
    for text in [
      "business_id", "business_id=", "business_id%3", "business=eats", "my business idea: eats",
    ] {
      #expect(catalog.found(text).isEmpty, "\(text)")
    }
  }

  @Test("short texts are no guesses of each other")
  func short() {
    let catalog = index([shop("gs", "GS"), shop("ssg", "쓱"), shop("cu", "씨유"), shop("amu", "무")])
    for text in ["g2", "ssf", "c1", "모", "묵"] {
      #expect(catalog.found(text).allSatisfy { !$0.hasSuffix("near") }, "\(text)")
    }
  }

  @Test("long texts are read as links only, and longer ones not at all")
  func long() {
    let catalog = index([shop("coupang", "쿠팡", url: "https://coupang.example")])
    let padding = String(repeating: "x", count: 1_900)
    #expect(catalog.found("https://coupang.example/\(padding)") == ["coupang alias"])
    #expect(catalog.found("https://a.example/\(padding)?business_id=coupang") == ["coupang id"])
    #expect(catalog.found("coupang" + String(repeating: " ", count: 300)).isEmpty == false)
    #expect(catalog.found("coupang " + padding).isEmpty)
    #expect(catalog.found("https://coupang.example/\(padding)\(padding)").isEmpty)
    for piece in [
      "business", "business_id ", "://a.b", "%2f", "a.b/", "%25", ".", "a.", "//", "쿠", "ㅋ", "a ",
      "%",
    ] {
      #expect(
        catalog.found(String(repeating: piece, count: 2_048 / piece.count)).isEmpty, "\(piece)")
    }
  }

  @Test(
    "the ids nearest to one that is not there",
    arguments: [
      ("Coupang", ["coupang"]), ("COUPANG", ["coupang"]), (" 11st", ["11st"]), ("11ST ", ["11st"]),
      ("11 st", ["11st"]), ("byte-house", ["byte_house"]), ("쿠팡", ["coupang"]),
      ("ｃｏｕｐａｎｇ", ["coupang"]), ("coupnag", ["coupang"]), ("oupang", ["coupang"]),
      ("coup", ["coupon", "coupang"]), ("gmarkett", ["gmarket"]), ("closedmal", []),
      ("closedmall", []),
      ("zzzzzz", []), ("", []), (" ", []), ("!", []),
    ])
  func nearest(id: String, expected: [String]) {
    let catalog = index([
      shop("11st", "11번가"), shop("coupang", "쿠팡"), shop("coupon", "쿠폰"), shop("gmarket", "G마켓"),
      shop("byte_house", "바이트하우스"), shop("closedmall", "닫힌몰", isActive: false),
    ])
    #expect(catalog.ids(nearestTo: id, onlyActive: true).starts(with: expected), "\(id)")
    #expect(catalog.ids(nearestTo: id, onlyActive: true).isEmpty == expected.isEmpty, "\(id)")
    if id.hasPrefix("closed") {
      #expect(catalog.ids(nearestTo: id, onlyActive: false) == ["closedmall"])
    }
  }

  @Test("of ids that are as near the first ones by name are given, three at most")
  func ties() {
    let catalog = index((0..<200).map { shop("s\(1000 + $0)", "상점 \(1000 + $0)") })
    #expect(catalog.ids(nearestTo: "s105", onlyActive: true) == ["s1005", "s1015", "s1025"])
    #expect(catalog.ids(nearestTo: "s10x5", onlyActive: true) == ["s1005", "s1015", "s1025"])
    let far = String(repeating: "s", count: 300)
    #expect(catalog.ids(nearestTo: far, onlyActive: true).isEmpty)
  }

  @Test("the distance is the fewest edits, neighbours swapped being one")
  func distances() {
    // Counted by the table of all beginnings, which is what the words of bits stand for.
    func distance(_ left: [Character], _ right: [Character]) -> Int {
      var rows = [Array(0...right.count)]
      for row in 0..<left.count {
        var current = [row + 1]
        for column in 0..<right.count {
          var best = min(
            rows[row][column] + (left[row] == right[column] ? 0 : 1), rows[row][column + 1] + 1,
            current[column] + 1)
          if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
            best = min(best, rows[row - 1][column - 1] + 1)
          }
          current.append(best)
        }
        rows.append(current)
      }
      return rows[left.count][right.count]
    }
    var random = SystemRandomNumberGenerator()
    for _ in 0..<2_000 {
      let texts = (0..<2).map { _ in
        String(
          (0..<Int.random(in: 3...9, using: &random)).map { _ in "abc".randomElement() ?? "a" })
      }
      let allowed = max(1, texts[0].count / 3)
      let isNear =
        distance(Array(texts[0]), Array(texts[1])) <= allowed || texts[0].hasPrefix(texts[1])
        || texts[1].hasPrefix(texts[0])
      #expect(Domain.nearest(to: texts[0], in: [texts[1]]).isEmpty != isNear, "\(texts)")
    }
  }
}
