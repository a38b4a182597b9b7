#!/usr/bin/env bash
# options.sh - options mean the same in all commands: the table of CONTRIBUTING.md against every --help, and the
# spellings of the version before.
. "$top_srcdir/tests/tap.sh"
cd "$scratch" || exit 99
params=L=5us,o=2us,g=2us,G=2.5ns,O=1ns

# "LETTER LONG" for each long option of each letter: of the table, and of a command's help
sed -n 's/^| `-\([a-z]\)[^|]*| \([^|]*\)|.*/\1 \2/p' "$top_srcdir/CONTRIBUTING.md" | tr -d '`' >rows
awk '{ for (i = 2; i <= NF; i++) print $1, $i }' rows >table
letters() { sed -nE 's/^  -([a-z]), (--[a-z-]+).*/\1 \2/p' "$1"; }
help_lines() { "$timeless" $1 --help >help 2>&1 && [ "$(wc -l <help)" -lt 51 ]; }
in_table() { ! letters help | grep -vxFf table; }
json_is_optional() { ! grep -E '^ .*--json' help | grep -vE '^      --json\[=FILE\]  +write JSON to FILE, or instead of text$'; }
short_is_long() { ! grep -E '^  -[a-z]( |=|$)' help; }

mapfile -t commands < <("$timeless" --help | awk '/^  [a-z]/ && $1 != "calibrate" { print $1 }'
    "$timeless" calibrate --help | awk '/^  [a-z]/ { print "calibrate", $1 }')
check 'there are 20 commands or more' test "${#commands[@]}" -ge 20
check 'CONTRIBUTING.md lists each letter once' test -z "$(cut -d' ' -f1 rows | sort | uniq -d)"
spelt_as_agreed() { in_table && short_is_long && json_is_optional; }
: >used
for command in "${commands[@]}"; do
    check "$command --help has at most 50 lines" help_lines "$command"
    check "$command: letters and --json are spelt as in CONTRIBUTING.md" spelt_as_agreed
    letters help >>used
done
check 'every row of CONTRIBUTING.md is used by a command' cmp <(sort -u used) <(sort -u table)

# --json=FILE writes what --json prints, and leaves the text.
"$timeless" make sweep --ranks 4 --bytes 4096 --iterations 2 -o t.tl || exit 99
"$timeless" replay t.tl --engine loggops --params $params --json=p.json >/dev/null || exit 99
printf 'makespan,%s\n' 1 1.1 1.2 1.05 >before.csv
printf 'makespan,1.08\n' >now.csv
json_in_file() { # COMMAND...: without --json
    "$timeless" "$@" >text && "$timeless" "$@" --json >printed && "$timeless" "$@" --json=file >also &&
        cmp printed file && cmp text also && ! cmp -s text printed
}
check 'info --json=FILE writes the JSON to FILE and prints the text' json_in_file info t.tl
check 'dump --json=FILE writes the JSON to FILE and prints nothing' sh -c '"$0" dump --json t.tl >printed && "$0" dump --json=file t.tl >also && cmp printed file && test ! -s also' "$timeless"
check 'sweep --json=FILE writes the JSON to FILE and prints the table' json_in_file sweep t.tl --engine loggops --params $params --grid seed=1:2
check 'compare --json=FILE writes the JSON to FILE and prints the text' json_in_file compare --baseline before.csv --measured now.csv
for command in 'info t.tl' 'dump t.tl' "sweep t.tl --engine loggops --params $params --grid seed=1" 'compare --baseline before.csv --measured now.csv'; do
    check_exit 4 "${command%% *} --json=FILE exits 4 when FILE cannot be written" "$timeless" $command --json=/dev/full
done

# Old spellings work, and a note names the new one.
renamed() { # NOTE EXPECTED-FILE COMMAND...: prints or writes what the new spelling does
    local note=$1 expected=$2; shift 2
    "$timeless" "$@" >got 2>said && cmp "$expected" got && [ "$(cat said)" = "timeless: note: $note; the next version refuses the old spelling" ]
}
"$timeless" info t.tl --json >info.json
check 'info -j prints JSON, with a note' renamed '-j is now --json' info.json info -j t.tl
"$timeless" dump t.tl --json >dump.json
check 'dump -j prints JSON, with a note' renamed '-j is now --json' dump.json dump -j t.tl
: >empty
"$timeless" export t.tl --to goal --rate 2 --no-compute -o new
check 'export -n leaves computation out, with a note' renamed '-n is now --no-compute' empty export t.tl --to goal --rate 2 -n -o old
check 'export -n writes what --no-compute writes' cmp new old
"$timeless" export t.tl --to goal --rate 2 -o new
check 'export -r is the rate, with a note' renamed '-r is now --rate' empty export t.tl --to goal -r 2 -o old
check 'export -r writes what --rate writes' cmp new old
printf '%s\n' 'timeless-text 1' 'ranks 1' 'rank 0 host="h"' '0 0 MPI_Pcontrol level=1 clock_ns=0' \
    '0 1 MPI_Pcontrol level=2 clock_ns=5' 'end cut clock_ns=9' | "$timeless" undump - -o regions.tl
check 'cut -r cuts a region, with a note' renamed '-r is now --region' empty cut regions.tl -r 1 -o region.tl
check 'cut -r writes the region' "$timeless" info region.tl
"$timeless" sweep t.tl --engine loggops --params $params --grid seed=1:2 --json=new.json >sweep.csv
check 'sweep --json FILE writes JSON to FILE, with a note' renamed '--json FILE is now --json=FILE' sweep.csv sweep --json old.json --engine loggops --params $params --grid seed=1:2 t.tl
check 'sweep --json FILE writes what --json=FILE writes' cmp new.json old.json
json_to_stdout() { "$timeless" sweep --engine loggops --params $params --grid seed=1:2 --json t.tl | cmp - new.json; }
check 'sweep --json TRACE prints JSON of the trace' json_to_stdout
tap_done
