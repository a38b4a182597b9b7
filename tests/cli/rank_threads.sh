#!/usr/bin/env bash
# timeless replay: parallel regions of OpenMP, on as many threads and cores as are asked for. What is
# expected is computed by the rule of timeless-replay(1), THREADS, from traces that are written here.
. "$(dirname "$0")/../tap.sh"
cd "$scratch" || exit 99

mkdir p
cat >p/platform.xml <<'XML'
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="z" routing="Full">
<host id="n0" speed="1Gf" core="4"/><host id="n1" speed="1Gf" core="4"/>
<link id="l" bandwidth="1GBps" latency="0us"/>
<route src="n0" dst="n1"><link_ctn id="l"/></route>
</zone></platform>
XML
printf '%s\n' 'reference_flops = 1e9;' 'units = ({unit = "cpu-ns"; seconds_per_unit = 1e-9;});' >p/model.conf

# regions NAME RANKS EVENT...: each of the ranks has these events ("LIST VOLUME" is a region)
regions() {
    local name=$1 ranks=$2 rank n event; shift 2
    {
        printf '%s\n' 'timeless-text 1' "ranks $ranks" 'volume_unit "cpu-ns"'
        for ((rank = 0; rank < ranks; rank++)); do
            echo "rank $rank host=\"h\""; n=0
            for event; do
                case $event in
                MPI_*) echo "$rank $n $event" ;;
                *) echo "$rank $n Parallel list=[${event% *}] volume=${event#* } site=0" ;;
                esac
                n=$((n + 1))
            done
            echo 'end cut clock_ns=0'
        done
    } >"$name.txt"
    "$timeless" undump "$name.txt" -o "$name.tl"
}
seconds() { "$timeless" replay "$1.tl" -p p -q "${@:2}" || echo failed; }
# takes NAME SECONDS TRACE OPTIONS...: with both engines, to 1e-9
takes() {
    local name=$1 want=$2 engine; shift 2
    for engine in smpi loggops; do
        check "$engine: $name" awk -v a="$want" -v b="$(seconds "$@" --engine $engine)" 'BEGIN {
            print a " expected, " b " replayed"; d = b / a - 1; exit !(d < 1e-9 && d > -1e-9) }'
    done
}
# same NAME TRACE OPTION...: the options change nothing, with both engines, bit by bit
same() {
    local name=$1 trace=$2 engine; shift 2
    for engine in smpi loggops; do
        check "$engine: $name" test "$(seconds "$trace" --engine $engine)" = "$(seconds "$trace" --engine $engine "$@")"
    done
}

# 0.1 s before the region, 0.2 s of one thread while the other waits, two threads of 1 s and 3 s
regions one 1 '100000000,200000000,300000000,1000000000,3000000000 4300000000'
takes 'a region ends with its last thread' 3.3 one
same 'as many threads as in the run change nothing' one --rank-threads 2
takes 'one thread does the work of all' 4.3 one --rank-threads 1
takes 'three threads keep the imbalance' 2.3 one --rank-threads 3
takes 'four threads keep the imbalance' 1.8 one --rank-threads 4
takes 'eight threads on four cores share these' 1.3 one --rank-threads 8
takes '--set rank.threads is the same option' 1.8 one --set rank.threads=4

regions uneven 1 '0,0,0,100000001,300000007,70000003 470000011'
same 'as many threads as in the run: the same last digit' uneven --rank-threads 3
regions locked 1 '0,0,1700000000,1000000000,1000000000 2000000000'
takes 'work of one at a time does not shrink' 1.7 locked --rank-threads 4
takes 'nor does it take longer than all work' 2 locked --rank-threads 1
regions eight 1 "0,0,0$(printf ',1000000000%.0s' 1 2 3 4 5 6 7 8) 8000000000"
takes 'more threads in the run than the host has cores' 2 eight
regions serial 1 '500000000,0,0,1000000000 1500000000'
takes 'a run with one thread' 1.5 serial
takes 'a run with one thread, on two' 1 serial --rank-threads 2
regions scaled 1 '500000000,0,0,1000000000 3000000000'
takes 'a volume that was changed keeps its parts' 2 scaled --rank-threads 2
regions several 1 '0,0,0,1000000000 1000000000' 'MPI_Barrier comm=1 clock_ns=0 volume=500000000' '0,0,0,2000000000 2000000000'
takes 'computation outside of regions remains' 2 several --rank-threads 2

# Ranks of a host have equal parts of its cores.
regions two 2 '0,0,0,1000000000,1000000000,1000000000,1000000000 4000000000'
takes 'two ranks on a host: two of its four cores each' 2 two --ranks-per-host 2
takes 'two ranks on two hosts: four cores each' 1 two --ranks-per-host 1
regions three 3 '0,0,0,1000000000,1000000000,1000000000,1000000000 4000000000'
takes 'the rank that has a host to itself waits for nobody' 2 three --ranks-per-host 2
alone() { "$timeless" replay three.tl -p p --ranks-per-host 2 --engine "$1" --json | jq -r '[.ranks[].end_s] | map(tostring) | join(" ")'; }
for engine in smpi loggops; do
    check "$engine: hosts with fewer ranks have more cores for each" test "$(alone $engine)" = '2 2 1'
done
no_host() { local s; s=$("$timeless" replay one.tl --engine loggops --params L=1us,o=0,g=0,G=0,O=0 --model p/model.conf -q --rank-threads 20) && echo "$s" && awk -v s="$s" 'BEGIN { exit !(s > 0.5999999 && s < 0.6000001) }'; }
check 'loggops: without hosts each thread has a core' no_host

says() { check_exit "$1" "$2" "$timeless" "${@:4}"; cp "$scratch/err" said.txt; check "$2: the message" grep -qE "$3" said.txt; }
regions short 1 '0,0,0 0'
says 3 'a region without threads' 'without threads' replay short.tl -p p
regions wrong 1 '0,0,5,1 6'
says 3 'more work one at a time than there is' 'one at a time' replay wrong.tl -p p
says 2 'no threads' 'not a number of threads' replay one.tl -p p --rank-threads 0
says 2 'no number of threads' 'not a number of threads' replay one.tl -p p --rank-threads two
regions none 1 'MPI_Barrier comm=1 clock_ns=0 volume=500000000'
says 3 'threads for a trace without regions' 'no parallel regions' replay none.tl -p p --rank-threads 2
check 'the prediction names the threads' sh -c '"$0" replay one.tl -p p --rank-threads 4 --json | jq -e ".. | strings | select(test(\"rank.threads=4\"))"' "$timeless"
# Exports have the computation that a region takes with the threads of the run, a core for each.
check 'a region is exported to GOAL' "$timeless" export --to goal one.tl -o one.goal
check 'GOAL has the time of the region' grep -q 'calc 3300000000$' one.goal
check 'a region is exported to SimGrid' "$timeless" export --to simgrid one.tl -o sg
check "SimGrid's text has the time of the region" grep -rqE 'compute 3\.?3' sg
check 'undump reads a region of dump' sh -c '"$0" dump one.tl >dump.txt && "$0" undump dump.txt -o again.tl && "$0" dump again.tl | diff - dump.txt' "$timeless"
tap_done
