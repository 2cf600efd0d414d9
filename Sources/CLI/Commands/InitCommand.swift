import JSON

/// `launchlink init`.
struct InitCommand: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "init", abstract: "Make the data directory.",
      discussion: """
        Makes the data directory, the master key, the database and an active signing key, each where it
        is missing; what is there stays as it is. A database of an older version is brought up to date,
        and kept as it was beside it.
        """,
      examples: ["launchlink init --data-directory /var/lib/launchlink"])
  }

  func run(in context: Context) throws {
    let directory = DataDirectory(try context.configuration(), environment: context.environment)
    let created = try directory.initialize(
      clock: context.clock, by: context.actor, note: context.note)
    try context.show(
      ["data_directory": .string(directory.path), "created": .array(created.map(JSON.string))],
      table: created.isEmpty
        ? "Everything was there already in \(directory.path).\n"
        : created.map { "Made \($0).\n" }.joined())
  }
}
