/// A command in the table from which help, completions and the manual are made.
struct CommandEntry {
  /// The words that call it, the program's name first.
  let path: [String]
  let configuration: CommandConfiguration
  /// What it takes itself, as help lists it.
  let arguments: [ArgumentDefinition]
  /// The commands of a group.
  let subcommands: [CommandEntry]

  /// Reads a command and everything below it.
  ///
  /// - Parameters:
  ///   - command: the command.
  ///   - path: the words that call it, its own among them; without them it is the program itself.
  init(_ command: any ParsableCommand.Type, path: [String] = []) {
    let configuration = command.configuration
    let path = path.isEmpty ? [configuration.commandName] : path
    self.path = path
    self.configuration = configuration
    arguments = argumentSlots(of: command.init()).map(\.definition)
    subcommands = configuration.subcommands.map { subcommand in
      CommandEntry(subcommand, path: path + [subcommand.configuration.commandName])
    }
  }

  /// The words that call it as one text.
  var name: String { path.joined(separator: " ") }

  var isRoot: Bool { path.count == 1 }

  /// The options and flags of its own.
  var options: [ArgumentDefinition] { arguments.filter { $0.kind != .argument } }

  /// The values that are known by their place, in order.
  var values: [ArgumentDefinition] { arguments.filter { $0.kind == .argument } }

  /// What it takes as every command does.
  var common: [ArgumentDefinition] {
    argumentSlots(of: GlobalOptions()).map(\.definition)
      + [.helpFlag] + (isRoot ? [.versionFlag] : [])
  }

  /// The command and everything below it, each group before its commands.
  var all: [CommandEntry] { [self] + subcommands.flatMap(\.all) }
}

extension ArgumentDefinition {
  /// Taken by every command in place of everything else.
  static let helpFlag = builtin("help", "Show this help; so does -h.")
  /// Taken by the program itself.
  static let versionFlag = builtin("version", "Show the version.")

  private static func builtin(_ name: String, _ help: String) -> Self {
    ArgumentDefinition(
      kind: .flag, name: name, valueName: "", help: help, allowedValues: [], completion: .nothing,
      isRequired: false,
      isRepeating: false, defaultValue: nil)
  }
}
