import Configuration
import Domain
import JSON
import Store

extension CommissionType: ExpressibleByArgument {}
extension Commission.Unit: ExpressibleByArgument {}

/// The options of a business that may be left out.
struct BusinessOptions: ArgumentGroup {
  @Option("URL", help: "The URL of its picture.") var imageURL: String?
  @Option("URL", help: "The URL of the shop.") var url: String?
  @Option("NAME", help: "The cashback program's name.") var programName: String?
  @Option("TEXT", help: "In which cases cashback is paid, as shown to users.")
  var displayAllowedCases: String?
  @Option("TEXT", help: "What users have to watch out for.") var displayCaution: String?
  @Option("TEXT", help: "Who or what the commission is paid for, as shown to users.")
  var target: String?
  @Option("TIME", help: "From when it is paid, such as 2026-01-01T00:00:00Z.")
  var startsAt: String?
  @Option("TIME", help: "Until when it is paid.") var endsAt: String?

  var edit: BusinessEdit {
    var edit = BusinessEdit()
    edit.imageURL = imageURL
    edit.url = url
    edit.programName = programName
    edit.displayAllowedCases = displayAllowedCases
    edit.displayCaution = displayCaution
    edit.target = target
    edit.startsAt = startsAt
    edit.endsAt = endsAt
    return edit
  }
}

/// `launchlink catalog add`.
struct CatalogAdd: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "add", abstract: "Add a business with one product.",
      discussion: "More products: launchlink catalog update ID --product 2 …",
      examples: [
        "launchlink catalog add --id 11st --name 11번가 --category mall --commission-type CPS \\",
        "  --commission-amount 2.5 --commission-unit PERCENTAGE_COMMISSION_UNIT --alias 일일번가",
      ])
  }

  @Option("ID", help: "Its id: 1 to 30 of a-z 0-9 _ and -.") var id: String
  @Option("NAME", help: "What people call it.") var name: String
  @Option("CATEGORY", help: "The key of a configured category.", completion: .categories)
  var category: String
  @Option(help: "What the commission is paid for.") var commissionType: CommissionType
  @Option("NUMBER", help: "How much is paid, such as 2.5.") var commissionAmount: String
  @Option(help: "What the amount counts.") var commissionUnit: Commission.Unit
  @Option(each: "ALIAS", help: "Another name to find it by; say it once for each.")
  var alias: [String]?
  @Option(help: "Whether it can be launched.") var active = Truth.true
  var options = BusinessOptions()

  func run(in context: Context) throws {
    var edit = options.edit
    edit.name = name
    edit.category = category
    edit.aliases = alias == [""] ? [] : alias
    edit.isActive = active == .true
    edit.commissionType = commissionType
    edit.commissionAmount = commissionAmount
    edit.commissionUnit = commissionUnit
    let business = try CatalogCommand.translatingFaults(aliases: "alias") {
      try edit.business(
        id: id, categories: context.configuration().site.categories.map(\.key))
    }
    let added = try context.store().createBusiness(business, by: context.actor)
    try CatalogCommand.show(added, in: context)
  }
}

/// `launchlink catalog update`.
struct CatalogUpdate: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "update", abstract: "Change a business; what is not named stays as it is.",
      discussion: """
        An empty value takes a text or a time away, and --set-aliases "" all aliases. The options of a
        product are those of the main one, unless --product names another.
        """,
      examples: [
        "launchlink catalog update 11st --add-alias eleven --remove-alias 일일번가",
        "launchlink catalog update 11st --set-aliases eleven",
        "launchlink catalog update 11st --product 2 --commission-amount 3000",
      ],
      formerOptions: [
        "alias":
          "it replaced all aliases: say --add-alias, --remove-alias, or --set-aliases to replace all"
      ])
  }

  @Argument("ID", help: "The business.", completion: .identifiers(.business)) var id: String
  @Option("NAME", help: "What people call it.") var name: String?
  @Option("CATEGORY", help: "The key of a configured category.", completion: .categories)
  var category: String?
  @Option(each: "ALIAS", help: "One more name to find it by; say it once for each.")
  var addAlias: [String]?
  @Option(each: "ALIAS", help: "A name to find it by no longer; say it once for each.")
  var removeAlias: [String]?
  @Option("ALIASES", help: "All names in place of those there are, separated by |; none if empty.")
  var setAliases: String?
  @Option("NUMBER", in: 1...100, help: "The product to change; the number after the last adds one.")
  var product: Int?
  @Option("NUMBER", in: 1...100, help: "A product to take away.") var removeProduct: Int?
  @Option(help: "What the commission is paid for.") var commissionType: CommissionType?
  @Option("NUMBER", help: "How much is paid, such as 2.5.") var commissionAmount: String?
  @Option(help: "What the amount counts.") var commissionUnit: Commission.Unit?
  var options = BusinessOptions()

  func run(in context: Context) throws {
    var edit = options.edit
    edit.name = name
    edit.category = category
    edit.aliases = setAliases.map(Business.aliases(in:))
    edit.addedAliases = addAlias ?? []
    edit.removedAliases = removeAlias ?? []
    edit.commissionType = commissionType
    edit.commissionAmount = commissionAmount
    edit.commissionUnit = commissionUnit
    edit.productNumber = product ?? 1
    if product != nil, !edit.namesProduct {
      throw UsageError("--product: name what is to be changed of that product.")
    }
    guard !edit.isEmpty || removeProduct != nil else {
      throw UsageError("Name what is to be changed.")
    }
    if setAliases != nil, addAlias != nil || removeAlias != nil {
      throw UsageError("--set-aliases replaces all aliases: say the others with it.")
    }
    if removeProduct != nil, edit.namesProduct {
      throw UsageError("--remove-product: a product is either changed or taken away.")
    }
    let categories = try context.configuration().site.categories.map(\.key)
    let updated = try CatalogCommand.translatingFaults(aliases: "set-aliases") {
      try context.store().updateBusiness(id, by: context.actor) { business in
        try edit.apply(to: &business, categories: categories)
        if let removeProduct { try Self.removeProduct(removeProduct, of: &business) }
      }
    }
    try CatalogCommand.show(updated, in: context)
  }

  private static func removeProduct(_ number: Int, of business: inout Business) throws {
    guard number <= business.products.count else {
      throw UsageError("--remove-product: the business has \(business.products.count).")
    }
    guard business.products.count > 1 else {
      throw UsageError("--remove-product: a business has at least one product.")
    }
    business.products.remove(at: number - 1)
  }
}

/// `launchlink catalog disable`.
struct CatalogDisable: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "disable", abstract: "Deactivate a business: it cannot be launched any more.",
      discussion: "On a terminal it asks first.",
      examples: ["launchlink catalog disable 11st"])
  }

  @Argument("ID", help: "The business.", completion: .identifiers(.business)) var id: String

  func run(in context: Context) throws {
    let store = try context.store()
    let business = try CatalogCommand.find(id, reader: store.makeReader())
    if business.isActive {
      try context.confirmOnTerminal(
        "Deactivate \(id) (\(business.name))? It cannot be launched then.",
        about: CatalogCommand.facts(of: business))
    }
    let disabled = try store.setBusiness(id, active: false, by: context.actor)
    try CatalogCommand.show(disabled, in: context)
  }
}

/// `launchlink catalog enable`.
struct CatalogEnable: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "enable", abstract: "Let a deactivated business be launched again.",
      examples: ["launchlink catalog enable 11st"])
  }

  @Argument("ID", help: "The business.", completion: .identifiers(.business)) var id: String

  func run(in context: Context) throws {
    let business = try context.store().setBusiness(id, active: true, by: context.actor)
    try CatalogCommand.show(business, in: context)
  }
}

/// `launchlink catalog remove`.
struct CatalogRemove: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "remove", abstract: "Remove a business for good.",
      discussion: "Where support may still be asked about it, disable it instead.",
      examples: ["launchlink catalog remove 11st --yes"])
  }

  @Argument("ID", help: "The business.", completion: .identifiers(.business)) var id: String

  func run(in context: Context) throws {
    let store = try context.store()
    let business = try CatalogCommand.find(id, reader: store.makeReader())
    try context.confirm(
      "Remove \(business.id) (\(business.name)) for good?",
      about: CatalogCommand.facts(of: business))
    try store.removeBusiness(id, by: context.actor)
    try context.show(
      ["business_id": .string(id), "removed": true], table: "Removed \(id).\n")
  }
}

extension CatalogCommand {
  /// The facts that are shown before an admin confirms the end of a business.
  fileprivate static func facts(of business: Business) -> [(name: String, value: String)] {
    [
      ("Business ID", business.id), ("Name", business.name), ("Category", business.category),
      ("Updated", business.updatedAt.description),
    ]
  }

  /// Names a business's faults by their options; `aliases` is the option for all aliases.
  static func translatingFaults<Value>(
    aliases: String, _ body: () throws -> Value
  ) throws -> Value {
    do {
      return try body()
    } catch let faults as BusinessEdit.Objections {
      let lines = faults.all.map { fault in
        let name =
          switch fault.field {
          case "aliases": aliases
          case "business_id": "id"
          default: fault.field.replacing("_", with: "-")
          }
        return "--\(name): \(fault.message)"
      }
      throw UsageError(lines.joined(separator: "\n"))
    }
  }
}
