#!/usr/bin/env bash
# finalize_cost.sh - memory that the tracer adds to a rank, and time that it adds to MPI_Finalize.
#
#     tests/bench/finalize_cost.sh [RANKS [EVENTS]]        (from the build folder, after make)
#
# RANKS (default 64, folded on the cores that there are) make EVENTS (default 10,000,000) calls together.
# Without and with the tracer: private memory of a rank before MPI_Finalize (median, greatest), and the
# wall seconds of MPI_Finalize (median, greatest).
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}" "${top_builddir:=$PWD}"
. "$top_srcdir/tests/tap.sh"
ranks=${1:-64} events=${2:-10000000}
tracer=$top_builddir/tracer/.libs/libtimeless-tracer.so
export TIMELESS_QUIET=1 TIMELESS_OUTPUT=$scratch/bench.tl
[ -r "$tracer" ] || { echo "$tracer: not there; run from the build folder after make" >&2; exit 4; }
$MPICC -O2 -o "$scratch/many_events" "$top_srcdir/tests/bench/many_events.c"
# summary COLUMN: median and greatest
summary() { awk -v c="$1" '{print $c}' "$scratch/$run" | sort -g | awk '{v[NR] = $1} END {print v[int((NR + 1) / 2)], v[NR]}'; }
{
    echo "run private-KiB-median greatest Finalize-s-median greatest"
    for run in untraced traced; do
        preload=(); [ $run = untraced ] || preload=(-x LD_PRELOAD="$tracer")
        "$MPIRUN" -np "$ranks" "${preload[@]}" "$scratch/many_events" $((events / ranks)) >"$scratch/$run"
        echo "$run $(summary 1) $(summary 2)"
    done
} | column -t
"$timeless" info "$scratch/bench.tl" | sed -n '/^ranks/,/^complete/p'
