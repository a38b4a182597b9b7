#!/usr/bin/env bash
# import of DUMPI's files, made by a writer of the test's own, and of GOAL's schedules.
. "$(dirname "$0")/../tap.sh"
cd "$scratch" || exit 99
python3 "$top_srcdir/tests/cli/dumpi_write.py" d || exit 99

# ---- DUMPI ----
dumpi() { "$timeless" import --from dumpi "$@"; }
# has TRACE LINE...: rank 1's dump has these lines
has() {
    local trace=$1 line; shift
    "$timeless" dump --rank 1 "$trace" >has.txt || return 1
    for line; do grep -qxF -- "$line" has.txt || { echo "lacks: $line"; cat has.txt; return 1; }; done
}
check 'a DUMPI trace with every call is imported' dumpi d/all.meta -o all.tl
check 'communicators have the members that all ranks report' has all.tl 'comm 3 parent=1 call=MPI_Comm_split members=[3,1]' \
    'comm 4 parent=3 call=MPI_Comm_dup members=[3,1]' 'comm 6 parent=1 call=MPI_Cart_create members=[0-3]' \
    '1 6 MPI_Comm_split comm=1 new_comm=0 volume=1000 site=0'
check 'a DUMPI trace with groups is imported' dumpi d/groups.meta -o groups.tl
check 'MPI_Comm_create has the members of included ranks, in their order' has groups.tl 'comm 3 parent=1 call=MPI_Comm_create members=[3,1]' \
    'comm 5 parent=1 call=MPI_Comm_create members=[3,1]' 'comm 6 parent=1 call=MPI_Comm_create members=[3,1]'
check 'MPI_Comm_create lacks the excluded ranks' has groups.tl 'comm 4 parent=1 call=MPI_Comm_create members=[1-3]' \
    'comm 7 parent=3 call=MPI_Comm_create members=[1]' 'comm 8 parent=1 call=MPI_Comm_create members=[1,2]'
check 'the trace with groups can be replayed' "$timeless" replay groups.tl -p "$top_srcdir/platforms/star-1g" --no-compute
check 'the volume is the CPU time between two calls' has all.tl '1 1 MPI_Irecv count=10 type_bytes=4 peer=0 tag=7 comm=1 request=1 volume=2300 site=0'
check 'failed polls are counted' has all.tl '1 3 MPI_Wait request=1 volume=1025 polls=1 site=0'
check 'a reduction with an operator that does not commute is marked' has all.tl '1 9 MPI_Allreduce count=3 type_bytes=8 comm=4 noncommutative=1 volume=2000 site=0'
check 'a datatype of datatypes has its size' has all.tl '1 11 MPI_Bcast count=2 type_bytes=56 peer=1 comm=6 volume=4000 site=0'
check 'a wildcard receive has its outcome, and one handle serves two sends' has all.tl '1 14 Match peer=0 tag=1 request=0 volume=0 site=0' \
    '1 17 Match peer=0 tag=1 request=3 volume=0 site=0' '1 18 MPI_Waitall list=[1,2,3] volume=1000 site=0'
check 'persistent requests are imported' has all.tl '1 23 MPI_Waitsome list=[2] volume=1000 site=0' '1 24 MPI_Waitany list=[1] volume=1000 site=0'
check 'MPI_PROC_NULL is imported as no partner' has all.tl '1 30 MPI_Send count=4 type_bytes=4 peer=null tag=5 comm=1 volume=1000 site=0'
check 'an alltoallw has the counts of all ranks' has all.tl '1 40 MPI_Alltoallw comm=1 list=[12,12,12,12,12,12,12,12] volume=1000 site=0' \
    '1 42 MPI_Reduce_scatter type_bytes=4 comm=1 list=[5,5,5,5] volume=1000 site=0'
check 'the wall clock counts from MPI_Init on' has all.tl '1 46 MPI_Finalize clock_ns=105750 volume=1000 site=0' 'end finalized clock_ns=105750'
check 'the imported trace can be replayed' "$timeless" replay all.tl -p "$top_srcdir/platforms/star-1g" --no-compute
check 'a list of files is imported as the meta file is' sh -c 'ls d/all-*.bin >d/list && "$1" import --from dumpi d/list -o list.tl && cmp list.tl all.tl' - "$timeless"
labelled() { "$timeless" info --json "$1" | grep -F "\"volume_source\": \"$2\"" && "$timeless" info --json "$1" | grep -F "\"volume_unit\": \"$3\""; }
check 'volumes of CPU time are labelled as such' labelled all.tl import:dumpi:clock-cpu cpu-ns
check 'a trace with wall clocks only is imported' sh -c '"$1" import --from dumpi d/wall.meta -o wall.tl' - "$timeless"
check 'volumes of wall time are labelled as such' labelled wall.tl import:dumpi:clock-wall cpu-ns
check 'a trace without clocks is imported' sh -c '"$1" import --from dumpi d/timeless.meta -o none.tl' - "$timeless"
check 'a trace without clocks has no volumes' labelled none.tl import:dumpi:none none
check 'a hardware counter and a rate are imported' dumpi d/counted.meta --volume PAPI_TOT_INS --rate 2 -o counted.tl
check 'a hardware counter is labelled in instructions' labelled counted.tl 'import:dumpi:PAPI_TOT_INS, rate 2' instructions
check 'volumes are the differences of the hardware counter' has counted.tl '1 2 MPI_Send count=10 type_bytes=4 peer=2 tag=7 comm=1 volume=6280 site=0'
check 'sizes of datatypes come from the table of sizes' dumpi d/sized.meta -o sized.tl
check 'a run without an end is imported as exited' sh -c '"$1" dump sized.tl 2>/dev/null | grep "^end exited" && "$1" dump sized.tl 2>/dev/null | grep "type_bytes=12"' - "$timeless"
dumpi_refused() { refused 3 "~^timeless: $2.*; " dumpi "$1" -o no.tl; } # FILE REGEX
check 'one-sided communication is refused' dumpi_refused d/put.meta \
    'd/put-0001.bin: .*MPI_Put \(2 calls, first by rank 1\), MPI_Win_fence \(1 '
check 'calls that were not recorded are refused' dumpi_refused d/ignored.meta 'd/ignored-0000.bin: .*MPI_Isend \(12 calls'
check 'ranks that disagree on a collective are refused' dumpi_refused d/unlike.meta 'd/unlike-0001.bin:[0-9]+: rank 1 calls MPI_Comm_dup'
check 'a datatype without a size is refused' dumpi_refused d/unsized.meta 'd/unsized-0000.bin:16: MPI_Send'
check 'a union as the group of MPI_Comm_create is refused' dumpi_refused d/united.meta 'd/united-0001.bin:[0-9]+: MPI_Comm_create'
for spoilt in outside twice; do
    check "a group of ranks that do not exist is refused: $spoilt" dumpi_refused d/$spoilt.meta "d/$spoilt-0001.bin:[0-9]+: MPI_Comm_create"
done
for spoilt in without null swapped; do
    check "groups that are not the same are refused: $spoilt" dumpi_refused d/$spoilt.meta \
        "d/$spoilt-000[01].bin:[0-9]+: rank [01] .*MPI_Comm_create"
done
check 'groups that were not recorded are refused' dumpi_refused d/lost.meta 'd/lost-0001.bin: .*MPI_Group_incl \(1 calls'
check 'an old version of DUMPI is refused' dumpi_refused d/old.meta 'd/old-0000.bin: has version 0.6.8'
head -c 900 d/all-0002.bin >short; mv short d/all-0002.bin
check 'a truncated DUMPI file is refused' dumpi_refused d/all.meta 'd/all-0002.bin: '
echo d/all.meta >text.list
check 'a text is refused as a DUMPI file' dumpi_refused text.list 'd/all.meta: is not a binary file'
check_exit 4 'a meta file that does not exist exits with 4' dumpi d/nothing.meta -o no.tl
check_exit 3 'a counter that the trace lacks exits with 3' dumpi d/counted.meta --volume PAPI_L2_DCM -o no.tl
check_exit 2 'a negative rate exits with 2' dumpi d/wall.meta --rate -1 -o no.tl
check_exit 2 'a rate with --from goal exits with 2' "$timeless" import --from goal --rate 2 x.goal -o no.tl

# ---- GOAL ----
cat >a.goal <<'END'
// a root, a rank that waits late, one that waits at once
num_ranks 3
rank 0 {
first: calc 100 cpu 0
l2: send 80b to 1 tag 3 cpu 0 nic 0
l2 requires first
l3: send 8b to 2
l3 requires first
}
rank 1 {
c: calc 7
a: recv 80b from 0 tag 3
d: calc 9
c irequires a
d requires a
d requires c
}
rank 2 { l1: recv 8b from 0 calc 5 }
END
cat >a.expected <<'END'
0 0 MPI_Init clock_ns=0 volume=0 site=0
0 1 MPI_Isend count=80 type_bytes=1 peer=1 tag=3 comm=1 request=1 volume=100 site=0
0 2 MPI_Isend count=8 type_bytes=1 peer=2 tag=0 comm=1 request=2 volume=0 site=0
0 3 MPI_Waitall list=[1,2] volume=0 site=0
0 4 MPI_Finalize clock_ns=0 volume=0 site=0
1 0 MPI_Init clock_ns=0 volume=0 site=0
1 1 MPI_Irecv count=80 type_bytes=1 peer=0 tag=3 comm=1 request=1 volume=0 site=0
1 2 MPI_Wait request=1 volume=7 site=0
1 3 MPI_Finalize clock_ns=0 volume=9 site=0
2 0 MPI_Init clock_ns=0 volume=0 site=0
2 1 MPI_Irecv count=8 type_bytes=1 peer=0 tag=0 comm=1 request=1 volume=0 site=0
2 2 MPI_Wait request=1 volume=5 site=0
2 3 MPI_Finalize clock_ns=0 volume=0 site=0
END
check 'GOAL schedules of three ranks are imported' "$timeless" import --from goal a.goal -o a.tl
check 'GOAL operations become MPI calls' sh -c '"$1" dump a.tl | grep "^[0-9]" | diff -u a.expected -' - "$timeless"
"$timeless" export --to goal a.tl -o b.goal && "$timeless" import --from goal b.goal -o b.tl &&
    "$timeless" export --to goal b.tl -o c.goal && "$timeless" import --from goal c.goal -o c.tl
check 'export to GOAL and import again give the same calls and schedules' sh -c \
    'for t in a b c; do "$1" dump $t.tl | grep "^[0-9]" >$t.txt; done; diff -u b.txt c.txt && "$1" export --to goal c.tl -o d.goal && cmp c.goal d.goal' - "$timeless"
star=$top_srcdir/platforms/star-1g
check 'export to GOAL and import again give the same makespan' equal "$(makespan a.tl -p "$star")" "$(makespan c.tl -p "$star")"
# goal_refused PATTERN LINE...: a schedule of rank 0 of 2
goal_refused() {
    local pattern=$1; shift
    { printf '%s\n' 'num_ranks 2' 'rank 0 {' "$@" '}' 'rank 1 {' '}'; } >bad.goal
    refused 3 "~^timeless: bad.goal:$pattern.*; " "$timeless" import --from goal bad.goal -o no.tl
}
check 'GOAL: two chains that do not wait for each other are refused' goal_refused "[0-9]: '[bd]' does not require what '[bd]'" \
    'a: recv 8b from 1 tag 0' 'b: calc 5' 'b requires a' 'c: recv 8b from 1 tag 1' 'd: calc 5' 'd requires c'
check 'GOAL: a circular dependency is refused' goal_refused '[34]: requires itself' 'a: calc 1' 'b: calc 2' 'a requires b' 'b requires a'
check 'GOAL: a dependency on an unknown label is refused' goal_refused "4: no operation has the label 'x'" 'a: calc 1' 'a requires x'
check 'GOAL: a label that is given twice is refused' goal_refused "4: a label that is there twice: 'a'" 'a: calc 1' 'a: calc 1'
check 'GOAL: a second CPU is refused' goal_refused "3: 'a': a rank of a trace has one CPU" 'a: calc 1 cpu 1'
check 'GOAL: a partner beyond the last rank is refused' goal_refused "3: no rank: '2'" 'a: send 1b to 2'
check 'GOAL: an unknown operation is refused' goal_refused "3: no operation of GOAL: 'sleep'" 'a: sleep 1'
tap_done
