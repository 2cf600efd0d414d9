/// A command, or a group of commands; in the vocabulary of swift-argument-parser.
///
/// Its properties marked `@Option`, `@Flag` and `@Argument` are what the command line gives it.
protocol ParsableCommand {
  /// Name, help and subcommands.
  static var configuration: CommandConfiguration { get }

  init()

  /// Runs the command; all arguments have their values by then.
  func run(in context: Context) throws
}

/// A command that only groups others.
protocol CommandGroup: ParsableCommand {}

extension CommandGroup {
  func run(in context: Context) throws {
    throw UsageError(Self.configuration.missingSubcommand)
  }
}

/// The description of a command, from which help, completions and the manual are made.
struct CommandConfiguration {
  /// The command's word.
  var commandName: String
  /// What the command does, in one line.
  var abstract: String
  /// Everything else to know about it.
  var discussion = ""
  /// Command lines to copy.
  var examples: [String] = []
  /// The commands of a group.
  var subcommands: [any ParsableCommand.Type] = []
  /// Removed options by name, each with the reason and what to use instead.
  var formerOptions: [String: String] = [:]

  func subcommand(named name: String) -> (any ParsableCommand.Type)? {
    subcommands.first { $0.configuration.commandName == name }
  }

  var subcommandNames: [String] { subcommands.map { $0.configuration.commandName } }

  var missingSubcommand: String {
    "Which command? There are \(subcommandNames.joined(separator: ", "))."
  }
}

/// A mistake in a command line.
struct UsageError: Error {
  let message: String

  init(_ message: String) {
    self.message = message
  }
}
