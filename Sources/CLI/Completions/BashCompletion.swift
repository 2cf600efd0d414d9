/// Makes the completions of bash: tables by command, and a function that reads the line by them.
///
/// Nothing beyond bash 4 is needed, bash-completion neither.
struct BashCompletion {
  let program: CommandEntry

  var script: String {
    """
    # bash completion of launchlink, made by launchlink --generate-completion-script bash

    # Sets what the command $1 takes: commands, and options of its own and of all.
    _launchlink_table() {
        case $1 in
    \(program.all.map(table).joined(separator: "\n"))
        esac
    }

    # Whether the option $1 is followed by a value.
    _launchlink_takes_value() {
        case $1 in
        \(program.valuedOptions.map { "--" + $0 }.joined(separator: " | ")))
            return 0
            ;;
        esac
        return 1
    }

    # Offers what fits as value of the option or of the place $2 of the command $1.
    _launchlink_value() {
        case "$1 $2" in
    \(valueCases.joined(separator: "\n"))
        esac
    }

    \(Self.functions)
    """
  }

  private func table(_ command: CommandEntry) -> String {
    let commands = command.subcommands.map(\.configuration.commandName)
    let options = (command.options + command.common).map { "--" + $0.name }
    return """
          \(command.name.shellWord))
              commands=(\(commands.joined(separator: " ")))
              options=(\(options.joined(separator: " ")))
              ;;
      """
  }

  /// The options of all commands last, since their pattern fits any command.
  private var valueCases: [String] {
    let own = program.all.flatMap { command in
      command.options.compactMap { valueCase("\(command.name) --\($0.name)".shellWord, $0) }
        + command.values.enumerated().compactMap { index, value in
          valueCase("\(command.name) \(index + 1)".shellWord, value)
        }
    }
    return own + program.common.compactMap { valueCase("*" + " --\($0.name)".shellWord, $0) }
  }

  private func valueCase(_ pattern: String, _ definition: ArgumentDefinition) -> String? {
    let action: String
    switch definition.completion {
    case .values(let values):
      action = "_launchlink_words " + values.map(\.shellWord).joined(separator: " ")
    case .files: action = "_launchlink_paths -f"
    case .directories: action = "_launchlink_paths -d"
    case .nothing: return nil
    }
    return "    \(pattern)) \(action) ;;"
  }

  private static let functions = #"""
    # Offers those of the words that begin as what is typed.
    _launchlink_words() {
        mapfile -t COMPREPLY < <(compgen -P "$prefix" -W "$*" -- "$typed")
    }

    # Offers files (-f) or directories (-d).
    _launchlink_paths() {
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -P "$prefix" "$1" -- "$typed")
    }

    _launchlink() {
        local typed=${COMP_WORDS[COMP_CWORD]} prefix='' command=launchlink option='' only_values=''
        local place=1 word i
        local -a commands options
        COMPREPLY=()
        _launchlink_table "$command"
        for ((i = 1; i < COMP_CWORD; i++)); do
            word=${COMP_WORDS[i]}
            if [[ $option ]]; then
                # bash makes the equals sign between an option and its value a word.
                [[ $word == '=' ]] || option=''
            elif [[ $only_values || $word != -?* ]]; then
                if [[ ${#commands[@]} -gt 0 && " ${commands[*]} " == *" $word "* ]]; then
                    command+=" $word"
                    _launchlink_table "$command"
                else
                    ((place++))
                fi
            elif [[ $word == -- ]]; then
                only_values=yes
            elif _launchlink_takes_value "$word"; then
                option=$word
            fi
        done
        if [[ $option && $typed == '=' ]]; then
            typed=''
        elif [[ ! $option && ! $only_values && $typed == --*=* ]]; then
            option=${typed%%=*}
            prefix="$option="
            typed=${typed#*=}
        fi
        if [[ $option ]]; then
            _launchlink_value "$command" "$option"
        elif [[ ! $only_values && $typed == -* ]]; then
            _launchlink_words "${options[@]}"
        elif [[ ${#commands[@]} -gt 0 ]]; then
            _launchlink_words "${commands[@]}"
        else
            _launchlink_value "$command" "$place"
        fi
    }

    complete -F _launchlink launchlink

    """#
}
