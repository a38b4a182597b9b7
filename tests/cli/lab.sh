#!/usr/bin/env bash
# doc/lab: each command of the exercise sheet works when pasted, in a copy of the folder, and the commands of the
# teacher's answers print what the answers say.
. "$top_srcdir/tests/tap.sh"
[ -z "${SANITIZE:-}" ] || export ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0 # of Open MPI
sheet=$top_srcdir/doc/lab/SHEET.md answers=$top_srcdir/doc/LAB-ANSWERS.md
export TIMELESS_PLATFORMS=$top_srcdir/platforms
mkdir "$scratch/bin" && cp -r "$top_srcdir/doc/lab" "$scratch/lab" && chmod -R u+w "$scratch/lab" && cd "$scratch/lab" || exit 99
ln -s "$timeless" ../bin/timeless
for tool in mpicc:$MPICC mpirun:$MPIRUN; do
    printf '#!/bin/sh\nexec %s "$@"\n' "$(command -v "${tool#*:}")" >"../bin/${tool%%:*}" && chmod +x "../bin/${tool%%:*}"
done
PATH=$scratch/bin:$PATH

commands() { awk '/^```sh$/ {on = 1; next} /^```$/ {on = 0} on' "$sheet"; }
n=0
while IFS= read -r command <&3; do
    n=$((n + 1))
    check "sheet: $command" bash -o pipefail -c "$command"
done 3< <(commands)
check 'the sheet has commands' test "$n" -ge 25
check 'the pages have a timeline' grep -q '<canvas' stencil.html stall.html

# agrees EXPECTED PRINTED: the same text, or a number in the range LEAST to MOST
agrees() {
    printf '%s\n' "expected: $1" "printed:  $2"
    case $1 in
    *' to '*) awk -v range="$1" -v got="$2" 'BEGIN {split(range, r, " to "); exit !(got ~ /^[0-9.e-]+$/ && got + 0 >= r[1] + 0 && got + 0 <= r[2] + 0)}' ;;
    *) [ "$1" = "$2" ] ;;
    esac
}
# answer COMMAND EXPECTED
answer() { local printed; printed=$(bash -o pipefail -c "$1") && agrees "$2" "$printed"; }
# transcripts: a line for each command of the answers: the command, a tab, its output (newlines as \n)
transcripts() {
    awk '/^```console$/ {on = 1; next}
         /^```$/ || (on && /^\$ /) {if (on && command != "") print command "\t" output; command = output = ""}
         /^```$/ {on = 0}
         on && /^\$ / {command = substr($0, 3); next}
         on {output = output (output == "" ? "" : "\\n") $0}' "$answers"
}
n=0
while IFS=$'\t' read -r command expected <&3; do
    n=$((n + 1))
    check "answers: $command" answer "$command" "$(printf '%b' "$expected")"
done 3< <(transcripts)
check 'the answers have commands' test "$n" -ge 25
check_exit 1 'a number outside of its range is wrong' agrees '0.1 to 0.2' 0.21
check_exit 1 'no output is wrong' agrees '0.1 to 0.2' ''
questions() { grep -oE '^- \*\*[0-9][a-z]\*\*' "$sheet" | tr -d -- '-* '; }
for question in $(questions); do check "question $question has an answer" grep -qE "^\*\*([0-9][a-z], )*$question(, [0-9][a-z])*\.\*\*" "$answers"; done

# The table of the teams: by its rule, and team 2 as one that has the rank with too much work.
row() { sed -n "s/^| $1 | \(node-[0-9]\) | \([0-9]*\) |\$/\1 \2/p" "$answers"; }
for team in 1 2 3 4 5 6 7 8; do
    check "team $team: the table follows the rule" equal "$(row $team)" "node-$((5 * team % 8)) $((4 + 7 * team % 12))"
done
found() { transcripts | grep -F stall.csv | head -n 2 | cut -f 1 | while IFS= read -r command; do bash -c "$command"; done | paste -sd ' '; }
check 'team 7: node and step are those of the table' equal "$(found)" "$(row 7)"
for program in record replay; do
    command=$(commands | grep "timeless $program .*stall.tl" | sed 's/ 20 7$/ 20 2/')
    check "team 2: $command" bash -c "$command"
done
check 'team 2: node and step are those of the table' equal "$(found)" "$(row 2)"
tap_done
