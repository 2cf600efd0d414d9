import JSON

/// `launchlink version`.
struct VersionCommand: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "version", abstract: "Show the version.", examples: ["launchlink version"])
  }

  func run(in context: Context) throws {
    try context.show(
      ["version": .string(Program.version)], table: "launchlink \(Program.version)\n")
  }
}
