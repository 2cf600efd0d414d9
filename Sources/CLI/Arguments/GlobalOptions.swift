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
  @Option("DIRECTORY", help: "The directory of the database and the master key.") var dataDirectory:
    String?
  @Option(help: "The format: for people or for programs.") var output = OutputFormat.table
  @Flag(help: "Do not ask for confirmation.") var yes: Bool
}
