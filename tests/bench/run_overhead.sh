#!/usr/bin/env bash
# run_overhead.sh - what the tracer adds to whole runs: a stencil, from a halo that is all latency to one
# beside much computation; one whose halo takes half of the time by its bytes; and HPL.
#
#     tests/bench/run_overhead.sh [PAIRS [N]]        (from the build folder, after make)
#
# On 2 ranks: PAIRS (default 9) times a run without, one with the tracer, one without, in turns the traced
# one second or first; the program's own seconds.  A line for each program: the least seconds; MPI calls a
# second and rank, and the share of time in MPI, both of a traced run (the tracer's own time counts as
# MPI's); what the calls of the untraced run would add at the cost of a call, which call_cost tells for the
# calls of a halo; median, least and greatest ratio of traced to untraced, and of the two untraced runs of
# each round: what other load and chance do.  (Calls of hpcc are not HPL's alone: left out.)  About 4
# minutes.
#
# RANK_PREFIX, for instance 'chrt -f 1' (before all other processes, as root), starts each rank: for a
# machine that is not quiet.
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}" "${top_builddir:=$PWD}"
. "$top_srcdir/tests/tap.sh"
pairs=${1:-9} n=${2:-2000}
tracer=$top_builddir/tracer/.libs/libtimeless-tracer.so
export TIMELESS_QUIET=1 TIMELESS_OUTPUT=$scratch/bench.tl
[ -r "$tracer" ] || { echo "$tracer: not there; run from the build folder after make" >&2; exit 4; }
build() { $MPICC -O3 -march=native -I"$top_srcdir/tracer" -o "$scratch/$1" "$top_srcdir/tests/bench/$2" "${@:3}"; }
build call_cost call_cost.c
build stencil stencil.c
build stencil16x4 stencil.c -DFIELDS=16 -DWIDTH=4
bash "$top_srcdir/tests/hpcc_input.sh" "$n" 1 2 100 >"$scratch/hpccinf.txt"
cd "$scratch" || exit 4

# ranks N COMMAND...: with the tracer if `traced` is set
ranks() {
    # shellcheck disable=SC2086
    "$MPIRUN" -np "$1" ${traced:+-x LD_PRELOAD="$tracer"} ${RANK_PREFIX:-} "${@:2}"
}
# stencil POINTS: about half a second, as many steps as that takes
stencil() { ranks 2 ./stencil "$1" $((500000000 / (4000 + $1 * $1))); }
stencil16x4() { ranks 2 ./stencil16x4 "$1" $((1000000000 / (40000 + 50 * $1 * $1))); }
# HPL's seconds, from the speed, which it prints with more digits.
hpl() {
    rm -f hpccoutf.txt
    ranks 2 "$HPCC" >hpcc.log 2>&1
    awk '/^W[RC]/ {print $2 * $2 * (2 / 3 * $2 + 3 / 2) / $7 / 1e9}' hpccoutf.txt
}
# ratios COLUMN OTHER: of the columns of `runs`
ratios() {
    awk -v a="$1" -v b="$2" '{print $b / $a}' runs | sort -g |
        awk '{r[NR] = $1} END {m = NR % 2 ? r[(NR + 1) / 2] : (r[NR / 2] + r[NR / 2 + 1]) / 2
            printf "%.3f (%.3f to %.3f)", m, r[1], r[NR]}'
}
# Rank 0's row of info: its MPI calls, its seconds, and the share of these that is no volume
# (of HPL, kernels are neither).
info() { "$timeless" info bench.tl | awk '$1 == "0" && NF > 3 && $4 > 0 {print $2, $4, 1 - $3 / 1e9 / $4; exit}'; }
# What the tracer adds to a call in a halo, in seconds.
cost() { ranks 1 ./call_cost 50000 halo | awk '{print $3 / $2 * 1e-9}'; }
call_s=$(echo "$(cost) $(traced=1 cost)" | awk '{print $2 - $1}')
awk -v s="$call_s" 'BEGIN {printf "a call in a halo costs %.0f ns more when traced\n", 1e9 * s}'

row='%-30s %8s %9s %5s %7s  %-22s %s\n'
# shellcheck disable=SC2059
printf "$row" program seconds calls/s MPI 'x cost' traced/untraced untraced/untraced
for program in 'stencil 16' 'stencil 64' 'stencil 128' 'stencil 256' 'stencil 1024' 'stencil16x4 32' \
    'stencil16x4 48' 'stencil16x4 64' hpl; do
    : >runs
    for ((i = 0; i < pairs; i++)); do
        if [ $((i % 2)) -eq 0 ]; then
            first=$($program) with=$(traced=1 $program)
        else
            with=$(traced=1 $program) first=$($program)
        fi
        echo "$first $with $($program)" >>runs
    done
    least=$(awk '{print $1}' runs | sort -g | head -n 1)
    info | awk -v program="$program" -v least="$least" -v call_s="$call_s" -v row="$row" \
        -v with="$(ratios 1 2)" -v without="$(ratios 1 3)" '{
        split(program, p)
        stencil = p[1] != "hpl"
        name = !stencil ? "hpl" : sprintf("%s, %d points", p[1] == "stencil" ? p[1] : "16 values, 4 wide", p[2])
        printf row, name, sprintf("%.4f", least), sprintf("%.0f", $1 / $2), stencil ? sprintf("%.2f", $3) : "-",
            stencil ? sprintf("%.3f", 1 + $1 * call_s / least) : "-", with, without}'
done
