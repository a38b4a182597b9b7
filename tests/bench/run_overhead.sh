#!/usr/bin/env bash
# run_overhead.sh - what the tracer adds to whole runs: a stencil, from a halo that is all latency to one
# beside much computation, and HPL.
#
#     tests/bench/run_overhead.sh [PAIRS [N]]        (from the build folder, after make)
#
# On 2 ranks: PAIRS (default 9) times a run without, one with the tracer, one without; the program's own
# seconds.  A line for each program: MPI calls a second and rank, and the share of time in MPI, both of a
# traced run (the tracer's own time counts as MPI's); median, least and greatest ratio of traced to
# untraced, and of the two untraced runs of each round: what other load and chance do.  About 4 minutes.
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}" "${top_builddir:=$PWD}"
. "$top_srcdir/tests/tap.sh"
pairs=${1:-9} n=${2:-2000}
tracer=$top_builddir/tracer/.libs/libtimeless-tracer.so
export TIMELESS_QUIET=1 TIMELESS_OUTPUT=$scratch/bench.tl
[ -r "$tracer" ] || { echo "$tracer: not there; run from the build folder after make" >&2; exit 4; }
$MPICC -O2 -I"$top_srcdir/tracer" -o "$scratch/stencil" "$top_srcdir/tests/bench/stencil.c"
bash "$top_srcdir/tests/hpcc_input.sh" "$n" 1 2 100 >"$scratch/hpccinf.txt"
cd "$scratch" || exit 4

# stencil POINTS [MPIRUN-ARGUMENTS...]: about half a second, as many steps as that takes
stencil() {
    local points=$1; shift
    "$MPIRUN" -np 2 "$@" ./stencil "$points" $((500000000 / (4000 + points * points)))
}
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
            printf "%.3f (%.3f to %.3f)", m, r[1], r[NR]}'
}
# rank 0's row of info: its MPI calls a second, and the share of its clock that is no volume
# (of HPL, kernels are neither)
rates() {
    "$timeless" info bench.tl | awk '$1 == "0" && NF > 3 && $4 > 0 {
        printf "%.0f %.2f\n", $2 / $4, 1 - $3 / 1e9 / $4; exit}'
}
row='%-24s %9s %10s %6s  %-24s %s\n'
# shellcheck disable=SC2059
printf "$row" program seconds calls/s 'MPI' traced/untraced untraced/untraced
for program in 'stencil 16' 'stencil 64' 'stencil 128' 'stencil 256' 'stencil 1024' hpl; do
    : >runs
    for ((i = 0; i < pairs; i++)); do
        echo "$($program) $($program -x LD_PRELOAD="$tracer") $($program)" >>runs
    done
    read -r calls share <<<"$(rates)"
    [ "$program" != hpl ] || share=-
    # shellcheck disable=SC2059
    printf "$row" "${program/stencil/stencil, points a side:}" \
        "$(awk '{print $1}' runs | sort -g | head -n 1)" "$calls" "$share" "$(ratios 1 2)" "$(ratios 1 3)"
done
