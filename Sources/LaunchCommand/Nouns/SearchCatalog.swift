import JSON
import LaunchDomain
import LaunchStore

/// `launchlink catalog search`.
struct SearchCatalog: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "search", abstract: "Find businesses by id, name, alias or initial consonants.",
      discussion: """
        Case, width and spaces do not count. ㅋㅍ finds 쿠팡; so does znvkd, typed with the wrong keyboard
        layout on, where nothing else matches. The best match comes first; MATCH says how it matched.
        """,
      examples: ["launchlink catalog search 쿠팡", "launchlink catalog search ㅋㅍ --limit 5"])
  }

  @Argument("TEXT", help: "The id, the name, an alias or a part of one.") var text: String
  @Option("COUNT", in: BusinessQuery.limits, help: "How many to show at most.")
  var limit: Int = 20

  func run(in context: Context) throws {
    var query = BusinessQuery()
    query.text = text
    query.limit = limit
    guard query.isSearch else {
      throw UsageError("TEXT: say what to search for; launchlink catalog list shows everything.")
    }
    let page = try context.store().makeReader().businesses(query)
    if page.items.isEmpty {
      context.note("Nothing was found.")
    } else if page.next != nil {
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
