#!/usr/bin/env bash
# Mistakes of habit get an answer that names the mistake.
. "$(dirname "$0")/../tap.sh"
cd "$scratch" || exit 1
export TIMELESS_PLATFORMS=$top_srcdir/platforms
cat >small.xml <<'END'
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="n" suffix="" radical="0-1" speed="1Gf" core="2" bw="1GBps" lat="1us"/>
</platform>
END
"$timeless" make ring --ranks 8 -o ring.tl || exit 99

# answers CODE PATTERN OPTION...: the exit code, and one line of text that has the pattern
answers() {
    local code=$1 pattern=$2 got; shift 2
    "$timeless" "$@" >said 2>&1 </dev/null; got=$?
    cat said; echo "exit code $got"; [ $got = "$code" ] && grep -q -e "$pattern" said
}

check 'more ranks than cores: the result has a warning' answers 0 '^warning  *8 ranks share 4 cores$' replay ring.tl -p small.xml --ranks-per-host 4
check 'more ranks than cores: the JSON has it' sh -c '"$0" replay ring.tl -p small.xml --ranks-per-host 4 --json |
    python3 -c "import json, sys; assert json.load(sys.stdin)[\"crowded\"] == {\"ranks\": 8, \"cores\": 4}"' "$timeless"
printf '%s\n' n0:5 n1:2 n1:1 >hosts
check 'ranks that share cores on one of the hosts' answers 0 '^warning  *8 ranks share 4 cores$' replay ring.tl -p small.xml --hostfile hosts
check 'LogGOPS: the same warning' answers 0 '^warning  *8 ranks share 4 cores$' replay ring.tl -p small.xml --hostfile hosts \
    --engine loggops --params L=5us,o=2us,g=2us,G=2.5ns,O=1ns
printf '%s\n' 'timeless-text 1' 'ranks 2' 'volume_unit "cpu-ns"' 'rank 0 host="h"' '0 0 MPI_Wtime clock_ns=0 volume=1000000' 'end cut clock_ns=0' \
    'rank 1 host="h"' '1 0 MPI_Wtime clock_ns=0 volume=1000000' 'end cut clock_ns=0' | "$timeless" undump - -o busy.tl
printf '%s\n' n0:1 n1:1 >apart && echo n0:100 >hosts_n0 && sed 's/core="[0-9]*"/core="1"/' small.xml >one.xml
check 'LogGOPS: ranks that compute on the same core are not modelled, and the result says so' \
    answers 0 '^not modelled  *ranks that share a core' replay busy.tl -p one.xml --hostfile hosts_n0 --model "$top_srcdir/platforms/local/model.conf" --engine loggops
check '... as does a warning' answers 0 'warning: .*the engine loggops lets each of the 2 ranks that share 1 core compute as if' \
    replay busy.tl -p one.xml --hostfile hosts_n0 --model "$top_srcdir/platforms/local/model.conf" --engine loggops
check '... not if each has a core' sh -c '"$0" replay busy.tl -p one.xml --hostfile apart --model "$1" --engine loggops >said && ! grep "not modelled" said' \
    "$timeless" "$top_srcdir/platforms/local/model.conf"
"$timeless" make ring --ranks 4 -o four.tl || exit 99
check 'a core for each rank: no warning' sh -c '"$0" replay four.tl -p small.xml >said && ! grep warning said' "$timeless"

# A job that was killed before anything was written: the header of a trace, and nothing else.
cat >none.c <<'END'
#include <timeless.h>
int main(void)
{
    tl_error err;
    tl_run run = {.n_ranks = 4, .volume_unit = "none", .volume_source = "none", .program = "app", .mpi_library = "", .writer = "test"};
    return tl_trace_create("none.tl", &run, &err) ? 1 : 0;
}
END
gcc $SANITIZE -I"$top_srcdir/compress" none.c -o none -L"$top_builddir/compress/.libs" -ltimeless && LD_LIBRARY_PATH=$top_builddir/compress/.libs ./none || exit 99
check 'a trace without events: replay says so' answers 3 'none.tl: contains no events: the run ended before' replay none.tl -p small.xml
check 'a trace without events: info says so' answers 3 'none.tl: contains no events' info none.tl

check 'replay -h prints the help' answers 0 'Platform and placement of the ranks' replay -h
check 'replay TRACE -h prints the help' answers 0 'Platform and placement of the ranks' replay ring.tl -h
check 'info -h prints the help' answers 0 'Usage: timeless info' info -h
check 'record -h prints the help' answers 0 'Usage: timeless record' record -h
check 'replay -h FILE: the message names --hostfile' answers 2 "^timeless: -h hosts: is not an option; .*--hostfile" replay ring.tl -p small.xml -h hosts

check 'a platform that is no XML file' answers 3 '^timeless: hosts: is a file, but not an XML file' replay ring.tl -p hosts
check 'a platform that does not exist' answers 3 '^timeless: smal.xml: is no file and no folder' replay ring.tl -p smal.xml
mkdir folder
check 'a folder without platform.xml' answers 3 '^timeless: ./folder: is a folder without a platform.xml' replay ring.tl -p ./folder
check 'the platform in the place of the trace' answers 3 '^timeless: small.xml:0: is an XML file, .*--platform=small.xml' replay small.xml -p star-1g
check 'an installed platform in the place of the trace' answers 3 '^timeless: star-1g: is a platform, not a trace; give it by --platform=star-1g' replay star-1g -p ring.tl
two_platforms() { "$timeless" replay ring.tl -p star-1g -p fat-tree 2>&1 >/dev/null | grep -qxF "timeless: warning: --platform 'star-1g' is not used, because 'fat-tree' follows; 'timeless report' compares several"; }
check 'two platforms: the last one counts, with a warning' two_platforms
check 'the same platform twice' answers 0 '^makespan' replay ring.tl -p small.xml -p small.xml --ranks-per-host 4
check '--seeds without anything random' answers 0 'warning: --seeds: nothing in this replay is random' replay ring.tl -p small.xml --ranks-per-host 4 --seeds 3
check '--seeds with noise: no warning' sh -c '"$0" replay ring.tl -p small.xml --ranks-per-host 4 --seeds 3 --noise 1kHz:100us >said 2>&1 && ! grep "nothing in this" said' "$timeless"
check 'a folder in the place of the trace' answers 3 '^timeless: folder: is a folder without a text trace' replay folder -p star-1g
check 'a folder of calibrations that is a file' answers 3 '^timeless: small.xml: is a file; ' compare --history small.xml
check 'instructions on an XML file without a model' answers 3 'hpl-4.tl: contains computation in .*, but the platform has no compute model' \
    replay "$top_srcdir/traces/hpl-4.tl" -p small.xml
tap_done
