#!/usr/bin/env bash
# call_instructions.sh - instructions that a recorded MPI call executes, MPI's own included, counted in
# an emulator: a busy machine changes nothing.
#
#     tests/bench/call_instructions.sh [TRACER.so...]        (from the build folder, after make)
#
# One line for each body of call_cost.c: instructions per call without a volume source, under each
# tracer.  Give the tracer of another build to compare two versions.
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}" "${top_builddir:=$PWD}"
. "$top_srcdir/tests/tap.sh"
[ $# -gt 0 ] || set -- "$top_builddir/tracer/.libs/libtimeless-tracer.so"
export TIMELESS_QUIET=1 TIMELESS_OUTPUT=$scratch/bench.tl TIMELESS_VOLUME=none
$MPICC -O2 -o "$scratch/call_cost" "$top_srcdir/tests/bench/call_cost.c"
few=500 many=2500 rounds=7 # of call_cost.c

instructions() { # TRACER N BODY
    LD_PRELOAD=$1 valgrind --tool=callgrind --callgrind-out-file=/dev/null "$scratch/call_cost" "$2" "$3" 2>&1 |
        awk '/Collected/ {print $4}'
}
for body in Iprobe/1 Send+Recv/2 Isend+Irecv+2Wait/4 Isend+Irecv+Waitall/3 halo/9 Allreduce/1; do
    printf '%s' "${body%/*}"
    for tracer; do
        printf ' %d' $((($(instructions "$tracer" $many "${body%/*}") - $(instructions "$tracer" $few "${body%/*}")) / ((many - few) * rounds * ${body#*/})))
    done
    echo
done
