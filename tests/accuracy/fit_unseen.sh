#!/usr/bin/env bash
# fit_unseen.sh - skeletons of programs that were written without fit in view, beside captures of up to 64 ranks.
#
#     tests/accuracy/fit_unseen.sh [-k FOLDER] [PROGRAM...]     (from the build folder, after make; half an hour)
#
# The programs are in tests/accuracy/unseen.  fit_bars.sh runs them, without computation, and writes FOLDER.csv (default:
# fit_unseen.csv).  Captures and rows are kept: a second run continues.  This script prints the rows as a table: calls and
# how many differ, bytes, makespan, and "foretold": of how many captures the skeleton of the other ones has all calls.
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}" "${top_builddir:=$PWD}"
export top_srcdir top_builddir
folder=fit_unseen
if [ "${1:-}" = -k ]; then folder=$2; shift 2; fi
here=$top_srcdir/tests/accuracy
"$here/fit_bars.sh" -p "$here/unseen" -v none -o "$folder.csv" -k "$folder" "$@" || exit
echo '| program | ranks | calls that differ | bytes | makespan | foretold | message |'
echo '|---|---|---|---|---|---|---|'
while IFS=, read -r program ranks _ calls differ bytes made_bytes makespan made_makespan _ _ message; do
    [ "$program" = program ] && continue
    if [ -z "$ranks" ]; then echo "| $program | | | | | | $message |"; continue; fi
    foretold=$(grep -c '^# fitted without .*: has all' "$folder/$program.skel")
    of=$(grep -c '^# fitted without ' "$folder/$program.skel")
    awk -v OFS=' | ' -v a="$bytes" -v b="$made_bytes" -v s="$makespan" -v t="$made_makespan" \
        -v first="| $program | $ranks | $differ of $calls" -v last="$foretold of $of | |" \
        'function gap(x, y) { return x == y ? "equal" : sprintf("**%+.1f %%**", (y / x - 1) * 100) }
         BEGIN { print first, gap(a, b), gap(s, t), last }'
done <"$folder.csv"
