import Configuration
import Domain
import JSON
import Store

extension CatalogFormat: ExpressibleByArgument {}

/// `launchlink catalog import`.
struct CatalogImport: ParsableCommand {
  /// The most bytes of standard input, which is read as a whole; a file may have any size.
  static let inputLimit = 64 << 20

  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "import", abstract: "Add and change businesses from a CSV or JSON file.",
      discussion: """
        CSV has a header row and a row a product; later rows of a business only add products. JSON is an
        array of businesses as the API gives them. All or nothing: a file with a fault changes nothing,
        and every fault is told with its line and column.
        What the file does not name stays as it is: a column or a member that is absent changes nothing.
        An empty cell or null erases. The rows of a business, or its products, are all the products that
        it has from then on; where a column of theirs is absent, a row keeps what the product of its target
        has there, or product n for row n where the targets do not tell them apart.
        Businesses that are not in the file stay as they are, unless --prune deactivates them. What would
        be erased or deactivated is listed and has to be agreed to, off a terminal by --yes.
        Columns: \(CatalogCSV.columns.prefix(8).joined(separator: ",")),
        \(CatalogCSV.columns.dropFirst(8).joined(separator: ",")); aliases are separated by |.
        From a spreadsheet save as "CSV UTF-8". An apostrophe before a formula, number, date or truth
        value, such as '=1, '007 or '1-2, is the one that export puts there, and is left out.
        """,
      examples: [
        "launchlink catalog import catalog.csv --dry-run",
        "launchlink catalog import new-commissions.csv --yes",
        "launchlink catalog import catalog.csv --prune --yes",
      ])
  }

  @Argument("FILE", help: "A file whose name ends in .csv or .json; - for standard input.")
  var file: String
  @Option(help: "What the file is, where its name does not tell.") var format: CatalogFormat?
  @Flag(help: "Show what would be added, changed, erased and deactivated, and change nothing.")
  var dryRun: Bool
  @Flag(help: "Deactivate the businesses that are not in the file.") var prune: Bool

  func run(in context: Context) throws {
    let format = try knownFormat()
    let categories = try context.configuration().site.categories.map(\.key)
    // Opened before the store: root becomes the data directory's owner there, who may not be able to read it.
    let (source, progress) = try open(in: context)
    defer { progress.end() }
    let store = try context.store()
    let report = try dryRun ? DryRunReport(context) : nil
    var (count, losses) = (0, CatalogLosses())
    let summary = try store.importCatalog(
      ImportManner(prunes: prune, isDryRun: dryRun, mayErase: context.globals.yes),
      by: context.actor
    ) { collector in
      try format.read(from: source, categories: categories, into: collector)
    } eachChange: { change in
      count += 1
      losses.add(change)
      progress.changed(count)
      try report?.add(change)
    } confirm: { found in
      progress.end()
      context.note("The import would take away:\n" + found.lines)
      try context.confirm("Import \(quoted(file)) all the same?")
      (count, losses) = (0, CatalogLosses())
    }
    progress.end()
    if let report {
      try report.print(summary, prunes: prune)
    } else {
      if context.globals.yes, losses.count > 0 {
        context.note("The import took away:\n" + losses.lines)
      }
      try context.show(
        .object(summary.members), table: summary.words(deactivated: prune) + ".\n")
    }
  }

  private func knownFormat() throws -> CatalogFormat {
    if let format { return format }
    let name = file.lowercased()
    for format in CatalogFormat.allCases where name.hasSuffix(".\(format.rawValue)") {
      return format
    }
    throw UsageError(
      file == "-"
        ? "Standard input has no name that tells how to read it: say --format csv or --format json."
        : "FILE: the name has to end in .csv or .json, which tells how to read it; or say --format."
    )
  }

  /// The file's bytes, piece by piece, and the progress of reading them.
  private func open(in context: Context) throws -> (() throws -> [UInt8], Progress) {
    guard file == "-" else {
      let reader = try FileReader(file)
      let progress = Progress(of: reader.size, on: context.console)
      return (
        {
          let piece = try reader.next()
          progress.read(piece.count)
          return piece
        }, progress
      )
    }
    var rest = try context.console.readInput(Self.inputLimit)
    return (
      {
        defer { rest = [] }
        return rest
      }, Progress(of: 0, on: context.console)
    )
  }
}

/// `launchlink catalog export`.
struct CatalogExport: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "export", abstract: "Print the catalogue so that it can be imported again.",
      discussion: """
        In the order of ids, so that two exports can be compared line by line. In CSV an apostrophe
        stands before text that a spreadsheet would run as a formula or take for a number, a date or a
        truth value, such as '=1, '007, '1-2 or 'true; import takes it away again. Programs had better
        read JSON, which holds all as it is.
        """,
      examples: [
        "launchlink catalog export >catalog.csv",
        "launchlink catalog export --format json >catalog.json",
      ])
  }

  @Option(help: "How to write it: csv, unless --output is json.") var format: CatalogFormat?
  @Flag(help: "Begin CSV with a byte order mark, without which Excel misreads Hangul.")
  var byteOrderMark: Bool

  func run(in context: Context) throws {
    let format = format ?? (context.globals.output == .json ? .json : .csv)
    guard !byteOrderMark || format == .csv else {
      throw UsageError("--byte-order-mark: JSON has none (RFC 8259 section 8.1).")
    }
    var writer = CatalogWriter(format)
    let spool = try Spool(environment: context.environment)
    try spool.append { output in
      if byteOrderMark { output += [0xEF, 0xBB, 0xBF] }
      output += writer.start
    }
    try context.store().makeReader().knowledge.forEachBusiness { business in
      try spool.append { writer.append(business, to: &$0) }
    }
    try spool.append { $0 += writer.end }
    try spool.print(on: context.console)
  }
}
