/// Makes the text of `--help`.
enum HelpText {
  private static let lineLength = 100

  static func of(
    path: [String], configuration: CommandConfiguration, arguments: [ArgumentDefinition],
    globals: [ArgumentDefinition]
  ) -> String {
    var sections = [
      configuration.abstract,
      wrapped("Usage:", usage(path: path, configuration: configuration, arguments: arguments)),
    ]
    if !configuration.discussion.isEmpty { sections.append(configuration.discussion) }
    if !configuration.subcommands.isEmpty {
      let rows = configuration.subcommands.map { command in
        (command.configuration.commandName, command.configuration.abstract)
      }
      sections.append("Commands:\n" + list(rows))
    }
    if !arguments.isEmpty {
      sections.append("Arguments and options:\n" + list(arguments.map(row)))
    }
    let common = globals.map(row) + [("--help", "Show this help.")]
    sections.append("Common options:\n" + list(common))
    if !configuration.examples.isEmpty {
      let lines = configuration.examples.map { "  " + $0 }
      sections.append("Example:\n" + lines.joined(separator: "\n"))
    }
    return sections.joined(separator: "\n\n") + "\n"
  }

  private static func usage(
    path: [String], configuration: CommandConfiguration, arguments: [ArgumentDefinition]
  ) -> [String] {
    var words = [path.joined(separator: " ")]
    if !configuration.subcommands.isEmpty { words.append("COMMAND") }
    for definition in arguments {
      let word = definition.usage + (definition.isRepeating ? " …" : "")
      words.append(definition.isRequired ? word : "[\(word)]")
    }
    return words
  }

  /// The words in lines that fit a terminal, all but the first one indented.
  private static func wrapped(_ title: String, _ words: [String]) -> String {
    var lines = [title]
    for word in words {
      if lines[lines.count - 1].count + 1 + word.count <= lineLength {
        lines[lines.count - 1] += " " + word
      } else {
        lines.append("    " + word)
      }
    }
    return lines.joined(separator: "\n")
  }

  private static func row(_ definition: ArgumentDefinition) -> (String, String) {
    let ending = definition.defaultValue.map { " Default: \($0)." } ?? ""
    return (definition.usage, definition.help + ending)
  }

  private static func list(_ rows: [(name: String, text: String)]) -> String {
    let width = min(34, rows.map(\.name.count).max() ?? 0)
    return rows.map { name, text in
      let isLong = name.count > width
      let gap = String(repeating: " ", count: isLong ? width + 4 : width + 2 - name.count)
      return "  \(name)" + (isLong ? "\n" : "") + gap + text
    }.joined(separator: "\n")
  }
}
