#!/usr/bin/env bash
# timeless report of several predictions: tables that add up, on the terminal, as JSON and on the page.
. "$(dirname "$0")/../tap.sh"
cd "$scratch" || exit 99
export TIMELESS_PLATFORMS=$top_srcdir/platforms
hpl=$top_srcdir/traces/hpl-4.tl
read_back="python3 $top_srcdir/tests/cli/versus_read.py"
replay() { "$timeless" replay "$hpl" --ranks-per-host 1 "$@"; }
show() {
    timeout 120 chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$scratch/profile" \
        --window-size=1200,900 --virtual-time-budget=10000 --dump-dom "file://$scratch/$1" >"$2" && grep -q '<canvas' "$2"
}

check 'two platforms: a report is written' "$timeless" report "$hpl" --ranks-per-host 1 -p star-1g -p fat-tree -o ab.html
cp out printed
check 'two platforms: the JSON is written' "$timeless" report "$hpl" --ranks-per-host 1 -p star-1g -p fat-tree -o ab.html --json=ab.json
check 'the prediction for the first platform' replay -p star-1g --details --links --json=a.json
check 'the prediction for the second platform' replay -p fat-tree --details --links --json=b.json
check 'every table of the JSON adds up to the makespans of the predictions' $read_back json ab.json a.json b.json
check 'every table on the terminal adds up to the makespans' $read_back printed printed ab.json
check 'two files give the same tables as two replays' sh -c '"$1" report a.json b.json -o files.html --json=files.json &&
    $2 same files.json ab.json' - "$timeless" "$read_back"
check 'a browser shows the page' show ab.html ab.dom
check 'every table of the page adds up, and has the numbers of the JSON' $read_back dom ab.dom ab.json 2
check 'a browser shows the page of two files' show files.html files.dom
check 'the page of two files has the tables, and states that it has no timelines' $read_back dom files.dom ab.json 0

check 'the same platform twice: a report is written' "$timeless" report "$hpl" --ranks-per-host 1 -p star-1g \
    -p star-1g -o aa.html --json=aa.json
check 'the same platform twice: all differences are 0' $read_back equal aa.json
printf '%s\n' 'timeless-text 1' 'ranks 1' 'rank 0 host="h"' '0 0 MPI_Init clock_ns=0' '0 1 MPI_Finalize clock_ns=0' \
    'end finalized clock_ns=0' |
    "$timeless" undump - -o no-time.tl
check 'runs that take no time: a report is written' "$timeless" report no-time.tl -p star-1g -o none.html --versus --scale network=2
cp out printed
check 'runs that take no time: no ratio of them is printed' sh -c 'grep -q "^B .*, 0 s" printed && ! grep -Eiq "nan|inf|times as" printed'
check '--versus adds options to the second replay' "$timeless" report "$hpl" --ranks-per-host 1 -p star-1g -o v.html \
    --json=v.json --versus --host-speed 2x
check '--versus: the mean computation takes half of the time' $read_back half v.json
check '--versus names what differs' grep -q '"name": "star-1g, host.speed=2x"' v.json
check 'three predictions are compared' "$timeless" report "$hpl" --ranks-per-host 1 -p star-1g --versus --scale latency 2 \
    --versus -p fat-tree -o abc.html --json=abc.json
check 'three predictions: every table adds up' $read_back json abc.json a.json - b.json
check '-q prints the makespans alone' sh -c '"$1" report a.json b.json -q -o q.html >q.txt 2>q.err && [ ! -s q.err ] &&
    [ "$(wc -l <q.txt)" = 2 ] && [ "$(head -n 1 q.txt)" = "$("$1" replay "$2" --ranks-per-host 1 -p star-1g -q)" ]' - "$timeless" "$hpl"

# Without details, only the means of the ranks are known.
check 'a prediction without details' replay --engine loggops --params L=5us,o=2us,g=2us,G=2.5ns,O=1ns -p star-1g --json=l.json
check 'predictions of two engines are compared' "$timeless" report a.json l.json -o l.html --json=al.json
check 'two engines: their names stand for their network models' sh -c '! grep -q "network model" l.html &&
    "$1" report a.json l.json -o l.html | grep -q "^B .*, loggops, "' - "$timeless"
check 'two engines: the tables add up' $read_back json al.json a.json l.json
check 'two engines: a note states what is unknown' prints '~^Not all predictions have details' \
    "$timeless" report a.json l.json -o l.html

# One slow rank of very many.
printf '%s\n' 'skeleton 1' 'ranks 3000' 'unit "cpu-ns"' 'compute 1000000 + (rank == 1777 ? 900000 : 0)' 'MPI_Barrier' >slow.skel
for l in 5 50; do
    check "3,000 ranks, latency $l us: a prediction" "$timeless" replay slow.skel --engine loggops \
        --params L=${l}us,o=2us,g=2us,G=2.5ns,O=1ns -p star-1g --json=slow$l.json
done
check '3,000 ranks: two predictions are compared' "$timeless" report slow5.json slow50.json -q -o slow.html
check '3,000 ranks: a browser shows the page' show slow.html slow.dom
check '3,000 ranks: what the predictions do not contain is unknown, not none' sh -c \
    'grep -q "id=.path-sites.>unknown: not all" slow.dom && ! grep -q "id=.mean-sites.>none" slow.dom'
check '3,000 ranks: the page names the slow one' grep -q '>rank 1777: slowest in A, slowest in B<' slow.dom

sed 's/"trace_hash": "[0-9a-f]*"/"trace_hash": "0000000000000001"/' a.json >other.json
check 'predictions of two versions of a program are compared, by their traces' sh -c \
    '"$0" report a.json other.json -o other.html | grep -c "^trace .*, xxh64 " | grep -qx 2' "$timeless"
tap_done
