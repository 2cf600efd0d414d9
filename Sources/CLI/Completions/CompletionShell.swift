/// A shell that completions can be made for.
enum CompletionShell: String, CaseIterable, ExpressibleByArgument {
  case bash
  case zsh
  case fish

  /// The script that completes the program's command lines.
  func script(for program: CommandEntry) -> String {
    switch self {
    case .bash: BashCompletion(program: program).script
    case .zsh: ZshCompletion(program: program).script
    case .fish: FishCompletion(program: program).script
    }
  }
}

extension CommandEntry {
  /// Every option of every command that takes a value, each name once.
  var valuedOptions: [String] {
    var names: [String] = []
    for definition in all.flatMap({ $0.options + $0.common }) where definition.kind == .option {
      if !names.contains(definition.name) { names.append(definition.name) }
    }
    return names
  }
}

extension String {
  /// The text as one word of bash and zsh, whatever is in it.
  var shellWord: String { "'" + replacing("'", with: #"'\''"#) + "'" }
}
