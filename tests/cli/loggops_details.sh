#!/usr/bin/env bash
# timeless replay --engine loggops --details, --timeline, and timeless report: as the SimGrid engine has them.
. "$(dirname "$0")/../tap.sh"
cd "$scratch" || exit 99
export TIMELESS_PLATFORMS=$top_srcdir/platforms
read_back="python3 $top_srcdir/tests/cli/loggops_details.py"
params=L=5us,o=2us,g=2us,G=2.5ns,O=1ns
loggops() { "$timeless" replay "$@" --engine loggops; }

# Both engines see the same calls and messages, and the states fill every rank.
for name in hpl-4 stencil-64 irregular-16 wavefront-16 hybrid-4; do
    trace=$top_srcdir/traces/$name.tl on="-p star-1g --ranks-per-host 4"
    "$timeless" replay "$trace" $on --details --json=smpi.json -q >/dev/null || exit 99
    check "$name: a replay with details" loggops "$trace" $on --details --timeline l.csv --json=l.json -q
    check "$name: messages, bytes and calls are those of SimGrid" $read_back same smpi.json l.json
    check "$name: the states fill every rank" $read_back states l.csv l.json
    check "$name: the critical path has no gap" $read_back path l.json
    loggops "$trace" $on --json=plain.json -q >/dev/null
    check "$name: details do not change the prediction" python3 -c 'import json, sys
a, b = (json.load(open(f)) for f in ("plain.json", "l.json")); del b["details"]; assert a == b'
done
check 'several threads: the same details' sh -c \
    '"$1" replay "$2" --engine loggops -p star-1g --ranks-per-host 4 --threads 2 --details --json=t.json -q &&
    cmp t.json l.json' - "$timeless" "$trace"
check 'with noise' loggops "$trace" -p star-1g --ranks-per-host 4 --noise 1kHz:100us --details --timeline l.csv --json=l.json -q
check '... the states fill every rank' $read_back states l.csv l.json
check '... the critical path has no gap' $read_back path l.json

# Programs that make their events, and ask whether messages are there.
hpl=hpl:N=300,NB=16,P=2,Q=2,MOVES=0
check 'HPL as a program' loggops $hpl -p star-1g --details --timeline l.csv --json=l.json -q
check '... the states fill every rank' $read_back states l.csv l.json
check '... the critical path has no gap' $read_back path l.json
check '... details do not change the makespan' sh -c \
    '[ "$("$1" replay "$2" --engine loggops -p star-1g -q)" = "$("$1" replay "$2" --engine loggops -p star-1g --details -q)" ]' \
    - "$timeless" $hpl

# With details, each operation is a step of its own; without, computation and short exchanges are done at a stretch.
alike() { # alike OPTION...: the prediction without details, and with them
    loggops "$@" --json=plain.json -q >/dev/null && loggops "$@" --details --json=l.json -q >/dev/null &&
        python3 -c 'import json
a, b = (json.load(open(f)) for f in ("plain.json", "l.json")); del b["details"]; assert a == b'
}
for shape in P=4,Q=4,NB=24,PMAP=0,DEPTH=1 P=4,Q=4,NB=24,PMAP=1,DEPTH=1,PFACT=1,NBMIN=2 P=6,Q=3,NB=16,PMAP=1,DEPTH=0,SWAP=1 \
    P=7,Q=2,NB=20,PMAP=0,DEPTH=1,BCAST=5,PFACT=0 P=3,Q=5,NB=40,PMAP=0,DEPTH=2,RFACT=0,BCAST=2,SWAP=0; do
    for n in 1 3 32; do
        check "HPL, $shape, $n ranks on a host: the same prediction" alike "hpl:N=500,$shape" -p dahu --ranks-per-host $n
    done
done
check '... with noise, and two threads' alike hpl:N=500,P=4,Q=4,NB=24 -p dahu --ranks-per-host 3 --noise 1kHz:100us --threads 2

# Closed formulas.
for n in 2 7; do
    "$timeless" make token -n $n --iterations 3 --bytes 1000 -o token.tl || exit 99
    check "a message around $n ranks" loggops token.tl --params $params --details --json=token.json -q
    check "... who waits how long, and the path" $read_back formula token $n 3 1000 token.json
done
printf '%s\n' 'timeless-text 1' 'ranks 2' 'volume_unit "cpu-ns"' 'rank 0 host="h"' \
    '0 0 MPI_Send count=3000 type_bytes=1 peer=1 tag=0 comm=1 volume=5000000' 'end cut clock_ns=0' 'rank 1 host="h"' \
    '1 0 MPI_Recv count=3000 type_bytes=1 peer=0 tag=0 comm=1' 'end cut clock_ns=0' | "$timeless" undump - -o late.tl || exit 99
check 'a late sender' loggops late.tl -p star-1g --params $params --details --json=late.json -q
check '... who waits how long, and the path' $read_back formula late 2 1 3000 late.json

# The programs whose waits are known; without transfer times, as the engine does not receive while it computes.
use_platforms_without_overheads star-1g
mkdir w
python3 "$top_srcdir/tests/cli/waits_cases.py" write w || exit 99
replay_cases() {
    local text
    for text in w/*.txt; do
        "$timeless" undump "$text" -o w.tl || return 1
        loggops w.tl -p star-1g --params L=10ps,o=0ns,g=0ns,G=0ns,O=0ns,S=65536 --details --json="${text%.txt}.json" -q ||
            rm -f "${text%.txt}.json"
    done
}
check 'programs whose waits are known' replay_cases
check 'each rank waits for as long as computed by hand' $read_back waits w

# Files for other programs. Without a platform, ranks have no hosts.
for format in json paje prv; do
    check "a timeline as .$format" loggops token.tl --params $params --timeline t.$format -q
done
check '... each rank has a node to itself' grep -qx 'LEVEL NODE SIZE 7' t.row
check '... and a name' grep -q '"rank 6"' t.json

# Pages.
check 'a report' "$timeless" report token.tl --engine loggops --params $params --json=token.json -q -o token.html
check '... has the prediction and the states' python3 "$top_srcdir/tests/cli/report_read.py" page token.html token.json
check '... and names the engine' grep -q '"engine":"loggops"' token.html
check 'a flame graph' "$timeless" report token.tl --engine loggops --params $params --flame f.html --folded-stacks f.txt -q
check '... waits for late senders' grep -q 'MPI_Recv.*;late sender' f.txt
check 'a report of two engines' "$timeless" report token.tl -p star-1g --ranks-per-host 1 --versus --engine loggops \
    --params $params -o v.html -q

# Some ranks, and a time, of very many: the rest is in the sums.
"$timeless" make stencil2d -n 64 --iterations 20 --bytes 1000 -o many.tl || exit 99
loggops many.tl --params $params --details --timeline all.csv --json=all.json -q >/dev/null
for chosen in 0-3,60 0-63 5@50us:200us; do
    check "--details=$chosen" loggops many.tl --params $params --details=$chosen --timeline few.csv --json=few.json -q
    check "... the states of these ranks at this time, and the sums of all" $read_back chosen $chosen all.csv few.csv all.json few.json
done
loggops "$top_srcdir/traces/hpl-4.tl" -p star-1g --ranks-per-host 4 --details --timeline all.csv --json=all.json -q >/dev/null
check 'HPL: --details=1' loggops "$top_srcdir/traces/hpl-4.tl" -p star-1g --ranks-per-host 4 --details=1 --timeline few.csv \
    --json=few.json -q
check '... the states of this rank, and the sums of all' $read_back chosen 1 all.csv few.csv all.json few.json
check 'a report of some ranks' "$timeless" report many.tl --engine loggops --params $params --details=0-3 --json=few.json -q -o few.html
check '... has the prediction' grep -q '"chosen":"0-3"' few.html
for wrong in 0- 3-1 x 0@1 0@2s:1s 0,; do
    check_exit 2 "--details=$wrong is refused" loggops many.tl --params $params --details=$wrong
done
check 'a rank that the run does not have is refused with the number of ranks' refused 2 \
    "there is no rank 64 among 64; give ranks below that" \
    loggops many.tl --params $params --details=64
check_exit 2 'the other engine keeps all ranks' "$timeless" replay many.tl -p star-1g --details=1
"$timeless" make stencil2d -n 19600 --iterations 4 --bytes 1000 -o huge.tl || exit 99
check '19,600 ranks: the states of 16' sh -c \
    'ulimit -v 500000
        "$1" replay huge.tl --engine loggops --params "$2" --details=0-15 \
        --timeline huge.csv --json=huge.json -q' - "$timeless" $params
check '... fill these ranks' python3 -c 'import csv, json
ranks = {int(r["rank"]) for r in csv.DictReader(open("huge.csv"))}; p = json.load(open("huge.json"))
assert ranks == set(range(16)), ranks
assert abs(p["details"]["critical_path"]["length_s"] - p["makespan_s"]) < 1e-12
assert {c["name"]: c["count"] for c in p["details"]["calls"]}["MPI_Waitall"] == 4 * p["n_ranks"]'

# What it does not have.
check_exit 2 'the use of links needs links' loggops token.tl --params $params --links
tap_done
