/// The formats of results.
enum OutputFormat: String, CaseIterable, ExpressibleByArgument {
  /// For people.
  case table
  /// For programs, with the API's names.
  case json
}

/// The options of every command, before or after its name.
struct GlobalOptions {
  @Option("FILE", help: "The configuration file.") var config: String?
  @Option("DIRECTORY", help: "Where the database and the master key are.") var dataDirectory:
    String?
  @Option(help: "For people or for programs.") var output = OutputFormat.table
  @Flag(help: "Do without asking.") var yes: Bool
}
