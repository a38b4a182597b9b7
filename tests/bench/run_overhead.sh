#!/usr/bin/env bash
# run_overhead.sh - what the tracer adds to whole runs: a stencil that communicates most of its time, and HPL.
#
#     tests/bench/run_overhead.sh [PAIRS [STEPS [N]]]        (from the build folder, after make)
#
# On 2 ranks: PAIRS (default 11) times a run without, one with the tracer, one without; the program's own
# seconds.  Prints median, least and greatest ratio of traced to untraced, and of the two untraced runs
# of each round: what other load and chance do.
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}" "${top_builddir:=$PWD}"
. "$top_srcdir/tests/tap.sh"
pairs=${1:-11} steps=${2:-40000} n=${3:-2000}
tracer=$top_builddir/tracer/.libs/libtimeless-tracer.so
export TIMELESS_QUIET=1 TIMELESS_OUTPUT=$scratch/bench.tl
[ -r "$tracer" ] || { echo "$tracer: not there; run from the build folder after make" >&2; exit 4; }
$MPICC -O2 -o "$scratch/stencil" "$top_srcdir/tests/bench/stencil.c"
bash "$top_srcdir/tests/hpcc_input.sh" "$n" 1 2 100 >"$scratch/hpccinf.txt"
cd "$scratch" || exit 4

stencil() { "$MPIRUN" -np 2 "$@" ./stencil 64 "$steps"; }
# The seconds that HPL prints itself.
hpl() {
    rm -f hpccoutf.txt
    "$MPIRUN" -np 2 "$@" "$HPCC" >hpcc.log 2>&1
    awk '/^W[RC]/ {print $6}' hpccoutf.txt
}
# ratios COLUMN OTHER: of the columns of `runs`
ratios() {
    awk -v a="$1" -v b="$2" '{print $b / $a}' runs | sort -g |
        awk '{r[NR] = $1} END {m = NR % 2 ? r[(NR + 1) / 2] : (r[NR / 2] + r[NR / 2 + 1]) / 2
            printf "median %.4f, least %.4f, greatest %.4f\n", m, r[1], r[NR]}'
}
for program in stencil hpl; do
    : >runs
    for ((i = 0; i < pairs; i++)); do
        echo "$($program) $($program -x LD_PRELOAD="$tracer") $($program)" >>runs
    done
    echo "$program: $(awk '{print $1}' runs | sort -g | head -n 1) s untraced at best," \
        "$("$timeless" info bench.tl | awk '$1 == "events" {print $2; exit}') events"
    echo "    traced / untraced    $(ratios 1 2)"
    echo "    untraced / untraced  $(ratios 1 3)"
done
