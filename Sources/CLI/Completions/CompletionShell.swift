/// A shell that has completions.
///
/// Its script knows no commands; it asks the program by `CompleteCommand`.
enum CompletionShell: String, CaseIterable, ExpressibleByArgument {
  case bash
  case zsh
  case fish

  /// The script that the shell loads.
  var script: String {
    switch self {
    case .bash: Self.bashScript
    case .zsh: Self.zshScript
    case .fish: Self.fishScript
    }
  }

  /// For bash 4 and later, with or without bash-completion.
  private static let bashScript = #"""
    # bash completion of launchlink, made by launchlink --generate-completion-script bash

    _launchlink() {
        local typed=${COMP_WORDS[COMP_CWORD]}
        [[ $typed == '=' ]] && typed=''
        mapfile -t COMPREPLY < <(
            command launchlink __complete bash -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null </dev/null)
        case ${COMPREPLY[0]-} in
            :files) mapfile -t COMPREPLY < <(compgen -f -- "$typed") ;;
            :directories) mapfile -t COMPREPLY < <(compgen -d -- "$typed") ;;
            *) return ;;
        esac
        compopt -o filenames 2>/dev/null
    }

    complete -F _launchlink launchlink

    """#

  private static let zshScript = #"""
    #compdef launchlink
    # zsh completion of launchlink, made by launchlink --generate-completion-script zsh

    _launchlink() {
        local -a offered
        offered=("${(@f)$(command launchlink __complete zsh -- \
            "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null </dev/null)}")
        case $offered[1] in
            '') return 1 ;;
            :files) compset -P '--*='; _files ;;
            :directories) compset -P '--*='; _files -/ ;;
            *)
                offered=("${(@)offered//:/\\:}")
                offered=("${(@)offered/$'\t'/:}")
                _describe -t values value offered
                ;;
        esac
    }

    if [ "$funcstack[1]" = _launchlink ]; then
        _launchlink "$@"
    else
        compdef _launchlink launchlink
    fi

    """#

  private static let fishScript = #"""
    # fish completion of launchlink, made by launchlink --generate-completion-script fish

    function __launchlink
        set -l words (commandline -opc) (commandline -ct)
        for offered in (command launchlink __complete fish -- $words[2..-1] 2>/dev/null </dev/null)
            switch $offered
                case :files
                    __fish_complete_path (commandline -ct)
                case :directories
                    __fish_complete_directories (commandline -ct)
                case '*'
                    echo $offered
            end
        end
    end

    complete -c launchlink -f -a '(__launchlink)'

    """#
}
