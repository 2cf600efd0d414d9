import Domain
import DomainFixtures
import JSON
import Testing

@Suite("Building the URL") struct LaunchURLTests {
  @Test("every raw redirect_to of the vectors gives its URL to the letter")
  func rawRedirects() throws {
    let cases = try Vectors.load("launch_urls").list("raw_redirect_to")
    #expect(cases.count == 13)
    for vector in cases {
      let raw = try vector.text("redirect_to")
      let launch = try issue { $0.redirectTo = raw }
      #expect(Array(launch.url.utf8) == Array(try vector.text("url").utf8))
      #expect(launch.redirectTo.map { Array($0.utf8) } == Array(raw.utf8))
    }
  }

  @Test("every page of the vectors gives its URL and inner path to the letter")
  func pages() throws {
    let cases = try Vectors.load("launch_urls").list("pages")
    #expect(cases.count == 9)
    for vector in cases {
      let launch = try issue {
        $0.page = vector["page"]?.stringValue
        $0.category = vector["category"]?.stringValue
        $0.businessID = vector["business_id"]?.stringValue
      }
      let wanted = vector["redirect_to"]?.stringValue
      #expect(Array(launch.url.utf8) == Array(try vector.text("url").utf8))
      #expect(launch.redirectTo.map { Array($0.utf8) } == wanted.map { Array($0.utf8) })
    }
  }

  @Test("the deep link carries the same query, and a plain launch none")
  func deepLink() throws {
    #expect(try issue().deepLink == "moment://cashback")
    #expect(try issue { $0.page = "cs" }.deepLink == "moment://cashback?redirect_to=%2Fcs")
  }

  @Test("a label that would change the inner query's meaning is encoded inside, then outside")
  func labelsWithDelimiters() throws {
    let launch = try issue {
      $0.page = "main"
      $0.category = "odd"
    }
    #expect(launch.redirectTo == "/cashback?category=A%26B%2B50%25")
    #expect(
      launch.url.hasSuffix("?redirect_to=%2Fcashback%3Fcategory%3DA%2526B%252B50%2525"))
  }

  @Test("every refused redirect of the vectors is refused with its code")
  func refusedRedirects() throws {
    let cases = try #require(try Vectors.load("refused_redirects").arrayValue)
    #expect(cases.count == 36)
    for vector in cases {
      let raw = try vector.text("redirect_to")
      #expect(
        try faults { $0.redirectTo = raw } == ["redirect_to \(try vector.text("code"))"],
        "\(raw.prefix(100).debugDescription)")
    }
  }

  @Test(
    "siblings of the vectors",
    arguments: [
      ("%2fcs", "redirect_already_encoded"), ("%25252Fcs", "redirect_already_encoded"),
      ("%25cs", "invalid_redirect"), ("/cs ", "invalid_redirect"),
      ("/cs\u{3000}", "invalid_redirect"),
      ("/cashback/%2E./x", "invalid_redirect"), ("/cashback/.%2e", "invalid_redirect"),
      ("/cashback%2Fdetail?business_id=11st", "invalid_redirect"),
      ("/cs\u{7F}", "invalid_redirect"),
      ("/cs\u{85}x", "invalid_redirect"), ("/%63s", "unknown_page"), ("/cs;x", "unknown_page"),
      ("/", "unknown_page"), ("/cashbac\u{212A}", "unknown_page"), ("?x", "invalid_redirect"),
      ("/cashback/detail#?business_id=11st", "missing_parameter"),
      ("/cashback/detail?business_id", "missing_parameter"),
      ("/cashback/detail?Business_id=11st", "missing_parameter"),
      ("/cashback/detail?business_id=11st&business_id", "duplicate_parameter"),
      ("/cashback/detail?business_id=11st+", "unknown_business"),
      ("/cashback/detail?business_id=11%73t&business%5Fid=x", "duplicate_parameter"),
      ("/cashback?category=", "unknown_category"),
      ("/cashback?category=%EB%B7%B0%ED%8B%B0&category=x", "duplicate_parameter"),
    ])
  func siblings(raw: String, code: String) throws {
    #expect(try faults { $0.redirectTo = raw } == ["redirect_to \(code)"])
  }

  @Test(
    "what stands behind the page's own parameters passes, whatever it holds",
    arguments: [
      "/cs?next=//evil.example/%2e%2e/%5c", "/cashback?category=%EB%B7%B0%ED%8B%B0", "/cs?", "/cs#",
      "/cashback/detail?x=%zz&business_id=11st&business_ids=2#business_id=3", "/cs?a=1&a=2",
    ])
  func passes(raw: String) throws {
    #expect(try issue { $0.redirectTo = raw }.redirectTo == raw)
  }

  @Test("2,048 bytes pass and one more does not")
  func longest() throws {
    let fitting = "/cs?" + String(repeating: "가", count: 681) + "a"
    #expect(fitting.utf8.count == 2048)
    #expect(try issue { $0.redirectTo = fitting }.redirectTo == fitting)
    #expect(try faults { $0.redirectTo = fitting + "a" } == ["redirect_to invalid_redirect"])
  }
}
