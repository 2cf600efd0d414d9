import Configuration
import Domain
import JSON
import Store

/// `launchlink catalog …`.
struct CatalogCommand: CommandGroup {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "catalog", abstract: "Manage the catalogue of businesses.",
      examples: ["launchlink catalog list --category beauty"],
      subcommands: [
        CatalogImport.self, CatalogExport.self, CatalogList.self, SearchCatalog.self,
        CatalogShow.self, CatalogAdd.self, CatalogUpdate.self, CatalogDisable.self,
        CatalogEnable.self, CatalogRemove.self,
      ])
  }

  /// Finds a business; throws a failure that names the nearest id.
  static func find(_ id: String, reader: StoreReader) throws -> Business {
    if let business = try reader.knowledge.business(id) { return business }
    let near = try reader.knowledge.businessID(nearestTo: id).map { "; did you mean \($0)?" } ?? ""
    throw CommandFailure(.refused, "There is no business \(quoted(id))" + near.closed)
  }

  static func show(_ business: Business, in context: Context) throws {
    let products = business.products.map { ("Product", $0.summary) }
    try context.show(
      business.json,
      table: Table.properties(
        [
          ("Business ID", business.id), ("Name", business.name),
          ("Aliases", business.aliases.joined(separator: ", ")), ("Category", business.category),
          ("Active", business.isActive ? "yes" : "no"), ("URL", business.url ?? "-"),
          ("Image", business.imageURL ?? "-"), ("Program", business.programName ?? "-"),
          ("Allowed cases", business.displayAllowedCases ?? "-"),
          ("Caution", business.displayCaution ?? "-"),
        ] + products + [("Updated", business.updatedAt.description)]))
  }
}

/// `launchlink catalog list`.
struct CatalogList: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "list", abstract: "List the businesses, by name.",
      examples: ["launchlink catalog list --category beauty --active true"])
  }

  @Option("CATEGORY", help: "Only those of this category.", completion: .categories) var category:
    String?
  @Option(help: "Only active or only inactive ones.") var active: Truth?

  func run(in context: Context) throws {
    if let category {
      let known = try context.configuration().site.categories.map(\.key)
      guard known.contains(category) else {
        throw UsageError(
          "--category: \(quoted(category)) is not one of \(known.joined(separator: ", "))"
            + didYouMean(category, known).closed)
      }
    }
    let reader = try context.store().makeReader()
    var query = BusinessQuery()
    query.category = category
    query.isActive = active.map { $0 == .true }
    query.limit = BusinessQuery.limits.upperBound
    var businesses: [Business] = []
    repeat {
      let page = try reader.knowledge.businesses(query)
      businesses += page.items.map(\.business)
      query.after = page.next
    } while query.after != nil
    try context.show(
      businesses, json: \.json,
      headings: ["BUSINESS ID", "NAME", "CATEGORY", "COMMISSION", "ACTIVE", "UPDATED"],
      none: "There are no such businesses. Bring some in: launchlink catalog import --help"
    ) { business in
      [
        business.id, business.name, business.category, business.products.first?.rate ?? "-",
        business.isActive ? "yes" : "no", business.updatedAt.description,
      ]
    }
  }
}

/// `true` or `false`, as an option's value.
enum Truth: String, CaseIterable, ExpressibleByArgument {
  case `true`
  case `false`
}

/// `launchlink catalog show`.
struct CatalogShow: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "show", abstract: "Show a business.", examples: ["launchlink catalog show 11st"])
  }

  @Argument("ID", help: "The business.", completion: .identifiers(.business)) var id: String

  func run(in context: Context) throws {
    let business = try CatalogCommand.find(id, reader: context.store().makeReader())
    try CatalogCommand.show(business, in: context)
  }
}
