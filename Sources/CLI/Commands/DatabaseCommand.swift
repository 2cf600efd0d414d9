import Domain
import JSON
import SQLiteStore
import Store
import StoreTransfer

/// `launchlink db …`.
struct DatabaseCommand: CommandGroup {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "db", abstract: "Check, back up and restore the database.",
      discussion: """
        A backup is a single file that opens with the master key alone, which it does not hold: keep
        both, apart from each other.
        """,
      examples: ["launchlink db backup /var/backups/launchlink/today.db"],
      subcommands: [DatabaseCheckCommand.self, DatabaseBackup.self, DatabaseRestore.self])
  }

  static func properties(of report: DatabaseReport) -> [(name: String, value: String)] {
    [
      ("Schema version", "\(report.schemaVersion)"),
      ("Master keys", report.masterKeys.joined(separator: ", ")),
      ("Projects", "\(report.counts.projects)"), ("API keys", "\(report.counts.apiKeys)"),
      ("Signing keys", "\(report.counts.signingKeys)"),
      ("Businesses", "\(report.counts.businesses)"),
      ("Last change", report.lastChange?.description ?? "-"),
    ]
  }

  static func json(_ counts: DatabaseCounts) -> JSON {
    [
      "projects": .integer(Int64(counts.projects)), "api_keys": .integer(Int64(counts.apiKeys)),
      "signing_keys": .integer(Int64(counts.signingKeys)),
      "businesses": .integer(Int64(counts.businesses)),
      "audit_entries": .integer(Int64(counts.auditEntries)),
    ]
  }
}

/// `launchlink db check`.
struct DatabaseCheckCommand: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "check", abstract: "Look for everything that could be wrong with the database.",
      discussion: """
        Reads all of it and changes nothing, also while the server runs: damage, broken references, the
        schema, whether every secret opens with the master key, that exactly one signing key is active,
        and rows that break rules. Exits with 65 where something is wrong, with 78 where there is no
        database to look at or it is of a newer version.
        """,
      examples: ["launchlink db check", "launchlink db check /var/backups/launchlink/today.db"])
  }

  @Argument("FILE", help: "A backup to look at instead; - for standard input.") var file: String?

  func run(in context: Context) throws {
    let report = try context.dataDirectory().check(try file.map(NamedPath.checked))
    try context.show(
      [
        "sound": .bool(report.faults.isEmpty),
        "schema_version": .integer(Int64(report.schemaVersion)),
        "master_keys": .array(report.masterKeys.map(JSON.string)),
        "counts": DatabaseCommand.json(report.counts), "last_change": JSON(report.lastChange),
        "faults": .array(
          report.faults.map { ["check": .string($0.check), "message": .string($0.message)] }),
      ],
      table: report.faults.isEmpty
        ? Table.properties(DatabaseCommand.properties(of: report)) + "The database is sound.\n"
        : report.faults.map { "\($0.check): \($0.message.withUnseenEscaped)\n" }.joined())
    guard report.faults.isEmpty else {
      let count = report.faults.count
      throw CommandFailure(
        .badData, "The database has \(count == 1 ? "a fault" : "\(count) faults").")
    }
  }
}

/// `launchlink db backup`.
struct DatabaseBackup: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "backup", abstract: "Copy the database into a file, while the server runs.",
      discussion: """
        The copy is of one moment, is checked once it is on disk, and has its name only then. It opens
        with the master keys that the command names, and holds none of them: back up master.key too,
        and somewhere else.
        """,
      examples: [
        "launchlink db backup /var/backups/launchlink/today.db --replace",
        "launchlink db backup - | launchlink db check -",
      ])
  }

  @Argument("FILE", help: "The file to make, readable by its owner only; - for standard output.")
  var file: String
  @Flag(help: "Replace an existing file.") var replace: Bool

  func run(in context: Context) throws {
    let directory = try context.dataDirectory()
    if file == "-" {
      guard !context.console.outputIsTerminal else {
        throw CommandFailure(
          .usage,
          "A backup is nothing to show on a terminal. Redirect standard output, to a file or a program, or "
            + "name the file: launchlink db backup FILE")
      }
      tell(
        of: try directory.backUp(
          clock: context.clock, by: context.actor, writing: context.console.write), in: context)
      return
    }
    let report = try directory.backUp(
      to: file, named: NamedPath.absolute(file), replacing: replace, clock: context.clock,
      by: context.actor)
    try context.show(
      [
        "file": .string(report.path), "size": .integer(Int64(report.size)),
        "schema_version": .integer(Int64(report.contents.schemaVersion)),
        "master_keys": .array(report.contents.masterKeys.map(JSON.string)),
        "counts": DatabaseCommand.json(report.contents.counts),
        "last_change": JSON(report.contents.lastChange),
      ],
      table: Table.properties(
        [("File", report.path), ("Size", "\(report.size) bytes")]
          + DatabaseCommand.properties(of: report.contents)))
    tell(of: report, in: context)
  }

  /// Notes, beside the result, what an admin has to act on.
  private func tell(of report: BackupReport, in context: Context) {
    let keys = report.contents.masterKeys
    for fault in report.contents.faults {
      context.warn("The backup is whole, and so is a fault of the database: \(fault.message)")
    }
    context.note(
      "The backup opens with \(keys.joined(separator: ", ")) and holds no master key: back up the key "
        + "ring too, apart from it.")
  }
}

/// `launchlink db restore`.
struct DatabaseRestore: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "restore", abstract: "Replace the database with a backup.",
      discussion: """
        The server has to be stopped. The backup is checked first, and one of an older version brought
        up to date. A new signing key is activated and every earlier one revoked, so bundles issued
        before are refused. What the replaced database had revoked, disabled, logged out or used up
        stays so; API keys that it does not know are revoked and projects disabled, as they were deleted.
        Where it is missing, cannot be read or is another installation's, as on a new machine, nobody
        knows what was revoked since: all API keys end. --keep-keys keeps alive what it does not know.
        The replaced database is kept beside the new one.
        """,
      examples: ["launchlink db restore /var/backups/launchlink/today.db --yes"])
  }

  @Argument("FILE", help: "The backup; - for standard input.") var file: String
  @Flag(
    help:
      "Replace a database that was changed after the backup, cannot be read, or is another installation's."
  )
  var replace: Bool
  @Flag(help: "Keep API keys and projects alive that the replaced database does not know.")
  var keepKeys: Bool

  func run(in context: Context) throws {
    let directory = try context.dataDirectory()
    let source = file == "-" ? "what comes on standard input" : file
    let name = file == "-" ? nil : try NamedPath.absolute(file)
    if SQLiteStore.hasDatabase(in: directory.path) {
      try context.confirm("Put \(source) in the place of the database in \(directory.path)?")
    }
    let report = try directory.restore(
      from: file, named: name, RestoreManner(replacesNewer: replace, keepsKeys: keepKeys),
      clock: context.clock, by: context.actor)
    try context.show(Self.json(report), table: Self.table(report))
    warn(of: report, in: context)
    context.note("Every bundle issued before is refused: apps fetch new ones.")
  }

  private func warn(of report: RestoreReport, in context: Context) {
    switch report.replaced {
    case .missing, .own: break
    case .unreadable:
      context.warn("The replaced database could not be read, so its revocations are not known.")
    case .another:
      context.warn(
        "The replaced database was another installation's: it shares no signing key with the backup, and "
          + "knows nothing of what was revoked since.")
    }
    for fault in report.faults {
      context.warn("The backup is restored, and so is a fault of it: \(fault)")
    }
    let ended = report.endedKeys.count
    if ended > 0 {
      context.warn(
        "\(ended == 1 ? "1 API key" : "\(ended) API keys") ended that the backup has alive. Make partners "
          + "new ones where they are needed: launchlink key list")
    }
    let disabled = report.disabledProjects
    if !disabled.isEmpty {
      context.warn(
        (disabled.count == 1 ? "A project is" : "\(disabled.count) projects are")
          + " disabled that the backup has enabled, since the replaced database had them disabled or "
          + "deleted. To enable them again:\n"
          + disabled.map { "  launchlink project enable \($0)" }.joined(separator: "\n"))
    }
  }

  private static func json(_ report: RestoreReport) -> JSON {
    [
      "schema_version": .integer(Int64(report.schemaVersion)),
      "counts": DatabaseCommand.json(report.counts), "signing_key": .string(report.signingKey),
      "kept_aside": JSON(report.keptAside), "read_replaced": .bool(report.readReplaced),
      "ended_keys": .array(report.endedKeys.map(JSON.string)),
      "disabled_projects": .array(report.disabledProjects.map(JSON.string)),
    ]
  }

  private static func table(_ report: RestoreReport) -> String {
    Table.properties([
      ("Projects", "\(report.counts.projects)"), ("API keys", "\(report.counts.apiKeys)"),
      ("Businesses", "\(report.counts.businesses)"),
      ("Active signing key", report.signingKey),
      ("Ended keys", report.endedKeys.isEmpty ? "-" : report.endedKeys.joined(separator: "\n")),
      (
        "Disabled projects",
        report.disabledProjects.isEmpty ? "-" : report.disabledProjects.joined(separator: "\n")
      ),
      ("Replaced database", report.keptAside ?? "-"),
    ])
  }
}
