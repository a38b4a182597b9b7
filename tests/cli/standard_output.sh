# standard_output.sh - a command whose standard output cannot be written exits with 4, and no
# file that a command opens takes the place of a closed standard file.
. "$top_srcdir/tests/tap.sh"
cd "$scratch" || exit 99
export TIMELESS_PLATFORMS=$top_srcdir/platforms
params=L=5us,o=2us,g=2us,G=2.5ns,O=1ns
"$timeless" make sweep --ranks 4 --bytes 4096 --iterations 2 -o t.tl || exit 99
"$timeless" replay t.tl --engine loggops --params $params --json=p.json || exit 99
printf 'makespan,1\nmakespan,1.1\n' >measured.csv
cp t.tl before.tl

# A line on standard error says what is wrong, and nothing else does.
unwritten() { [ $? = 4 ] && [ "$(grep -c '^timeless: standard output: cannot be written' said)" = 1 ]; }
full() { "$timeless" "$@" >/dev/full 2>said; unwritten || { echo "$*"; cat said; return 1; }; }
closed() { "$timeless" "$@" >&- 2>said; unwritten || { echo "$*"; cat said; return 1; }; }
commands=(
    '--help' '--version' 'help replay'
    'info t.tl' 'info --json t.tl' 'dump t.tl' 'dump --json t.tl' 'dump --events 0:2 t.tl'
    "replay t.tl --engine loggops --params $params" "replay t.tl --engine loggops --params $params -q"
    "replay t.tl --engine loggops --params $params --json"
    "replay t.tl -p star-1g --ranks-per-host 1 --details --links"
    "sweep t.tl --engine loggops --params $params --grid seed=1:2"
    "tolerance t.tl --engine loggops --params $params"
    'budget t.tl -p star-1g --ranks-per-host 1' 'budget t.tl -p star-1g --ranks-per-host 1 --json'
    'compare p.json --measured measured.csv' 'compare p.json --measured measured.csv --json'
    'compare --baseline measured.csv --measured measured.csv'
    'extrapolate t.tl --ranks 16 -o out.tl' 'platform --list')
for command in $("$timeless" --help | awk '/^  [a-z]/ { print $1 }'); do commands+=("$command --help"); done
for command in "${commands[@]}"; do
    check "exit code 4 on a full disk: $command" full $command
    check "exit code 4 with standard output closed: $command" closed $command
done
check 'the trace was not written' cmp t.tl before.tl

# The page, and no text behind it, though the page would be the first file to be opened.
"$timeless" report t.tl -p star-1g --ranks-per-host 1 -o good.html >/dev/null || exit 99
"$timeless" report t.tl -p star-1g --ranks-per-host 1 -o page.html >&- 2>said
check 'report with standard output closed exits with 4' test $? = 4
check 'report with standard output closed writes the whole page' cmp good.html page.html
"$timeless" replay t.tl -p star-1g --ranks-per-host 1 --timeline good.csv >/dev/null || exit 99
"$timeless" replay t.tl -p star-1g --ranks-per-host 1 --timeline line.csv <&- >&- 2>&-
check 'replay with all three closed exits with 4' test $? = 4
check 'replay with all three closed writes the whole timeline' cmp good.csv line.csv
check 'nothing to print and nothing closed: exit code 0' "$timeless" pack t.tl -o packed.tl
"$timeless" pack t.tl -o packed.tl >&-
check 'nothing to print on a closed standard output: exit code 0' test $? = 0
# An earlier error keeps its exit code.
"$timeless" compare p.json --measured measured.csv --tolerance 0.1% >/dev/full 2>said
check 'a comparison that failed stays 1' test $? = 1
tap_done
