/// Makes the completions of zsh: a function a command, on `_arguments` of zsh's completion system.
struct ZshCompletion {
  let program: CommandEntry

  var script: String {
    let common = program.common.filter { $0.name != ArgumentDefinition.versionFlag.name }
    return """
      #compdef launchlink
      # zsh completion of launchlink, made by launchlink --generate-completion-script zsh

      # Completes a group: the function's name, then what the group takes in place of a command; its
      # commands stand in the array of that name.
      __launchlink_group() {
          local group=$1 context state state_descr line
          typeset -A opt_args
          shift
          _arguments -C "${common[@]}" "$@" '1:command:->command' '*::argument:->rest'
          case $state in
              command) _describe -t commands command commands ;;
              rest) (( $+functions[${group}_$line[1]] )) && ${group}_$line[1] ;;
          esac
      }

      \(program.all.dropFirst().map(function).joined(separator: "\n\n"))

      _launchlink() {
          local -a common
          common=(
      \(common.map { "        " + specification($0) }.joined(separator: "\n"))
          )
      \(groupBody(program, more: [.versionFlag]))
      }

      if [ "$funcstack[1]" = _launchlink ]; then
          _launchlink "$@"
      else
          compdef _launchlink launchlink
      fi

      """
  }

  private func function(of command: CommandEntry) -> String {
    """
    \(functionName(command))() {
    \(command.subcommands.isEmpty ? commandBody(command) : groupBody(command))
    }
    """
  }

  private func functionName(_ command: CommandEntry) -> String {
    "_" + command.path.joined(separator: "_")
  }

  private func groupBody(_ command: CommandEntry, more: [ArgumentDefinition] = []) -> String {
    let commands = command.subcommands.map(\.configuration).map { configuration in
      "        " + "\(configuration.commandName):\(configuration.abstract)".shellWord
    }
    let options = (more + command.options).map { " " + specification($0) }
    return """
          local -a commands
          commands=(
      \(commands.joined(separator: "\n"))
          )
          __launchlink_group \(functionName(command))\(options.joined())
      """
  }

  private func commandBody(_ command: CommandEntry) -> String {
    let values = command.values.map { value in
      (value.isRequired ? ":" : "::") + Self.escaped(value.valueName) + ":" + action(value)
    }
    let lines = command.options.map(specification) + values.map(\.shellWord)
    return (["    _arguments \"${common[@]}\""] + lines.map { "        " + $0 })
      .joined(separator: " \\\n")
  }

  /// An option as `_arguments` takes it.
  private func specification(_ option: ArgumentDefinition) -> String {
    let help = "[\(Self.escaped(option.help))]"
    guard option.kind == .option else {
      let isBuiltin = [ArgumentDefinition.helpFlag.name, ArgumentDefinition.versionFlag.name]
        .contains(option.name)
      return ((isBuiltin ? "(- *)" : "") + "--\(option.name)\(help)").shellWord
    }
    let start = option.isRepeating ? "*" : ""
    let value = option.allowedValues.isEmpty ? option.valueName : option.name
    return "\(start)--\(option.name)=\(help):\(Self.escaped(value)):\(action(option))".shellWord
  }

  private func action(_ definition: ArgumentDefinition) -> String {
    switch definition.completion {
    case .values(let values): "(\(values.joined(separator: " ")))"
    case .files: "_files"
    case .directories: "_files -/"
    case .nothing: " "
    }
  }

  /// Text within a specification, where colons and brackets are syntax.
  private static func escaped(_ text: String) -> String {
    text.reduce(into: "") { result, character in
      if #":[]\"#.contains(character) { result.append("\\") }
      result.append(character)
    }
  }
}
