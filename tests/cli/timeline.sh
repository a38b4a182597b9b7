#!/usr/bin/env bash
# timeless replay --timeline: what each rank does when, in three formats that agree with the prediction.
. "$(dirname "$0")/../tap.sh"
cd "$scratch" || exit 99
export TIMELESS_PLATFORMS=$top_srcdir/platforms
read_back="python3 $top_srcdir/tests/cli/timeline_read.py"

# Four ranks: bursts and kernels, blocking, nonblocking and persistent messages, collectives on two
# communicators, two regions.
{
    printf '%s\n' 'timeless-text 1' 'ranks 4' 'volume_unit "cpu-ns"'
    for r in 0 1 2 3; do
        echo "rank $r host=\"h\""
        echo "comm 3 parent=1 call=MPI_Comm_split members=[$((r % 2)),$((r % 2 + 2))]"
        n=0
        event() { echo "$r $n $*"; n=$((n + 1)); }
        event MPI_Init clock_ns=0
        event MPI_Comm_split new_comm=3 comm=1
        event MPI_Pcontrol level=1 clock_ns=1 volume=50000
        for bytes in 1 1000 200000; do
            event MPI_Irecv count=$bytes type_bytes=1 peer=$(((r + 3) % 4)) tag=1 comm=1 request=1 volume=$((100000 * (r + 1)))
            event dgemm m=100 n=100 k=$((100 * (r + 1))) volume=1000
            event MPI_Send count=$bytes type_bytes=1 peer=$(((r + 1) % 4)) tag=1 comm=1 volume=500
            event MPI_Wait request=1
            event MPI_Allreduce count=$bytes type_bytes=1 comm=3 volume=123457
        done
        event MPI_Pcontrol level=2 clock_ns=2
        event MPI_Send_init count=10 type_bytes=8 peer=$((r ^ 1)) tag=2 comm=1 request=1
        event MPI_Recv_init count=10 type_bytes=8 peer=$((r ^ 1)) tag=2 comm=1 request=2
        for _ in 1 2 3; do
            event MPI_Startall list=[1,2]
            event MPI_Waitall list=[1,2]
        done
        event MPI_Finalize clock_ns=3 volume=77
        echo 'end finalized clock_ns=3'
    done
} >text
check 'a trace by hand' "$timeless" undump text -o a.tl
check 'as CSV' "$timeless" replay a.tl -p star-1g --ranks-per-host 1 --json=a.json --timeline a.csv
check 'its states fill every rank, and sum up to the prediction' $read_back csv a.csv a.json
check 'its messages are those of the trace' $read_back messages a.csv
check 'the prediction stays as it is without' bash -c "'$timeless' replay a.tl -p star-1g --ranks-per-host 1 --json | cmp - a.json"
cp a.csv first.csv
check 'again' "$timeless" replay a.tl -p star-1g --ranks-per-host 1 --timeline a.csv -q
check 'the same bytes each time' cmp a.csv first.csv
check 'as trace events' "$timeless" replay a.tl -p star-1g --ranks-per-host 1 --timeline b.json -q
check 'which say the same' $read_back chrome b.json a.csv
check 'as Paje' "$timeless" replay a.tl -p star-1g --ranks-per-host 1 --timeline a.paje -q
check 'which is well formed, in order, and says the same' $read_back paje a.paje a.csv
check 'two jobs, the second later' "$timeless" replay a.tl a.tl@2 -p star-1g --ranks-per-host 1 --timeline two.paje --json=two.json
check 'which end when they should' $read_back jobs two.paje two.json
check 'with details' "$timeless" replay a.tl -p star-1g --ranks-per-host 1 --details --json=details.json
check 'which are the sums of the states' $read_back details details.json a.csv
check 'details of two jobs' bash -c "'$timeless' replay a.tl a.tl@2 -p star-1g --details --json | python3 -c 'import json, sys; assert all(j[\"details\"][\"calls\"] for j in json.load(sys.stdin)[\"jobs\"])'"
check 'details as text' "$timeless" replay a.tl -p star-1g --details
cp out said
check 'who waits, where' grep -qE '^wait at collective +[0-9]' said
check 'and in what' grep -qE '^MPI_Allreduce +[0-9]' said
check_exit 2 'another format' "$timeless" replay a.tl -p star-1g --timeline a.png
cp err said
check 'the known ones are named' grep -q "a timeline ends in .csv, .json (Perfetto, Chrome) or .paje" said
check_exit 2 'an engine that tells none' "$timeless" replay a.tl -p star-1g --timeline a.csv --engine loggops --params L=1us,o=1us,g=1us,G=1ns,O=0ns
cp err said
check 'names the options that ask for it' grep -q "'loggops' does not record what each rank does when (--details, --timeline, timeless report)" said
check_exit 4 'nowhere to write' "$timeless" replay a.tl -p star-1g --timeline no/a.csv
check_exit 4 'no room for the states' env TMPDIR=/dev/null "$timeless" replay a.tl -p star-1g --timeline a.csv
tap_done
