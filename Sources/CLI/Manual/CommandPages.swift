import Configuration
/// launchlink(1): all commands, and what they have in common.
struct ProgramPage {
  let program: CommandEntry
  let date: String

  var page: Manual.Page {
    let configuration = program.configuration
    var text = Mdoc(page: program.name, section: 1, date: date, about: configuration.abstract)
    text.control("Sh", "SYNOPSIS")
    text.line("Nm", program.name)
    text.line("Ar", "command")
    text.line("Op", [.macro("Ar"), .text("argument"), .punctuation("...")])
    for option in program.options {
      text.line("Nm", program.name)
      text.line(option, isRequired: true)
    }
    text.control("Sh", "DESCRIPTION")
    text.prose(configuration.discussion)
    text.control("Pp")
    text.prose("The commands, each with a page of its own:")
    text.control("Bl", "-tag -width Ds")
    for noun in program.subcommands {
      text.line("It", [.macro("Xr"), .page(noun.pageName), .punctuation("1")])
      text.prose(noun.configuration.abstract)
    }
    text.control("El")
    text.control("Pp")
    text.prose("In place of a command:")
    text.list(program.options)
    text.control("Pp")
    text.prose("What every command takes, before or after its name:")
    text.list(program.common)
    environment(&text)
    files(&text)
    text.control("Sh", "EXIT STATUS")
    text.prose("The numbers of sysexits.h, and 1:")
    text.control("Bl", "-tag -width Ds")
    for code in ExitCode.allCases {
      text.line("It", "\(code.rawValue)")
      text.prose(code.meaning)
    }
    text.control("El")
    text.control("Sh", "EXAMPLES")
    text.display(configuration.examples)
    text.seeAlso(program.subcommands.map { ($0.pageName, 1) } + [(SettingsPage.name, 5)])
    return Manual.Page(name: program.name, section: 1, source: text.source)
  }

  private func environment(_ text: inout Mdoc) {
    text.control("Sh", "ENVIRONMENT")
    text.control("Bl", "-tag -width Ds")
    text.line("It", [.macro("Ev"), .text("LAUNCHLINK_CONFIG")])
    text.prose("The configuration file, where --config names none.")
    text.line("It", [.macro("Ev"), .text("LAUNCHLINK_*")])
    text.prose("A setting, as launchlink.yaml(5) has it. An unknown name stops the program.")
    text.line("It", [.macro("Ev"), .text("CREDENTIALS_DIRECTORY")])
    text.prose("Where systemd puts credentials: a key ring in it may be readable to the group.")
    text.line("It", [.macro("Ev"), .text("SUDO_USER")])
    text.prose("Written to the audit log beside the user who runs the command.")
    text.line("It", [.macro("Ev"), .text("SOURCE_DATE_EPOCH")])
    text.prose("The day that the pages of --generate-manual bear, in seconds since 1970.")
    text.control("El")
  }

  private func files(_ text: inout Mdoc) {
    text.control("Sh", "FILES")
    text.control("Bl", "-tag -width Ds")
    text.line("It", [.macro("Pa"), .text(ConfigurationSource.systemFile)])
    text.prose("The configuration, where nothing names another.")
    text.line("It", [.macro("Pa"), .text("data_directory/launchlink.db")])
    text.prose("The database, with launchlink.db-wal and launchlink.db-shm while it is open.")
    text.line("It", [.macro("Pa"), .text("data_directory/master.key")])
    text.prose(
      "The key ring that opens what the database seals. Back it up apart from the database: neither "
        + "opens anything without the other.")
    text.control("El")
  }
}

/// A page for one noun with all of its commands, such as launchlink-key(1).
struct NounPage {
  let noun: CommandEntry
  let date: String

  /// The commands that run: those of the group, or the noun itself.
  private var commands: [CommandEntry] { noun.all.filter(\.subcommands.isEmpty) }

  var page: Manual.Page {
    let configuration = noun.configuration
    var text = Mdoc(page: noun.pageName, section: 1, date: date, about: configuration.abstract)
    text.control("Sh", "SYNOPSIS")
    for command in commands {
      text.line("Nm", command.name)
      for argument in command.arguments { text.line(argument, isRequired: argument.isRequired) }
    }
    text.control("Sh", "DESCRIPTION")
    let isGroup = !noun.subcommands.isEmpty
    text.prose(configuration.discussion.isEmpty ? configuration.abstract : configuration.discussion)
    for command in commands {
      if isGroup {
        text.line("Ss", command.name)
        text.prose(command.configuration.abstract)
        if !command.configuration.discussion.isEmpty {
          text.control("Pp")
          text.prose(command.configuration.discussion)
        }
      }
      text.list(command.arguments)
      if isGroup {
        text.control("Pp")
        text.prose("Example:")
        text.display(command.configuration.examples)
      }
    }
    text.control("Pp")
    text.prose(
      "The options that every command takes, the environment and the exit statuses are those of")
    text.line("Xr", [.page("launchlink"), .punctuation("1"), .punctuation(".")])
    if !isGroup {
      text.control("Sh", "EXAMPLES")
      text.display(configuration.examples)
    }
    text.seeAlso([("launchlink", 1), (SettingsPage.name, 5)])
    return Manual.Page(name: noun.pageName, section: 1, source: text.source)
  }
}

extension CommandEntry {
  /// The name of the manual page, such as `launchlink-key`.
  var pageName: String { path.joined(separator: "-") }
}

extension Mdoc {
  /// An option or argument in a synopsis.
  fileprivate mutating func line(_ definition: ArgumentDefinition, isRequired: Bool) {
    var words = words(of: definition, isShort: true)
    if definition.isRepeating { words.append(.punctuation("...")) }
    if !isRequired { return line("Op", words) }
    guard case .macro(let first)? = words.first else { return }
    line(first, Array(words.dropFirst()))
  }

  /// The options and arguments with their descriptions.
  fileprivate mutating func list(_ definitions: [ArgumentDefinition]) {
    if definitions.isEmpty { return }
    control("Bl", "-tag -width Ds")
    for definition in definitions {
      line("It", words(of: definition))
      prose(definition.help + (definition.defaultValue.map { " Default: \($0)." } ?? ""))
    }
    control("El")
  }

  /// The form on a command line; the short form names a value instead of listing what would not fit a line.
  private func words(of definition: ArgumentDefinition, isShort: Bool = false) -> [Word] {
    let name: [Word] =
      definition.kind == .argument ? [] : [.macro("Fl"), .text("-\(definition.name)")]
    if definition.kind == .flag { return name }
    if definition.allowedValues.isEmpty {
      return name + [.macro("Ar"), .text(definition.valueName)]
    }
    if isShort, definition.allowedValues.joined().count > 30 {
      let noun = definition.name.split(separator: "-").last ?? ""
      return name + [.macro("Ar"), .text(noun.uppercased())]
    }
    let values = definition.allowedValues.flatMap { [Word.punctuation("|"), .text($0)] }
    return name + [.macro("Cm")] + values.dropFirst()
  }
}
