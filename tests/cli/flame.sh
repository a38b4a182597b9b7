#!/usr/bin/env bash
# timeless report --flame and --folded: predicted time by call path.
. "$(dirname "$0")/../tap.sh"
cd "$scratch" || exit 99
export TIMELESS_PLATFORMS=$top_srcdir/platforms
on=(-p star-1g --ranks-per-host 1 -q)
# A trace in the text form: wrap is called by step, twice, and by finish; 1e9 instructions between the calls.
site() { echo "site $1 object=\"a.out\" offset=$2 ${3:+caller=$3 }function=\"$4\" file=\"a.c\" line=$5"; }
make_trace() { # WITH_CALLERS
    local caller2= caller5=
    [ -z "$1" ] || { caller2=1 caller5=4; }
    echo 'timeless-text 1'; echo 'ranks 1'; echo 'volume_unit "cpu-ns"'
    echo 'rank 0 host="h"'
    site 1 100 '' main 10; site 2 200 "$caller2" step 20; site 3 300 "${caller2:+2}" wrap 30
    site 4 400 '' main 11; site 5 500 "$caller5" finish 50; site 6 300 "${caller5:+5}" wrap 30
    echo '0 0 MPI_Init clock_ns=0 volume=0 site=1'
    echo '0 1 MPI_Barrier comm=1 clock_ns=0 volume=1000000000 site=3'
    echo '0 2 MPI_Pcontrol level=7 clock_ns=0 volume=0 site=3'
    echo '0 3 MPI_Barrier comm=1 clock_ns=0 volume=2000000000 site=3'
    echo '0 4 MPI_Barrier comm=1 clock_ns=0 volume=4000000000 site=6'
    echo '0 5 dgemm m=10 n=10 k=10 volume=8000000000 site=6'
    echo '0 6 MPI_Finalize clock_ns=0 volume=16000000000 site=4'
    echo 'end finalized clock_ns=0'
}
make_trace yes | "$timeless" undump - -o paths.tl
make_trace '' | "$timeless" undump - -o plain.tl
# region NAME: its rounded seconds in the table of `out`
region() { awk -v name="$1" '/^seconds in region/ {on = 1} on && $1 == name {printf "%.0f", $2; exit}' regions; }
# seconds FILE STACK: its time, rounded
seconds() { awk -v stack="$2" '{n = $NF; sub(/ [0-9]+$/, "")} $0 == stack {printf "%.0f", n / 1e9; found = 1}
    END {if (!found) print "none"}' "$1"; }
check 'a flame graph and folded stacks are written' "$timeless" report paths.tl "${on[@]}" --flame flame.html --folded-stacks paths.folded
check 'without -o there is no other page' eval '[ ! -e report.html ]'
check 'computation between two calls of one function is in its function' equal "$(seconds paths.folded 'main;step;wrap;compute')" 2
check 'computation is in the functions that the paths around it have in common' equal "$(seconds paths.folded 'main;compute')" 17
check 'computation behind wrappers has the lines where the two paths part' equal "$(seconds paths.folded 'main;compute (a.c:10 .. 11)')" 4
"$timeless" replay paths.tl -p star-1g --ranks-per-host 1 --details >parts
check 'the critical path names the callers of the wrapper, too' grep -qE '^  compute main:10 \.\. main:11 +4 ' parts
check 'computation of one path is in its functions' equal "$(seconds paths.folded 'main;finish;wrap;compute')" 8
check 'a kernel is in its functions, with its line' grep -qx 'main;finish;wrap;dgemm (a.c:30) [1-9][0-9]*' paths.folded
sum() { awk '{s += $NF} END {printf "%.6f", s / 1e9}' "$1"; }
check 'the stacks have the time of all ranks' equal "$(sum paths.folded)" \
    "$("$timeless" replay paths.tl "${on[@]}" | awk '{printf "%.6f", $1}')"
check 'without call paths' "$timeless" report plain.tl "${on[@]}" --folded-stacks plain.folded
check 'the frames are region and function' equal "$(seconds plain.folded 'MPI_Pcontrol(7);wrap;compute')" 14
check 'before the first region' equal "$(seconds plain.folded 'before MPI_Pcontrol;compute')" 1
check_exit 4 'a path that cannot be written fails' "$timeless" report paths.tl "${on[@]}" --folded-stacks no/such/folder

# show SCRIPT [PAGE]
show() {
    sed "s|</body>|<script>$1</script></body>|" "${2:-flame.html}" >shown.html
    timeout 120 chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$scratch/profile" \
        --window-size=1200,900 --virtual-time-budget=5000 --dump-dom "file://$scratch/shown.html" >dom
}

# ---- long call paths ----
long=a_function_of_the_program_with_a_long_name
{
    printf '%s\n' 'timeless-text 1' 'ranks 1' 'volume_unit "cpu-ns"' 'rank 0 host="h"'
    site 1 100 '' main 10
    for i in 2 3 4 5 6; do site $i ${i}00 $((i - 1)) ${long}_$i ${i}0; done
    printf '%s\n' '0 0 MPI_Barrier comm=1 clock_ns=0 volume=1000000000 site=6' \
        '0 1 MPI_Barrier comm=1 clock_ns=0 volume=2000000000 site=1' '0 2 MPI_Finalize clock_ns=0 volume=1000 site=1' \
        'end finalized clock_ns=0'
} | "$timeless" undump - -o long.tl
check 'a long call path' "$timeless" replay long.tl -p star-1g --details --json=long.json
check 'its outer callers are left out for people' sh -c '"$1" replay long.tl -p star-1g --details >long.txt &&
    grep -qE "^MPI_Barrier ${2}_6 .a.c:60. < \.\.  *[0-9]" long.txt && ! grep -q "^.\{130\}" long.txt' - "$timeless" $long
check 'computation between two places loses its middle' grep -qE '^  compute a_function_.*\.\..*main .a\.c:10. +[0-9]' long.txt
check 'the JSON has all of it' python3 -c '
import json
d = json.load(open("long.json"))["details"]
callers = ["%s_%d:%d0" % ("'$long'", i, i) for i in range(5, 1, -1)] + ["main:10"]
name = "MPI_Barrier %s_6 (a.c:60) < " % "'$long'" + " < ".join(callers)
assert any(s["name"] == name for s in d["sites"]), d["sites"]'
check 'a report of it' "$timeless" report long.tl "${on[@]}" -o long.html
check 'a browser shows the page' show '' long.html
check 'the page has three callers, and all of them at the pointer' \
    grep -qE 'title="MPI_Barrier[^"]*_2:20 (<|&lt;) main:10">MPI_Barrier[^<]*_3:30 &lt; \.\.<' dom

# Two call paths with the same inner functions.
{
    printf '%s\n' 'timeless-text 1' 'ranks 1' 'volume_unit "cpu-ns"' 'rank 0 host="h"'
    for way in 1 2; do
        site ${way}1 ${way}00 '' main 1$way
        for i in 2 3 4 5; do site $way$i ${way}0$i $way$((i - 1)) an_inner_function_$i ${i}0; done
    done
    printf '%s\n' '0 0 MPI_Barrier comm=1 clock_ns=0 volume=1000000000 site=15' \
        '0 1 MPI_Barrier comm=1 clock_ns=0 volume=2000000000 site=25' \
        '0 2 MPI_Finalize clock_ns=0 volume=1000 site=11' 'end finalized clock_ns=0'
} | "$timeless" undump - -o alike.tl
check 'two paths with the same inner functions are told apart' sh -c '"$1" replay alike.tl -p star-1g --details >alike.txt &&
    for way in 1 2; do grep -qE "^MPI_Barrier an_inner_function_5 .a.c:50. < .. < main:1$way +[0-9]" alike.txt ||
    exit 1; done' - "$timeless"
# A wrapper with a long name, which two functions call: as classes of C++ are.
{
    wrapper='wrapped::World_of_communication_between_neighbours_of_many_kinds(double, double, double)::sum'
    printf '%s\n' 'timeless-text 1' 'ranks 1' 'volume_unit "cpu-ns"' 'rank 0 host="h"'
    site 1 100 '' main 10; site 2 200 1 dot 20; site 3 300 1 residual 30; site 4 400 2 "$wrapper" 40; site 5 400 3 "$wrapper" 40
    for n in 0 1 2 3; do echo "0 $n MPI_Barrier comm=1 clock_ns=0 volume=1000000 site=$((4 + n / 2))"; done
    echo 'end cut clock_ns=0'
} | "$timeless" undump - -o wrapped.tl
"$timeless" replay wrapped.tl -p star-1g --details >wrapped.txt
check 'a wrapper with a long name does not hide which function calls it' sh -c '
    for caller in dot:20 residual:30; do grep -qE "^MPI_Barrier wrapped.*[.][.].* < $caller( < main:10)? +[0-9]" wrapped.txt &&
    grep -qE "^  compute wrapped.* < $caller +[0-9]" wrapped.txt || exit 1; done'
# Two callers of a template whose name has more than 525 bytes are two rows.
"$timeless" dump wrapped.tl | sed "s/wrapped::/&$(printf 'Pair<%.0s' {1..150})/g" | "$timeless" undump - -o template.tl
check 'call sites with names of 800 bytes are not taken as one' "$timeless" replay template.tl -p star-1g --details --json=template.json
check '... neither in the JSON' python3 -c '
import json
d = json.load(open("template.json"))["details"]
for caller in "dot:20", "residual:30":
    assert sum(r["name"].endswith(" < %s < main:10" % caller) for r in d["sites"]) == 1, d["sites"]
    assert any(caller in r["name"] for r in d["critical_path"]["sites"]), d["critical_path"]'
check 'a report of them' "$timeless" report alike.tl "${on[@]}" -o alike.html
check 'a browser shows the page' show '' alike.html
check 'the page tells them apart' sh -c \
    'for way in 1 2; do grep -q ">MPI_Barrier an_inner_function_5 (a.c:50) &lt; .. &lt; main:1$way<" dom || exit 1; done'

# Computation between calls of wrappers with long names.
{
    printf '%s\n' 'timeless-text 1' 'ranks 1' 'volume_unit "cpu-ns"' 'rank 0 host="h"'
    site 1 100 '' main 33; site 2 200 1 library::Communicator::exchange_with_neighbours 23
    site 3 300 '' main 35; site 4 400 3 library::Communicator::largest_of_all_ranks 27
    printf '%s\n' '0 0 MPI_Barrier comm=1 clock_ns=0 volume=1000000000 site=2' '0 1 MPI_Barrier comm=1 clock_ns=0 volume=2000000000 site=2' \
        '0 2 MPI_Barrier comm=1 clock_ns=0 volume=3000000000 site=4' '0 3 MPI_Finalize clock_ns=0 volume=0 site=3' 'end finalized clock_ns=0'
} | "$timeless" undump - -o wrappers.tl
ends() { "$timeless" replay wrappers.tl -p star-1g --details |
    sed -nE 's/^  compute library.* < main:([0-9]*) \.\. library.* < main:([0-9]*)  *([0-9]).*/\1-\2:\3/p' | paste -sd ' '; }
check 'computation between calls of wrappers keeps both callers' equal "$(ends)" '33-35:3 33-33:2'

# ---- regions by function ----
check 'two functions are regions' "$timeless" replay paths.tl -p star-1g --ranks-per-host 1 --regions-at step \
    --regions-at finish --regions-at main
cp out regions
check 'a call path is in its innermost region' equal "$(region step) $(region finish) $(region main)" '2 8 21'
check 'one function is a region' "$timeless" replay paths.tl -p star-1g --ranks-per-host 1 --regions-at wrap --json=regions.json
"$timeless" replay paths.tl -p star-1g --ranks-per-host 1 --regions-at wrap >regions
check 'all else is elsewhere' equal "$(region wrap) $(region elsewhere)" '10 21'
check 'the critical path has the regions' python3 -c '
import json
rows = json.load(open("regions.json"))["details"]["critical_path"]["regions"]
assert {r["name"]: round(r["time_s"]) for r in rows} == {"wrap": 10, "elsewhere": 21}, rows'
check 'a function on no path' "$timeless" replay paths.tl -p star-1g --ranks-per-host 1 --regions-at swap
cp err said
check 'is reported' grep -q '^timeless: warning: --regions-at swap: paths.tl has no call path' said

check 'the page and the flame graph together' "$timeless" report paths.tl "${on[@]}" -o page.html --flame flame2.html
check 'both are written, the flame graph with the same bytes' eval '[ -s page.html ] && cmp flame.html flame2.html'
check 'the flame graph refers to nothing outside' eval "! grep -E '(src|href)=|https?:' flame.html"
check 'a browser shows it' show ''
check 'there is a frame for each function' eval 'for f in main step wrap finish; do grep -q ">$f</div>" dom || exit 1; done'
check 'a search' show 'search.value="^wrap$";search.oninput();'
check 'it sums the time of the frames found: 10 of 31 s' grep -qE 'id="found"[^>]*>10 s, 32\.[0-9]+ %' dom
tap_done
