import Domain
import Foundation
import JSON
import Testing

/// A catalogue of ids, names and aliases, all of one category and active unless said.
struct Shop {
  var id: String
  var name: String
  var aliases: [String] = []
  var program: String?
  var url: String?
  var category = "mall"
  var isActive = true
}

func index(_ shops: [Shop]) -> CatalogIndex {
  var index = CatalogIndex()
  // As SQLite orders them: by bytes.
  let key = { (shop: Shop) in Array(shop.name.utf8) + [0] + Array(shop.id.utf8) }
  for shop in shops.sorted(by: { key($0).lexicographicallyPrecedes(key($1)) }) {
    index.append(
      id: shop.id, name: shop.name, aliases: shop.aliases, programName: shop.program,
      url: shop.url, category: shop.category, isActive: shop.isActive)
  }
  return index
}

extension CatalogIndex {
  /// What a search finds, each as `id match`.
  func found(_ text: String, category: String? = nil, isActive: Bool? = nil) -> [String] {
    var search = CatalogSearch(text, limit: 200)
    search.category = category
    search.isActive = isActive
    let finds = self.search(search)
    #expect(finds.total == finds.items.count && !finds.hasMore)
    return finds.items.map { "\($0.id) \($0.rank.match)" }
  }
}

private let shops = index([
  Shop(id: "11st", name: "11번가", aliases: ["eleven street", "일일번가"]),
  Shop(id: "coupang", name: "쿠팡", aliases: ["로켓배송"]),
  Shop(id: "coupangeats", name: "쿠팡이츠"),
  Shop(id: "emart", name: "이마트"),
  Shop(id: "emart24", name: "이마트24"),
  Shop(id: "gmarket", name: "G마켓"),
  Shop(id: "temu", name: "테무"),
  Shop(id: "baemin", name: "배달의 민족", aliases: ["배민"]),
  Shop(id: "clubclio", name: "클럽클리오"),
  Shop(id: "bbang", name: "빵굽는마을"),
  Shop(id: "oliveyoung", name: "올리브영", category: "beauty"),
  Shop(id: "closed", name: "쿠팡나라", isActive: false),
  Shop(id: "cafe", name: "CAFÉ Straße", aliases: ["ガム", "뷁"]),
])

@Suite("Searching the catalogue") struct CatalogSearchTests {
  @Test("the vectors")
  func vectors() throws {
    let vectors = try Vectors.load("catalog_search")
    let catalog = index(
      try vectors.list("businesses").map { pair in
        let parts = try #require(pair.arrayValue)
        return Shop(
          id: try #require(parts[0].stringValue), name: try #require(parts[1].stringValue))
      })
    let cases = try vectors.list("cases")
    #expect(cases.count >= 18)
    for one in cases {
      let finds = catalog.search(CatalogSearch(try one.text("query"), limit: 5))
      let first = try #require(one["first"])
      #expect(finds.items.first?.id == first.stringValue, "\(one)")
      if first.isNull { #expect(finds.items.isEmpty && finds.total == 0, "\(one)") }
    }
  }

  @Test(
    "each way of matching says so",
    arguments: [
      ("coupang", ["coupang id", "coupangeats prefix"]),
      ("쿠팡", ["coupang name", "closed prefix", "coupangeats prefix"]),
      ("배민", ["baemin alias"]),
      ("이마", ["emart prefix", "emart24 prefix"]),
      ("street", ["11st part"]),
      ("번가", ["11st part"]),
      ("24", ["emart24 part"]),
      ("ㅋㅍ", ["coupang initials", "closed initials", "coupangeats initials"]),
      ("ㅂㄱ", ["11st initials"]),
      ("ㅁㅈ", ["baemin initials"]),
      ("11ㅂㄱ", ["11st initials"]),
      ("gㅁㅋ", ["gmarket initials"]),
      ("쿠ㅍㅇ", ["coupangeats initials"]),
      ("나무", []), ("쿠무", []), ("쿠ㅁ", []), ("크ㅍ", []), ("coupangs", ["coupang near"]),
      ("eleven streets", ["11st near"]), ("11st11번가", []), ("coupang쿠팡", []),
    ])
  func kinds(query: String, expected: [String]) {
    #expect(shops.found(query) == expected)
  }

  @Test(
    "case, width, spaces and composition do not count",
    arguments: [
      ("CoUpAnG", "coupang id"), ("ｃｏｕｐａｎｇ", "coupang id"), ("배달의민족", "baemin name"),
      ("배 달\u{3000}의\u{A0}민\t족\u{200B}", "baemin name"),
      ("쿠팡".decomposedStringWithCanonicalMapping, "coupang name"),
      ("cafe\u{301} STRASSE", "cafe name"), ("ｇ 마켓", "gmarket name"), ("１１번가", "11st name"),
      ("ElevenStreet", "11st alias"), ("ｶﾞﾑ", "cafe alias"), ("ﾡ", "bbang keyboard"),
    ])
  func folding(query: String, expected: String) throws {
    // The last is half-width ㄱ: 빵굽는마을 has it inside, the others are found first.
    guard query != "ﾡ" else {
      #expect(shops.found(query) == shops.found("ㄱ") && shops.found(query).count == 2)
      return
    }
    #expect(shops.found(query).first == expected)
  }

  @Test("double consonants are as typed; what an input method joined is taken apart")
  func consonants() {
    #expect(shops.found("ㅃ") == ["bbang initials"])
    #expect(shops.found("ㅃㄱ") == ["bbang initials"])
    #expect(shops.found("ㅃㅃ").isEmpty)
    #expect(shops.found("ㅂㄱㄴ").isEmpty)
    let joined = index([Shop(id: "gamsa", name: "감사"), Shop(id: "bosal", name: "바삭")])
    #expect(joined.found("ㄳ") == ["gamsa initials"])
    #expect(joined.found("ㄱㅅ") == ["gamsa initials"])
    #expect(joined.found("ㅄ") == ["bosal initials"])
    #expect(joined.found("\u{1100}\u{1109}") == ["gamsa initials"])
    #expect(joined.found("ﾡﾵ") == ["gamsa initials"])
    #expect(joined.found("ㅏ").isEmpty)
  }

  @Test(
    "the other keyboard layout is tried where nothing else matches",
    arguments: [
      ("znvkd", "coupang"), ("ZNVKD", "coupang"), ("dlakxm", "emart"), ("ㅅ드ㅕ", "temu"),
      ("11qjsrk", "11st"), ("ㅊㅐㅕㅔ무ㅎ", "coupang"), ("ㅊㅐㅕㅔㅁㅜㅎ", "coupang"), ("Qkd", "bbang"),
      ("QKD", "bbang"), ("zv", "coupang"), ("qoekfdml alswhr", "baemin"), ("znvㅏㅇ", "coupang"),
      ("dhfflqmdud", "oliveyoung"), ("qnpfr", "cafe"), ("ㅎㅡㅁㄱㅏㄷㅅ", "gmarket"),
    ])
  func keyboard(query: String, expected: String) {
    let found = shops.found(query)
    #expect(found.first == (expected.isEmpty ? nil : "\(expected) keyboard"), "\(found)")
    #expect(found.allSatisfy { $0.hasSuffix(" keyboard") })
  }

  /// What an input method shows after each key.
  @Test(
    "a name is found at every moment of typing it",
    arguments: [
      "ㅋ 쿠 쿺 쿠파 쿠팡", "ㅂ 바 박 밗 박스", "ㄷ 다 달 닭 닭ㄱ 닭가 닭갈 닭갋 닭갈비", "ㄱ 고 과 괒 과자",
      "ㅇ 오 왜 왝 왜고 왜과 왜관", "ㄲ 까 깎 까까", "ㅇ 아 안 앉 안자", "ㅇ 아 안 앉 앉ㄷ 앉다", "ㅇ 이 이ㅃ 이쁘",
      "ㅂ 부 뷀 붸레", "ㅇ 으 의 읫 의사", "g gㅁ g마 g맠 g마케 g마켓", "ㅈ 조 좋 조하", "ㄱ 가 갑 값 갑시",
    ])
  func typing(stages: String) throws {
    let stages = stages.split(separator: " ").map(String.init)
    let name = try #require(stages.last)
    let catalog = index([Shop(id: "shop", name: name), Shop(id: "other", name: "x")])
    let inside = index([Shop(id: "shop", name: "z" + name)])
    for shown in stages {
      let found = catalog.found(shown)
      #expect(
        found.count == 1 && !["shop part", "shop keyboard"].contains(found[0]), "\(shown) \(found)")
      #expect(inside.found(shown).count == 1, "\(shown)")
    }
  }

  @Test(
    "an unfinished syllable is taken so at the end only, and where nothing else matches",
    arguments: [
      ("쿺", ["coupang prefix", "closed prefix", "coupangeats prefix"]),
      ("쿠파", ["coupang prefix", "closed prefix", "coupangeats prefix"]),
      ("나랑", []), ("날", ["closed part"]), ("쿺이", []), ("쿠포", []), ("쿱", []),
      ("쿠팓", ["coupang near"]),
      ("올리부", []), ("의밍", []), ("의믽", ["baemin part"]),
      ("znvk", ["coupang keyboard", "closed keyboard", "coupangeats keyboard"]),
    ])
  func unfinished(query: String, expected: [String]) {
    #expect(shops.found(query) == expected)
  }

  @Test("the other layout composes syllables as an input method does")
  func composing() {
    let typed = [
      "dhksqur": "완벽", "Rhkr": "꽉", "dhQk": "오빠", "dkswek": "앉다", "ekfrrhrl": "닭고기",
      "ekfrrl": "닭기", "dlfrrl": "읽기", "rkqtdl": "값이", "rkqtl": "갑시", "dmldml": "의의",
      "wnrwnr": "죽죽", "doRp": "애께", "djWja": "어쩜", "dhodho": "왜왜", "dnpd": "웽", "dnjwnl": "워쥐",
      "OP": "ㅒㅖ", "djEj": "어떠", "dkTdj": "았어", "EPq": "똅", "dOrl": "얘기",
    ]
    for (keys, name) in typed {
      let catalog = index([Shop(id: "x", name: name)])
      #expect(catalog.found(keys) == ["x keyboard"], "\(keys) → \(name)")
    }
  }

  @Test("the other layout is left alone where anything else matches, within the filters")
  func keyboardLast() {
    let catalog = index([
      Shop(id: "coupang", name: "쿠팡"), Shop(id: "x", name: "my znvkd shop", category: "food"),
    ])
    #expect(catalog.found("znvkd") == ["x part"])
    #expect(catalog.found("znvkd", category: "mall") == ["coupang keyboard"])
  }

  @Test("the best match comes first, then the name, then the id")
  func order() {
    let catalog = index([
      Shop(id: "abc", name: "zz"), Shop(id: "z1", name: "ABC"), Shop(id: "z2", name: "abc"),
      Shop(id: "z3", name: "c", aliases: ["Abc"]), Shop(id: "z5", name: "abc d"),
      Shop(id: "z4", name: "abc d"), Shop(id: "abcd", name: "b"), Shop(id: "z6", name: "a abc"),
      Shop(id: "z7", name: "y", aliases: ["q", "xabc", "abcx"]), Shop(id: "z8", name: "쿠"),
    ])
    #expect(
      catalog.found("abc") == [
        "abc id", "z1 name", "z2 name", "z3 alias", "z4 prefix", "z5 prefix", "abcd prefix",
        "z7 prefix", "z6 part",
      ])
  }

  @Test("initials of a whole name come before those at its start, and these before those inside")
  func orderOfInitials() {
    let catalog = index([
      Shop(id: "a", name: "감사 쿠폰"), Shop(id: "b", name: "카페 나무"), Shop(id: "c", name: "쿠팡"),
      Shop(id: "d", name: "하나", aliases: ["가 커피", "카푸"]), Shop(id: "e", name: "coffee 카페인"),
    ])
    #expect(catalog.found("ㅋㅍ").map { $0.prefix(1) } == ["c", "d", "b", "e", "a"])
    #expect(catalog.found("zv") == ["c", "d", "b", "e", "a"].map { "\($0) keyboard" })
    #expect(
      index([Shop(id: "x", name: "가나"), Shop(id: "y", name: "나")]).found("sk") == [
        "y keyboard", "x keyboard",
      ])
  }

  @Test(
    "what comes to nothing finds nothing, never everything",
    arguments: ["\u{200B}", "\u{3164}", "\u{FEFF}\u{AD}", "\u{1F9FF}", "%", "'", "\u{1}", "*", "_"])
  func nothing(query: String) {
    #expect(!CatalogSearch.isBlank(query) && shops.found(query).isEmpty)
    #expect(CatalogIndex().found(query).isEmpty)
  }

  @Test("only white space is blank")
  func blank() {
    #expect(CatalogSearch.isBlank("") && CatalogSearch.isBlank(" \t\u{3000}\n"))
    #expect(!CatalogSearch.isBlank("a") && !CatalogSearch.isBlank(" ㅋ"))
  }

  @Test("filters narrow what is found")
  func filters() {
    #expect(shops.found("쿠팡", isActive: true) == ["coupang name", "coupangeats prefix"])
    #expect(shops.found("쿠팡", isActive: false) == ["closed prefix"])
    #expect(shops.found("ㅇㄹㅂㅇ", category: "beauty") == ["oliveyoung initials"])
    #expect(shops.found("ㅇㄹㅂㅇ", category: "mall").isEmpty)
    #expect(shops.found("올리브영", category: "unheard-of").isEmpty)
  }

  @Test("pages of any size follow each other without gap or repeat", arguments: [1, 2, 3, 7, 100])
  func paging(limit: Int) {
    let catalog = index(
      (0..<60).map { number in
        Shop(
          id: "shop\(number)", name: number % 3 == 0 ? "샵 가게" : "가게 샵\(number / 2)",
          aliases: number % 5 == 0 ? ["가게"] : [])
      })
    let whole = catalog.search(CatalogSearch("가게", limit: 200))
    #expect(whole.total == 60 && Set(whole.items.map(\.rank.match)) == [.alias, .prefix, .part])
    var search = CatalogSearch("가게", limit: limit)
    var found: [String] = []
    while found.count <= 60 {
      let page = catalog.search(search)
      #expect(page.items.count <= limit && page.total == 60)
      found += page.items.map(\.id)
      guard page.hasMore, let last = page.items.last else { break }
      let number = Int(last.id.dropFirst(4)) ?? 0
      search.after = (
        last.rank, number % 3 == 0 ? "샵 가게" : "가게 샵\(number / 2)", last.id
      )
    }
    #expect(found == whole.items.map(\.id))
  }
}
