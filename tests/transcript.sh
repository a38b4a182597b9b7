#!/usr/bin/env bash
# transcript.sh FILE - runs a transcript as a test: the commands of FILE, in a folder of its own.
#
# A transcript shows what a user sees. Lines at the margin are prose; the lines directly above a command name its check. A command
# is indented by two spaces and follows `$ `, its further lines follow `> `. Then come the lines that it prints:
#
#     A trace that does not exist exits with 4.
#       $ timeless info none.tl
#       2> timeless: none.tl: cannot be opened: No such file or directory
#       [4]
#
# First the lines of standard output, then the lines of standard error behind `2> `, then the exit code if it is not 0. A command
# that fails and leaves or removes a file has a line `left: FILE` or `removed: FILE`. The hint at --help below an error of usage is
# left out. The commands share variables, functions and files, and have the words of tests/words.sh; $top_srcdir is the source.
#
# A transcript has no output that differs by run, machine, or release of SimGrid, such as times and paths: remove them by sed, or
# write a script. WRITE_TRANSCRIPTS=1 bash tests/transcript.sh FILE writes into FILE what the commands print now; then read
# `git diff`.
[ "${BASH_SOURCE[0]}" != "$0" ] || . "$(dirname "$0")/tap.sh"

# transcript FILE: a check for each command
transcript() {
    local - line name='' command='' wanted='' got='' blank='' anew=''
    local -x TIMELESS_PLATFORMS=$top_srcdir/platforms
    set -o pipefail
    timeless() { "$timeless" "$@"; }
    while IFS= read -r line; do
        case $line in
        '  $ '*) transcript_check; command=${line#'  $ '} anew+=$line$'\n' ;;
        '  > '*)
            if [ "$wanted" ]; then wanted+=$line$'\n'
            else command+=$'\n'${line#'  > '} anew+=$line$'\n'; fi ;;
        '') blank+=$'\n' name=${command:+$name} ;;
        '  '*) wanted+=$blank$line$'\n' blank='' ;;
        *) transcript_check; name+=${name:+ }$line anew+=$line$'\n' ;;
        esac
    done <"$1"
    transcript_check
    [ ! "${WRITE_TRANSCRIPTS:-}" ] || printf %s "$anew" >"$1"
}
transcript_check() { # of the command that has been read, with the output that it should have
    if [ "$command" ]; then
        [ "$name" ] || name=${command%%$'\n'*}
        check "${name%[.:]}" transcript_agrees
        anew+=$got name='' command='' wanted='' got=''
    fi
    anew+=$blank blank=''
}
transcript_agrees() {
    local code before after
    before=$(ls)
    eval "$command" >"$scratch/.printed" 2>"$scratch/.said" </dev/null
    code=$? after=$(ls)
    got=$(sed 's/^./  &/; s/ *$//' "$scratch/.printed"; sed \
        '/^Try `timeless .*information\.$/d; /^Try `timeless /,/information\.$/d; s/^/  2> /; s/ *$//' "$scratch/.said"
        [ $code = 0 ] || [ "$before" = "$after" ] || diff <(echo "$before") <(echo "$after") | sed -n 's/^>/  left:/p; s/^</  removed:/p'
        [ $code = 0 ] || echo "  [$code]")
    got+=${got:+$'\n'}
    diff -u --label expected --label printed <(printf %s "$wanted") <(printf %s "$got")
}

if [ "${BASH_SOURCE[0]}" = "$0" ]; then
    file=$(realpath "$1") timeless=$(realpath "$timeless")
    cd "$scratch" || exit 99
    transcript "$file"
    tap_done
fi
