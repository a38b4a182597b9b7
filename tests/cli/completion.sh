#!/usr/bin/env bash
# timeless completion: bash and zsh complete every command and every option, as --help prints them.
. "$top_srcdir/tests/tap.sh"
[ -z "${SANITIZE:-}" ] || export ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0
export TIMELESS_PLATFORMS=$top_srcdir/platforms
PATH=$(dirname "$timeless"):$PATH
cd "$scratch" || exit 99

# words_of_help COMMAND...: the first word of the lines of its list
words_of_help() { timeless "$@" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p'; }
# options_of_help COMMAND...: long options and letters
options_of_help() {
    timeless "$@" --help | grep -E '^( {2,6}| {30,})-' | sed -E 's/^ +((-[^ ,=[]+[^ ,]*, )*--?[^ ,=[]+).*/\1/' | tr -d ' ' | tr ',' '\n' |
        sed 's/[=[].*//' | sort -u
}
while read -r name; do
    [ "$name" = calibrate ] || [ "$name" = study ] || echo "$name"
done < <(words_of_help) >commands
words_of_help calibrate | sed 's/^/calibrate /' >>commands
words_of_help study | sed 's/^/study /' >>commands
check '--help lists commands' test "$(wc -l <commands)" -ge 22

# ---- bash ----

check 'bash: the script is printed' bash -c 'timeless completion bash >timeless.bash'
. ./timeless.bash
compopt() { :; } # only works inside a completion
# completed WORD...: what bash offers for the last word
completed() {
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
    _timeless
    printf '%s\n' "${COMPREPLY[@]}"
}
offers() { # WORD WORD...: the first is offered for the last of the others
    local wanted=$1
    shift
    completed "$@" | grep -qxF -- "$wanted"
}
check 'bash: completes every command' equal "$(completed timeless '' | grep -v '^-' | sort)" "$(words_of_help | sort)"
check 'bash: completes what is calibrated' equal \
    "$(completed timeless calibrate '' | grep -v '^-' | sort)" "$(words_of_help calibrate | sort)"
check 'bash: completes what is studied' equal "$(completed timeless study '' | grep -v '^-' | sort)" "$(words_of_help study | sort)"
while read -r command; do
    read -ra words <<<"$command"
    check "bash: completes every option of $command" equal \
        "$(completed timeless "${words[@]}" - | tr -d = | sort -u)" "$(options_of_help "${words[@]}")"
done <commands
check 'bash: a prefix of an option is completed' offers --allow-fewer timeless extrapolate t.tl --allow
check 'bash: an option with a value ends with =' offers --ranks= timeless extrapolate t.tl --ra
check 'bash: --platform is followed by the names of platforms' offers star-1g timeless replay t.tl --platform st
check 'bash: --platform= too' offers star-1g timeless replay t.tl --platform = st
check 'bash: make is followed by a pattern' offers stencil2d timeless make st
# Platforms whose names and titles are hostile: what the shell would run, expand, or send to the terminal.
hostile=(star-1g '$(touch ran)' '`touch ran`' "a b'c\"d" '*' '~' ';touch ran' $'x\e[31m' '$HOME' "\$'t'" '!!' \
    'quite-a-long-name' '[a-z]:\\x')
for name in "${hostile[@]}"; do
    mkdir -p "hostile/$name"
    touch "hostile/$name/platform.xml"
    printf '# x: $(touch ran) `touch ran` \e[31m; touch ran\n' >"hostile/$name/README.md"
done
check 'platform --list prints no control character' bash -c 'TIMELESS_PLATFORMS=hostile timeless platform --list >list &&
    test "$(wc -l <list)" = "$1" && ! tr -d "\n" <list | grep -q "[[:cntrl:]]"' - "${#hostile[@]}"
# the words of a shell that bash offers, as the shell reads them back
eval "read_back=($(TIMELESS_PLATFORMS=hostile completed timeless replay t.tl --platform ''))"
check 'bash: a hostile name of a platform is offered as one word, quoted' equal \
    "$(printf '%s\n' "${read_back[@]}" | sort)" "$(printf '%s\n' "${hostile[@]}" | tr '\033' '?' | sort)"
check 'bash: completion runs nothing that a name or a title contains' test ! -e ran
check 'bash: after -- the options are those of the program' test -z "$(completed timeless record -- ./a.out --ra)"
check_exit 2 'another shell is a usage error' timeless completion fish
check 'the installed scripts are those that are printed' bash -c \
    "cmp timeless.bash '$top_builddir/cli/completion/timeless' && timeless completion zsh | cmp - '$top_builddir/cli/completion/_timeless'"

# ---- zsh ----

if ! zsh -fc true 2>/dev/null; then
    skip 'zsh completes commands and options' 'no zsh'
    tap_done
    exit
fi
timeless completion zsh >_timeless
# Prints what _timeless hands to the functions of zsh that complete.
cat >print.zsh <<'EOF'
_arguments() { print -rl -- "$@" }
_describe() { print -rl -- "${(@P)4}" }
compadd() { print -rl -- "${(@P)2}" }
source ./_timeless
words=("$@") CURRENT=$#
_timeless
EOF
specs() { zsh -f print.zsh "$@"; }
# options_of_zsh COMMAND...: the names in the specifications of _arguments
options_of_zsh() { specs timeless "$@" - |
    sed -nE '/^(\*-|\(-)/ { s/^(\*|\([^)]*\))//; s/\[.*//; s/(=-|=|\+)$//; s/^(-[A-Za-z])-$/\1/; p }' | sort -u; }
check 'zsh: completes every command' equal "$(specs timeless '' | sed 's/:.*//' | sort)" "$(words_of_help | sort)"
check 'zsh: completes what is calibrated' equal "$(specs timeless calibrate '' | sort)" "$(words_of_help calibrate | sort)"
check 'zsh: completes what is studied' equal "$(specs timeless study '' | sort)" "$(words_of_help study | sort)"
while read -r command; do
    read -ra words <<<"$command"
    check "zsh: completes every option of $command" equal "$(options_of_zsh "${words[@]}")" "$(options_of_help "${words[@]}")"
done <commands
{ echo '_files() { : }' && sed 's/^_timeless$/_timeless_platforms/' print.zsh; } >platforms.zsh
check 'zsh: names of platforms are offered without their titles' equal \
    "$(zsh -f platforms.zsh x | sort)" "$(cd "$TIMELESS_PLATFORMS" && for name in */platform.xml; do dirname "$name"; done | sort)"
check 'zsh: hostile names too' equal \
    "$(TIMELESS_PLATFORMS=hostile zsh -f platforms.zsh x | sort)" "$(printf '%s\n' "${hostile[@]}" | tr '\033' '?' | sort)"
# A real zsh in a terminal: types each line and a tab, and waits for what it is completed to.
cat >type.zsh <<'EOF'
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1= fpath=($PWD \$fpath); autoload -Uz compinit; compinit -u -d $PWD/dump; bindkey '^X' expand-or-complete; print re''ady"
zpty -r -m shell seen '*ready*' || exit 1
while read -r line wanted; do
    zpty -w -n shell "${line//_/ }"$'\t'
    timeout=20
    zpty -r -m shell seen "*$wanted*" || { print -r -- "$line: $seen"; exit 1 }
    zpty -w -n shell $'\C-u'
done <lines
EOF
printf '%s\n' 'timeless_extrap timeless*extrapolate' 'timeless_extrapolate_--allow-f --allow-fewer' \
    'timeless_replay_--platform=star-1 --platform=star-1g' 'timeless_calibrate_noise_--thr --threshold' \
    'timeless_replay_--platform=\$\(tou ch[\\]?ran[\\]' >lines
check 'zsh: completes in a terminal, and quotes' env TERM=xterm TIMELESS_PLATFORMS=hostile timeout 60 zsh -f type.zsh
check 'zsh: completion runs nothing that a name or a title contains' test ! -e ran
tap_done
