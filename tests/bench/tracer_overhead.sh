#!/usr/bin/env bash
# tracer_overhead.sh - what the tracer costs.
#
#     tests/bench/tracer_overhead.sh [PAIRS [N]]        (from the build folder, after make)
#
# 1. CPU nanoseconds per call: bare, under an empty PMPI interposer, under the tracer by volume source.
# 2. hpcc of size N (default 1000) on 2x2 ranks: PAIRS (default 5) alternating runs without and with
#    the tracer, wall seconds, and the median of the ratios.
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}" "${top_builddir:=$PWD}"
. "$top_srcdir/tests/tap.sh"
pairs=${1:-5} n=${2:-1000}
tracer=$top_builddir/tracer/.libs/libtimeless-tracer.so
export TIMELESS_QUIET=1 TIMELESS_OUTPUT=$scratch/bench.tl
[ -r "$tracer" ] || { echo "$tracer: not there; run from the build folder after make" >&2; exit 4; }

$MPICC -O2 -o "$scratch/call_cost" "$top_srcdir/tests/bench/call_cost.c"
$MPICC -O2 -fPIC -shared -o "$scratch/empty.so" "$top_srcdir/tests/bench/empty_pmpi.c"
cost() { "$MPIRUN" -np 1 "$scratch/call_cost"; }
cost >"$scratch/none"
LD_PRELOAD=$scratch/empty.so cost >"$scratch/empty"
columns='bare empty-interposer'
files="$scratch/none $scratch/empty"
for source in none rseq perf cputime; do
    LD_PRELOAD=$tracer TIMELESS_VOLUME=$source cost >"$scratch/$source.cost"
    columns="$columns tracer:$source"
    files="$files $scratch/$source.cost"
done
echo "CPU ns per loop body"
{ echo "body $columns"; paste -d' ' $files | awk '{print $1, $2, $4, $6, $8, $10, $12}'; } | column -t

bash "$top_srcdir/tests/hpcc_input.sh" "$n" 2 2 40 >"$scratch/hpccinf.txt"
cd "$scratch"
milliseconds() {
    local start end
    rm -f hpccoutf.txt
    start=$(date +%s%N)
    "$@" "$MPIRUN" -np 4 "$HPCC" >/dev/null || echo "hpcc failed" >&2
    end=$(date +%s%N)
    grep -q '^Success=1' hpccoutf.txt || echo "hpcc's checks failed" >&2
    echo $(((end - start) / 1000000))
}
echo; echo "hpcc N=$n 2x2, wall ms: without, with the tracer, ratio"
for ((i = 0; i < pairs; i++)); do
    without=$(milliseconds env)
    with=$(milliseconds env LD_PRELOAD="$tracer")
    awk -v a="$without" -v b="$with" 'BEGIN {printf "%d %d %.3f\n", a, b, b / a}' | tee -a ratios
done
awk '{print $3}' ratios | sort -n | awk '{r[NR] = $1} END {print "median ratio", NR % 2 ? r[(NR + 1) / 2] : (r[NR / 2] + r[NR / 2 + 1]) / 2}'
"$timeless" info bench.tl | head -n 20
