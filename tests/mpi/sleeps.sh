#!/usr/bin/env bash
# sleeps.sh - what a program sleeps is recorded, and takes as long in every replay.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/mpi/tracer.sh"
compile sleeps
cd "$scratch" || exit 99
export TIMELESS_VOLUME=none
check "the program is recorded" record sleeps 2
cp out with.txt
without() { $MPIRUN -np 2 "$scratch/sleeps" >without.txt; }
check "the program runs without the tracer" without
check "what the system refuses fails as it does then: NULL, too" test "$(head -n 2 with.txt)" = "nanosleep: -1, Bad address
clock_nanosleep: Bad address"
check "sleeps with invalid times return the same as without the tracer" same_text without.txt cat with.txt
"$timeless" dump sleeps.tl >dump.txt
slept() { sed -n 's/^0 [0-9]* Sleep count=\([0-9]*\) .*/\1/p' dump.txt; }
within_ns() { awk -v got="$1" -v want="$2" -v by="$3" 'BEGIN {exit !(got >= want - by && got <= want + by)}' ||
    { echo "$1 ns, not $2"; slept; return 1; }; }
check "the sleeps of rank 0 are events" test "$(slept | wc -l)" = 14
check "usleep: the event has the requested time" test "$(slept | sed -n 1p)" = 2000000
check "nanosleep: the event has the requested time" test "$(slept | sed -n 2p)" = 3000000
check "clock_nanosleep: the event has the requested time" test "$(slept | sed -n 3p)" = 3000000
near_12() { awk -v got="$(slept | sed -n 4p)" 'BEGIN {exit !(got > 0 && got <= 12000000)}'; }
check "clock_nanosleep until a moment: the event ends at that moment or before" near_12
check "sleep: the event has the requested time" test "$(slept | sed -n 5p)" = 1000000000
early() { awk -v got="$(slept | sed -n "$1p")" 'BEGIN {exit !(got >= 200000000 && got < 5000000000)}' || { slept; return 1; }; }
check "a sleep that a signal ended: the event has the time that passed" early 6
check "a sleep of three centuries that a signal ended: the event has the time that passed" early 7
check "a sleep of the longest time that a signal ended: the event has the time that passed" early 8
check "a sleep that the system refused has no duration" test "$(slept | sed -n '9,14p' | sort -u)" = 0
check "sleeps between polls are no events" test "$(grep -c '^1 [0-9]* Sleep' dump.txt)" = 0
check "undump reads the sleeps of a dump" bash -c '"$0" undump dump.txt -o back.tl && "$0" dump back.tl | diff - dump.txt' "$timeless"

# A trace of 1.75 s of sleep on rank 0, before a message.
cat >sleep.txt <<'TXT'
timeless-text 1
ranks 2
volume_unit "none"
rank 0 host="h"
0 0 Sleep count=1500000000
0 1 Sleep count=250000000
0 2 MPI_Send count=1 type_bytes=8 peer=1 tag=0 comm=1
end finalized clock_ns=0
rank 1 host="h"
1 0 MPI_Recv count=1 type_bytes=8 peer=0 tag=0 comm=1
end finalized clock_ns=0
TXT
"$timeless" undump sleep.txt -o sleep.tl
mkdir p
cat >p/platform.xml <<'XML'
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="z" routing="Full">
<host id="n0" speed="1Gf"/><host id="n1" speed="1Gf"/>
<link id="l" bandwidth="1GBps" latency="1us"/><route src="n0" dst="n1"><link_ctn id="l"/></route>
</zone></platform>
XML
lasts() { local s; s=$("$timeless" replay sleep.tl -q "$@") && echo "$s s" && awk -v s="$s" 'BEGIN {exit !(s > 1.75 && s < 1.7502)}'; }
check "the SimGrid engine replays a sleep as a duration" lasts -p p
check "on hosts twice as fast a sleep has the same duration" lasts -p p --host-speed 2Gf
check "the LogGOPS engine replays a sleep as a duration" lasts --engine loggops --params 'L=1us,o=1us,g=1us,G=1ns,O=0ns,S=65536'
on_ideal_network() { "$timeless" replay sleep.tl -p p --details | awk '/^an ideal network/ {print $4}'; }
check "on an ideal network a sleep takes its time" equal "$(on_ideal_network)" 1.75
check "info counts sleeps" prints '~^ +2  Sleep$' "$timeless" info sleep.tl
check "a trace with sleeps is exported to SimGrid's text" "$timeless" export --to simgrid -o sg sleep.tl
check "SimGrid's text has the sleep in seconds" grep -rq '^0 sleep 1.5$' .
check "import reads the sleep of SimGrid's text" bash -c '"$0" import --from simgrid "$1" -o again.tl &&
    "$0" dump again.tl |
    grep -q "^0 [0-9]* Sleep count=250000000 "' "$timeless" sg/list.txt
check "a trace with sleeps is exported to GOAL" "$timeless" export --to goal -o sleep.goal sleep.tl
check "GOAL has the sleep in nanoseconds" grep -q 'calc 1500000000$' sleep.goal
tap_done
