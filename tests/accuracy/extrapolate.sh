#!/usr/bin/env bash
# extrapolate.sh - traces of 4, 16 and 64 ranks out of recordings of fewer, beside recordings of as many.
#
#     tests/accuracy/extrapolate.sh        (from the build folder, after make; some minutes)
#
# Each program runs on 4, 16 and 64 ranks, however many cores there are.  A row says how many events
# differ (in more than volumes, polls, clocks), and the makespans of both traces in the LogGOPS model, first
# without computation, then with the CPU time that was recorded: folded runs measure it with noise.
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}" "${top_builddir:=$PWD}"
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/cli/like.sh"
cd "$scratch" || exit 99
export TIMELESS_PLATFORMS=$top_srcdir/platforms
params=L=5us,o=2us,g=2us,G=2.5ns,O=1ns

"$MPICC" -O2 -o patterns "$top_srcdir/tests/bench/patterns.c" &&
    "$MPICC" -O2 -I"$top_srcdir/tracer" -o stencil "$top_srcdir/tests/bench/stencil.c" || exit 1
makespan() { "$timeless" replay "$1" --engine loggops --params $params -p star-1g -q "${@:2}"; }
events() { told "$1" | grep -cE '^[0-9]+ [0-9]+ '; }
extrapolate() { # FROM TO OUT GRID
    "$timeless" extrapolate -q "$1" -n "$2" -o "$3" ${4:+--process-grid "$4"} || exit 1
}
printf '%-12s %-14s %9s %9s %12s %12s %7s %10s %10s %7s\n' \
    program ranks events differing 'recorded s' 'extrap. s' % 'with comp.' 'extrap. s' %
row() { # PROGRAM WAY RECORDED EXTRAPOLATED
    local n differing a b c d
    n=$(events "$3")
    differing=$(diff <(told "$3") <(told "$4") | grep -c '^<')
    a=$(makespan "$3" --no-compute) b=$(makespan "$4" --no-compute) c=$(makespan "$3") d=$(makespan "$4")
    awk -v p="$1" -v w="$2" -v n="$n" -v k="$differing" -v a="$a" -v b="$b" -v c="$c" -v d="$d" 'BEGIN {
        printf "%-12s %-14s %9d %9d %12.9f %12.9f %+7.2f %10.6f %10.6f %+7.1f\n", p, w, n, k, a, b, 100 * (b / a - 1),
            c, d, 100 * (d / c - 1)}'
}
# program NAME GRID_OF_4 GRID_OF_16 COMMAND...
program() {
    local name=$1 four=$2 sixteen=$3 ranks
    shift 3
    for ranks in 4 16 64; do
        nice "$timeless" record -q --folded -n $ranks -o $ranks.tl -- "$@" >/dev/null || exit 1
    done
    extrapolate 4.tl 16 a.tl "$four"
    row "$name" '4 to 16' 16.tl a.tl
    extrapolate 16.tl 64 b.tl "$sixteen"
    row "$name" '16 to 64' 64.tl b.tl
    extrapolate 4.tl 64 b.tl "$four"
    row "$name" '4 to 64' 64.tl b.tl
    extrapolate a.tl 64 b.tl "$sixteen"
    row "$name" '4 to 16 to 64' 64.tl b.tl
}
program halo '' '' ./patterns stencil2d 10
program wavefront '' '' ./patterns wavefront 5
program periodic3d 2px2px1p 4px2px2p ./patterns stencil3d 10
program jacobi '' '' ./stencil 200 50
