import Domain
internal import Encoding
import JSON
import Store

/// `launchlink catalog search`.
struct SearchCatalog: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "search",
      abstract: "Find businesses by id, name, alias, initial consonants or address.",
      discussion: """
        Case, width, spaces and punctuation do not count. ㅋㅍ finds 쿠팡; where nothing else matches, so do
        znvkd, typed with the wrong keyboard layout on, and 쿠핑, with a letter wrong. The programme's name,
        the shop's URL, a launch URL and a deep link find theirs. The best match comes first; MATCH says how
        it matched, near being a guess.
        """,
      examples: [
        "launchlink catalog search 쿠팡", "launchlink catalog search ㅋㅍ --limit 5",
        "launchlink catalog search www.coupang.example",
      ])
  }

  @Argument("TEXT", help: "What to find: an id, a name, a part of one, a URL.") var text: String
  @Option("COUNT", in: BusinessQuery.limits, help: "How many to show at most.")
  var limit: Int = 20

  func run(in context: Context) throws {
    var query = BusinessQuery()
    query.text = text
    query.limit = limit
    guard query.isSearch else {
      throw UsageError("TEXT: say what to search for; launchlink catalog list shows everything.")
    }
    guard text.unicodeScalars.count <= CatalogSearch.longestText else {
      throw UsageError(
        "TEXT: \(CatalogSearch.longestText) characters at most; launchlink explain reads longer ones."
      )
    }
    let page = try context.store().makeReader().knowledge.businesses(query)
    if page.items.isEmpty {
      context.note("Nothing was found.")
    } else if page.items.first?.match == .near {
      context.note("Nothing matches. Spelt nearly so:")
    }
    if page.next != nil {
      context.note("\(page.items.count) of \(page.total) are shown; --limit shows more.")
    }
    try context.show(
      ["items": .array(page.items.map(\.json)), "total": .integer(Int64(page.total))],
      table: page.items.isEmpty ? "" : Self.table(page.items))
  }

  private static func table(_ items: [FoundBusiness]) -> String {
    Table(
      headings: ["BUSINESS ID", "NAME", "CATEGORY", "COMMISSION", "ACTIVE", "MATCH"],
      rows: items.map { item in
        let business = item.business
        return [
          business.id, business.name, business.category, business.products.first?.rate ?? "-",
          business.isActive ? "yes" : "no", item.match?.rawValue ?? "-",
        ]
      }
    ).text
  }
}
