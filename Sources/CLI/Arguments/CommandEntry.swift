/// A command in the table from which help, completions and the manual are made.
struct CommandEntry {
  /// The words that call the command, the program's name first.
  let path: [String]
  let configuration: CommandConfiguration
  /// The command's own options, flags and arguments, in the order of help.
  let arguments: [ArgumentDefinition]
  /// The commands of a group.
  let subcommands: [CommandEntry]

  /// Reads a command and everything below it.
  ///
  /// - Parameters:
  ///   - command: the command.
  ///   - path: the words that call it, its own last; empty for the program itself.
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

  /// The words that call the command, as one text.
  var name: String { path.joined(separator: " ") }

  var isRoot: Bool { path.count == 1 }

  /// The command's own options and flags.
  var options: [ArgumentDefinition] { arguments.filter { $0.kind != .argument } }

  /// The command's arguments, in order.
  var values: [ArgumentDefinition] { arguments.filter { $0.kind == .argument } }

  /// The options and flags of every command.
  var common: [ArgumentDefinition] {
    argumentSlots(of: GlobalOptions()).map(\.definition)
      + [.helpFlag] + (isRoot ? [.versionFlag] : [])
  }

  /// The command and everything below it, each group before its commands.
  var all: [CommandEntry] { [self] + subcommands.flatMap(\.all) }
}

extension ArgumentDefinition {
  /// Every command takes it in place of everything else.
  static let helpFlag = builtin("help", "Show this help; so does -h.")
  /// The program itself takes it.
  static let versionFlag = builtin("version", "Show the version.")

  private static func builtin(_ name: String, _ help: String) -> Self {
    ArgumentDefinition(
      kind: .flag, name: name, valueName: "", help: help, allowedValues: [], completion: .nothing,
      isRequired: false,
      isRepeating: false, defaultValue: nil)
  }
}
