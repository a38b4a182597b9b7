#!/usr/bin/env bash
# The script by which bash and zsh complete commands, options and platforms.
. "$top_srcdir/tests/tap.sh"
[ -z "${SANITIZE:-}" ] || export ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0
export TIMELESS_PLATFORMS=$top_srcdir/platforms
PATH=$(dirname "$timeless"):$PATH
cd "$scratch" || exit 99
script=$top_srcdir/cli/completion/timeless.bash

# ---- bash ----

. "$script"
compopt() { :; } # only works inside a completion
# completed WORD...: what bash offers for the last word
completed() {
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
    _timeless_complete
    printf '%s\n' "${COMPREPLY[@]}"
}
offers() { # WORD WORD...: the first is offered for the last of the others
    local wanted=$1
    shift
    completed "$@" | grep -qxF -- "$wanted"
}
# The rows of the table of commands have an option and a man page each; here each completes --help as well.
sed -n 's/^COMMAND(\([a-z]*\).*/\1/p' "$top_srcdir/cli/commands.def" | sort >commands
check 'bash: completes every command' equal "$(completed timeless '' | grep -v '^-' | sort)" "$(cat commands)"
check 'bash: completes what is calibrated' equal "$(completed timeless calibrate '' | grep -v '^-' | tr '\n' ' ')" \
    'network kernels cpu memory noise '
check 'bash: completes what is studied' offers scaling timeless study sc
while read -r command; do
    case $command in calibrate | study) continue ;; esac
    check "bash: completes options of $command" offers --help timeless "$command" -
done <commands
check 'bash: a letter is offered, too' offers -p timeless replay -
check 'bash: a prefix of an option is completed' offers --allow-fewer timeless extrapolate t.tl --allow
check 'bash: an option with a value ends with =' offers --ranks= timeless extrapolate t.tl --ra
check 'bash: an option whose value may be left out does not' offers --json timeless info --js
check 'bash: options of a calibration' offers --max-seconds= timeless calibrate network --max-s
check 'bash: --platform is followed by the names of platforms' offers star-1g timeless replay t.tl --platform st
check 'bash: --platform= too' offers star-1g timeless replay t.tl --platform = st
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
completed timeless '$(touch ran)' - >nothing
check 'bash: completion runs nothing that a name, a title or a word contains' test ! -e ran
check 'bash: after -- the options are those of the program' test -z "$(completed timeless record -- ./a.out --ra)"

# ---- zsh ----

if ! zsh -fc true 2>/dev/null; then
    skip 'zsh completes commands and options' 'no zsh'
    tap_done
    exit
fi
cp "$script" _timeless
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
