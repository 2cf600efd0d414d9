/// Makes the text of `--help`.
enum HelpText {
  private static let lineLength = 100

  static func of(_ command: CommandEntry) -> String {
    let configuration = command.configuration
    var sections = [configuration.abstract, wrapped("Usage:", usage(of: command))]
    if !configuration.discussion.isEmpty { sections.append(configuration.discussion) }
    if !command.subcommands.isEmpty {
      let rows = command.subcommands.map { command in
        (command.configuration.commandName, command.configuration.abstract)
      }
      sections.append("Commands:\n" + list(rows))
    }
    if !command.arguments.isEmpty {
      let title = command.subcommands.isEmpty ? "Arguments and options" : "In place of a command"
      sections.append(title + ":\n" + list(command.arguments.map(row)))
    }
    sections.append("Common options:\n" + list(command.common.map(row)))
    if !configuration.examples.isEmpty {
      let lines = configuration.examples.map { "  " + $0 }
      sections.append("Example:\n" + lines.joined(separator: "\n"))
    }
    return sections.joined(separator: "\n\n") + "\n"
  }

  private static func usage(of command: CommandEntry) -> [String] {
    guard command.subcommands.isEmpty else { return [command.name, "COMMAND"] }
    return [command.name]
      + command.arguments.map { definition in
        let word = definition.usage + (definition.isRepeating ? " …" : "")
        return definition.isRequired ? word : "[\(word)]"
      }
  }

  /// The words in lines that fit a terminal; all lines but the first are indented.
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
