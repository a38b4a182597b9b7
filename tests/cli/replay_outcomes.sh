#!/usr/bin/env bash
# timeless replay: what came out of a call in the run comes out of it in the replay.
. "$(dirname "$0")/../tap.sh"
tracer=$top_builddir/tracer/.libs/libtimeless-tracer.so
export TIMELESS_QUIET=1 TIMELESS_VOLUME=none
cd "$scratch" || exit 99
mkdir p
cat >p/platform.xml <<'XML'
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="z" routing="Full">
<host id="n0" speed="1Gf"/><host id="n1" speed="1Gf"/>
<link id="l" bandwidth="1GBps" latency="10us"/><route src="n0" dst="n1"><link_ctn id="l"/></route>
</zone></platform>
XML
printf '%s\n' 'reference_flops = 1e9;' 'units = ({unit = "none"; seconds_per_unit = 0;});' >p/model.conf
params="L=5us,o=1us,g=1us,G=1ns,O=0ns,S=65536"
$MPICC -O1 -o outcomes "$top_srcdir/tests/cli/replay_outcomes.c" || { tap_result 'not ok' "compile replay_outcomes.c"; tap_done; exit 1; }

recorded() { timeout 60 "$timeless" record -o "$1.tl" -- $MPIRUN -np 2 ./outcomes "$@" </dev/null; }
replayed() { timeout 60 "$timeless" replay "$1.tl" -p p -q >"$1.s"; }
replayed_loggops() { timeout 60 "$timeless" replay "$1.tl" --engine loggops --params "$params" -q >"$1.s"; }
longer_than() { awk -v least="$2" '{exit !($1 > least)}' "$1.s" || { cat "$1.s"; return 1; }; }
events_of() { "$timeless" dump "$1.tl" 2>/dev/null | grep -c "$2"; }
all_modelled() { "$timeless" replay "$1.tl" -p p --json - 2>/dev/null >/dev/null; "$timeless" replay "$1.tl" -p p 2>&1 |
    grep -i 'not modelled' && return 1; return 0; }

# name: what the program does
while read -r name what; do
    check "$what: record it" recorded "$name"
    check "$what: it can be replayed" replayed "$name"
    check "$what: every call is modelled" all_modelled "$name"
    check "$what: and by the LogGOPS engine" replayed_loggops "$name"
done <<'CASES'
idup MPI_Comm_idup that others enter later
cancel a cancel that comes too late
taken a cancel that succeeds
nobody receives of MPI_MESSAGE_NO_PROC
alltoallv MPI_Alltoallv with elements of no bytes on one side
alltoallw MPI_Alltoallw with elements of no bytes on one side
truncated receives of messages that are too long
wrong calls whose arguments are wrong
CASES
check "each error that truncates a message is recorded with its class" test "$(events_of truncated 'Error tag=1[58] ')" = 6
check "calls that did nothing are no events" test "$(events_of wrong 'Error\|MPI_Send')" = 0
check "the late cancel took a message in the replay, too" longer_than cancel 1e-3

# The match before a blocking receive from any source names rank 2, which sends after a second; rank 1 sleeps for another one.
cat >blocking.txt <<'TRACE'
timeless-text 1
ranks 3
rank 0 host="h"
0 0 Match peer=2 tag=7 request=0
0 1 MPI_Recv count=1 type_bytes=1 peer=any tag=7 comm=1
0 2 MPI_Send count=1 type_bytes=1 peer=1 tag=7 comm=1
0 3 MPI_Recv count=1 type_bytes=1 peer=1 tag=7 comm=1
end cut clock_ns=0
rank 1 host="h"
1 0 MPI_Send count=1 type_bytes=1 peer=0 tag=7 comm=1
1 1 MPI_Recv count=1 type_bytes=1 peer=0 tag=7 comm=1
1 2 Sleep count=1000000000
end cut clock_ns=0
rank 2 host="h"
2 0 Sleep count=1000000000
2 1 MPI_Send count=1 type_bytes=1 peer=0 tag=7 comm=1
end cut clock_ns=0
TRACE
two_seconds() { "$timeless" replay blocking.tl -p p --ranks-per-host 2 -q "$@" >blocking.s &&
    awk '{exit !($1 > 2 && $1 < 2.001)}' blocking.s; }
check 'a text trace of a blocking receive with a match' "$timeless" undump blocking.txt -o blocking.tl
check 'smpi: the receive takes the message that its match names' two_seconds
check 'loggops: the receive takes the message that its match names' two_seconds --engine loggops

# One epoch of N gets: what SimGrid looks at grows as N does; its own wait for all grows with the square, 15 times for 4 times N.
looks_of() { # N: how many times SimGrid takes hold of an activity in a replay of N gets
    timeout 60 "$timeless" record -o "get$1.tl" -- $MPIRUN -np 2 ./outcomes gets "$1" </dev/null 2>/dev/null &&
        COUNTED=$1.count LIBSIMGRID=$libsimgrid LD_PRELOAD=$PWD/count.so timeout 300 "$timeless" replay "get$1.tl" -p p -q >/dev/null &&
        od -An -tu8 "$1.count"
}
grows_linearly() {
    local few many libsimgrid
    libsimgrid=$(basename "$(readlink -f "$(${CC:-gcc} -print-file-name=libsimgrid.so)")")
    ${CC:-gcc} -shared -fPIC -o count.so -I"$top_builddir" "$top_srcdir/tests/cli/count_activities.c" -ldl &&
        few=$(looks_of 1000) && many=$(looks_of 4000) || return
    echo "1,000 gets: $few, 4,000: $many"
    [ "$few" -ge 1000 ] && [ "$many" -lt $((5 * few)) ]
}
name='for 4,000 MPI_Get in one epoch, SimGrid looks at no more than 5 times as many activities as for 1,000'
if [ "$(simgrid_version)" = 332 ]; then check "$name" grows_linearly
else skip "$name" 'this version of SimGrid has not the part that makes long waits fast (replayer/smpi/shims/waitall.c)'; fi
tap_done
