/// One command of the program, or a group of them; in the vocabulary of swift-argument-parser.
///
/// What it takes are its properties marked `@Option`, `@Flag` and `@Argument`.
protocol ParsableCommand {
  /// Name, help and subcommands.
  static var configuration: CommandConfiguration { get }

  init()

  /// Does what the command is for; only called once all arguments have their values.
  func run(in context: Context) throws
}

/// A command that only groups others.
protocol CommandGroup: ParsableCommand {}

extension CommandGroup {
  func run(in context: Context) throws {
    throw UsageError(Self.configuration.missingSubcommand)
  }
}

/// What is known of a command before it runs; help, completions and the manual are made from it.
struct CommandConfiguration {
  /// The word that calls it.
  var commandName: String
  /// What it does, one line.
  var abstract: String
  /// What else there is to know.
  var discussion = ""
  /// Command lines to copy.
  var examples: [String] = []
  /// The commands of a group.
  var subcommands: [any ParsableCommand.Type] = []
  /// Options that there were, and why there is none of that name any more and what to say instead.
  var formerOptions: [String: String] = [:]

  func subcommand(named name: String) -> (any ParsableCommand.Type)? {
    subcommands.first { $0.configuration.commandName == name }
  }

  var subcommandNames: [String] { subcommands.map { $0.configuration.commandName } }

  var missingSubcommand: String {
    "Which command? There are \(subcommandNames.joined(separator: ", "))."
  }
}

/// A command line that says nothing that could be done.
struct UsageError: Error {
  let message: String

  init(_ message: String) {
    self.message = message
  }
}
