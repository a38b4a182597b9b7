#!/usr/bin/env bash
# options.sh - options mean the same in all commands: the table of CONTRIBUTING.md against every --help.
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

# Long options with several values, as "WORD VALUE" in the order of their names: of the table, and of every help
sed -n 's/^| `\(--[a-z-]*\)` | \(`.*`\) | .*/\1 \2/p' "$top_srcdir/CONTRIBUTING.md" | tr -d '`\\' |
    awk '{ for (i = 2; i <= NF; i++) print $1, $i }' | sort >stated
mapfile -t -O "${#commands[@]}" commands < <("$timeless" study --help | awk '/^  [a-z]/ { print "study", $1 }')
for command in "${commands[@]}"; do
    "$timeless" $command --help 2>/dev/null | sed -nE 's/^ {2,6}(-[a-zA-Z], )?(--[a-z-]+)(\[?=[^ ]+)?( .*)?$/\2 \3/p'
done | sed -E 's/ =/ /; s/ $/ -/' | sort -u >values
check 'CONTRIBUTING.md lists the long options that take different values' cmp stated <(awk 'NR == FNR { n[$1]++; next }
    n[$1] > 1' values values)

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
check 'dump --json=FILE writes the JSON to FILE and prints nothing' sh -c '"$0" dump --json t.tl >printed &&
    "$0" dump --json=file t.tl >also && cmp printed file && test ! -s also' "$timeless"
check 'sweep --json=FILE writes the JSON to FILE and prints the table' json_in_file sweep t.tl --engine loggops --params $params \
    --grid seed=1:2
check 'compare --json=FILE writes the JSON to FILE and prints the text' json_in_file compare --baseline before.csv --measured now.csv
for command in 'info t.tl' 'dump t.tl' "sweep t.tl --engine loggops --params $params --grid seed=1" \
    'compare --baseline before.csv --measured now.csv'; do
    check_exit 4 "${command%% *} --json=FILE exits 4 when FILE cannot be written" "$timeless" $command --json=/dev/full
done

check 'sweep --json FILE is refused with the right spelling' refused 2 'write --json=FILE' "$timeless" sweep --json old.json \
    --engine loggops --params $params --grid seed=1:2 t.tl
"$timeless" sweep t.tl --engine loggops --params $params --grid seed=1:2 --json=new.json >sweep.csv
json_to_stdout() { "$timeless" sweep --engine loggops --params $params --grid seed=1:2 --json t.tl | cmp - new.json; }
check 'sweep --json TRACE prints JSON of the trace' json_to_stdout
tap_done
