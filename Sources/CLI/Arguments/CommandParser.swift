import Configuration
import Domain

/// The request of a command line.
enum Invocation {
  case run(any ParsableCommand, path: [String])
  case help(String)
  case version
}

/// A usage error, and the command that it is about.
struct ParsingFailure: Error {
  let message: String
  let path: [String]
}

/// Parses a command line.
struct CommandParser {
  private var command: any ParsableCommand
  private var path: [String]
  private var slots: [ArgumentSlot]
  private let globals: [ArgumentSlot]
  private var values: [String] = []
  private var wantsHelp = false
  private var wantsVersion = false

  private init(root: any ParsableCommand.Type, globals: GlobalOptions) {
    command = root.init()
    path = [root.configuration.commandName]
    slots = argumentSlots(of: command)
    self.globals = argumentSlots(of: globals)
  }

  /// Parses the arguments, without the program's name, and fills `globals`.
  static func parse(
    _ arguments: [String], root: any ParsableCommand.Type, globals: GlobalOptions
  ) throws(ParsingFailure) -> Invocation {
    var parser = CommandParser(root: root, globals: globals)
    do throws(UsageError) {
      try parser.read(arguments)
      if parser.wantsHelp { return .help(parser.help) }
      if parser.wantsVersion { return .version }
      try parser.finish()
    } catch {
      throw ParsingFailure(message: error.message, path: parser.path)
    }
    return .run(parser.command, path: parser.path)
  }

  private var configuration: CommandConfiguration { type(of: command).configuration }

  private var help: String {
    HelpText.of(CommandEntry(type(of: command), path: path))
  }

  /// The first argument of the command that was given; in a group, the option in place of a command.
  private var givenSlot: ArgumentSlot? { slots.first(where: \.isGiven) }

  private mutating func read(_ arguments: [String]) throws(UsageError) {
    var rest = arguments[...]
    var onlyValues = false
    while let argument = rest.popFirst() {
      if onlyValues {
        try take(argument)
      } else if argument == "--" {
        onlyValues = true
      } else if argument == "--help" || argument == "-h" {
        wantsHelp = true
      } else if argument == "--version", path.count == 1 {
        wantsVersion = true
      } else if argument.utf8.first == UInt8(ascii: "-"), argument != "-" {
        try takeOption(argument, rest: &rest)
      } else {
        try take(argument)
      }
    }
  }

  /// Takes a word: the next command of a group, or a value.
  private mutating func take(_ word: String) throws(UsageError) {
    guard !configuration.subcommands.isEmpty else {
      values.append(word)
      return
    }
    if path.count == 1, word == "help" {
      wantsHelp = true
      return
    }
    guard let next = configuration.subcommand(named: word) else {
      let meant = didYouMean(word, configuration.subcommandNames)
      throw UsageError(
        "There is no command \(quoted(word))\(meant.isEmpty ? "." : meant)"
          + (meant.isEmpty ? " " + configuration.missingSubcommand : ""))
    }
    if let given = givenSlot {
      throw UsageError("--\(given.definition.name) stands in place of a command: \(quoted(word)).")
    }
    command = next.init()
    path.append(word)
    slots = argumentSlots(of: command)
  }

  private func takeOption(
    _ argument: String, rest: inout ArraySlice<String>
  ) throws(UsageError) {
    // By bytes: a combining mark behind the sign would make one character with it.
    let sign = argument.utf8.firstIndex(of: UInt8(ascii: "="))
    let given = sign.map { String(argument[argument.utf8.index(after: $0)...]) }
    let written = String(argument[..<(sign ?? argument.endIndex)])
    let slot = try option(written)
    let definition = slot.definition
    if slot.isGiven, !definition.isRepeating {
      throw UsageError("\(written) is given twice.")
    }
    var value: String?
    if definition.kind == .flag {
      guard given == nil else { throw UsageError("\(written) takes no value.") }
    } else if let given {
      value = given
    } else {
      guard let next = rest.first, !next.utf8.starts(with: "--".utf8) else {
        throw UsageError("\(written) needs a value: \(definition.usage)")
      }
      value = rest.popFirst()
    }
    do throws(InvalidValue) {
      try slot.accept(value)
    } catch {
      throw UsageError("\(written): \(error.message.closed)")
    }
  }

  private func option(_ written: String) throws(UsageError) -> ArgumentSlot {
    let options = (slots + globals).filter { $0.definition.kind != .argument }
    if let slot = options.first(where: { "--" + $0.definition.name == written }) { return slot }
    let name = String(written.drop { $0 == "-" })
    if let instead = configuration.formerOptions[name] {
      throw UsageError("There is no option \(written) any more; \(instead).")
    }
    let known =
      CommandEntry(type(of: command), path: path).common.map(\.name)
      + slots.map(\.definition).filter { $0.kind != .argument }.map(\.name)
    let meant = didYouMean(name, known, prefix: "--")
    throw UsageError(
      "There is no option \(quoted(written))"
        + (configuration.subcommands.isEmpty ? "" : " before the command") + meant.closed)
  }

  /// Gives values their places, and checks that nothing is missing.
  private mutating func finish() throws(UsageError) {
    if !configuration.subcommands.isEmpty, givenSlot == nil {
      throw UsageError(configuration.missingSubcommand)
    }
    var rest = values[...]
    for slot in slots where slot.definition.kind == .argument {
      guard let value = rest.popFirst() else { continue }
      do throws(InvalidValue) {
        try slot.accept(value)
      } catch {
        throw UsageError("\(slot.definition.valueName): \(error.message.closed)")
      }
    }
    if let extra = rest.first {
      throw UsageError("There is one argument too many: \(Self.shown(extra)).")
    }
    let missing = slots.filter { $0.definition.isRequired && !$0.isGiven }
    if !missing.isEmpty {
      let list = missing.map(\.definition.usage).joined(separator: ", ")
      throw UsageError("Missing: \(list)")
    }
  }

  /// The argument for a message; it may be a pasted API key, which is not repeated.
  private static func shown(_ argument: String) -> String {
    argument.hasPrefix("llk_") ? "an API key" : quoted(argument)
  }
}
