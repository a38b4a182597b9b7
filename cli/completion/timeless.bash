#compdef timeless
# Completes commands, options and names of platforms, from what the commands themselves print: for
# bash, and for zsh by its own way to run completions of bash.

# _timeless_list WORD...: the commands, or the first words, that --help lists
_timeless_list()
{
    timeless "$@" --help 2>/dev/null | sed -n 's/^  \([a-z]*\)  .*/\1/p'
    echo --help
}

# _timeless_options WORD...: the options in --help; one that needs a value ends with =
_timeless_options()
{
    timeless "$@" --help 2>/dev/null |
        sed -nE 's/^ {2,6}(-[^ =[]+, )?(-[^ =[]+=?).*/\1\2/p' | sed 's/, /\n/'
}

# Names of folders may contain anything: bash inserts them as they are, zsh quotes them.
_timeless_platforms()
{
    local name
    timeless platform --list 2>/dev/null | while IFS= read -r name; do
        name=${name%%  *}
        [ -n "${ZSH_VERSION-}" ] || printf -v name %q "$name"
        printf '%s\n' "$name"
    done
}

# _timeless_offer PREFIX COMMAND...: the lines that COMMAND prints and that begin so
_timeless_offer()
{
    local prefix=$1 line
    shift
    while IFS= read -r line; do
        [[ $line != "$prefix"* ]] || COMPREPLY+=("$line")
    done < <("$@")
}

_timeless_complete()
{
    local current=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]-} what='' option i
    COMPREPLY=()
    [ -z "${ZSH_VERSION-}" ] || eval 'current=${(Q)current}' # zsh gives the word as it was typed
    if [ "$COMP_CWORD" = 1 ]; then
        _timeless_offer "$current" _timeless_list
        return
    fi
    case $command in calibrate | study) what=${COMP_WORDS[2]} ;; esac
    if [ "$COMP_CWORD" = 2 ] && [ "$what" = "$current" ] && [ "${current#-}" = "$current" ]; then
        _timeless_offer "$current" _timeless_list "$command"
        return
    fi
    for ((i = 2; i < COMP_CWORD; i++)); do
        [ "${COMP_WORDS[i]}" != -- ] || return # what follows is a program
    done
    # bash takes --name=value as three words
    option=${COMP_WORDS[COMP_CWORD - 1]}
    if [ "$option" = = ]; then
        option=${COMP_WORDS[COMP_CWORD - 2]}
    elif [ "$current" = = ]; then
        current=''
    fi
    if [ "$option" = --platform ] || [ "$option" = -p ]; then
        _timeless_offer "$current" _timeless_platforms
        return
    fi
    if [[ $current == --platform=* ]]; then # in zsh this is one word
        _timeless_offer "${current#*=}" _timeless_platforms
        COMPREPLY=("${COMPREPLY[@]/#/--platform=}")
        return
    fi
    [[ $current == -* ]] || return
    _timeless_offer "$current" _timeless_options "$command" ${what:+"$what"}
    [[ ${#COMPREPLY[@]} != 1 || ${COMPREPLY[0]} != *= ]] || compopt -o nospace 2>/dev/null
}

if [ -n "${ZSH_VERSION-}" ]; then
    autoload -Uz bashcompinit && bashcompinit
fi
complete -o bashdefault -o default -F _timeless_complete timeless
if [ "${funcstack[1]-}" = _timeless ]; then # zsh has loaded this file to complete a word
    _bash_complete -o bashdefault -o default -F _timeless_complete timeless
fi
