/// Makes the completions of fish: a function that tells which command is typed, and a line for each
/// thing that it takes.
struct FishCompletion {
  let program: CommandEntry

  var script: String {
    let lines = program.all.flatMap { command in
      command.subcommands.map { line(for: $0, below: command) }
        + command.options.map { line(for: $0, of: command) } + pathLines(of: command)
    }
    let common = program.common.filter { $0.name != ArgumentDefinition.versionFlag.name }
    return """
      # fish completion of launchlink, made by launchlink --generate-completion-script fish

      # Whether the command that is typed so far is the arguments.
      function __launchlink_at
          set -l commands \(program.all.map { Self.word($0.name) }.joined(separator: " "))
          set -l command launchlink
          set -l is_value no
          for word in (commandline -opc)[2..-1]
              if test $is_value = yes
                  set is_value no
                  continue
              end
              switch $word
                  case \(program.valuedOptions.map { "--" + $0 }.joined(separator: " "))
                      set is_value yes
                  case '-*'
                  case '*'
                      if contains -- "$command $word" $commands
                          set command "$command $word"
                      end
              end
          end
          test $command = "$argv"
      end

      complete -c launchlink -f
      \(common.map { line(for: $0, of: nil) }.joined(separator: "\n"))
      \(line(for: .versionFlag, of: program))
      \(lines.joined(separator: "\n"))

      """
  }

  private func line(for command: CommandEntry, below group: CommandEntry) -> String {
    start(group) + " -a \(command.configuration.commandName) -d "
      + Self.word(command.configuration.abstract)
  }

  /// An option of a command, or of all of them.
  private func line(for option: ArgumentDefinition, of command: CommandEntry?) -> String {
    let value =
      switch option.completion {
      case _ where option.kind == .flag: ""
      case .values(let values): " -x -a " + Self.word(values.joined(separator: " "))
      case .files: " -r -F"
      case .directories: " -x -a '(__fish_complete_directories)'"
      case .nothing: " -x"
      }
    return start(command) + " -l \(option.name)" + value + " -d " + Self.word(option.help)
  }

  /// Lines for values that are known by their place; fish counts no places, so all of a command's
  /// are offered at each.
  private func pathLines(of command: CommandEntry) -> [String] {
    command.values.compactMap { value in
      switch value.completion {
      case .values(let values):
        start(command) + " -a \(Self.word(values.joined(separator: " "))) -d "
          + Self.word(value.help)
      case .files: start(command) + " -F"
      case .directories: start(command) + " -a '(__fish_complete_directories)'"
      case .nothing: nil
      }
    }
  }

  private func start(_ command: CommandEntry?) -> String {
    guard let command else { return "complete -c launchlink" }
    return "complete -c launchlink -n " + Self.word("__launchlink_at \(command.name)")
  }

  private static func word(_ text: String) -> String {
    "'" + text.replacing(#"\"#, with: #"\\"#).replacing("'", with: #"\'"#) + "'"
  }
}
