#!/usr/bin/env bash
# region_cost.sh - what the tracer adds to constructs of OpenMP.
#
#     tests/bench/region_cost.sh        (from the build folder, after make)
#
# For GCC's runtime and, where clang and its runtime are there, LLVM's: CPU nanoseconds of the first thread per empty
# parallel region, barrier, dynamic loop of two iterations and critical section, on one thread and on two; bare, and
# what is added under the tracer without a volume source and with the default one.  Two threads wait for each other,
# so that their figures depend on a free second core; the cost of each thread's own part is that of one thread.
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}" "${top_builddir:=$PWD}"
. "$top_srcdir/tests/tap.sh"
tracer=$top_builddir/tracer/.libs/libtimeless-tracer.so
export TIMELESS_QUIET=1 TIMELESS_OUTPUT=$scratch/bench.tl
[ -r "$tracer" ] || { echo "$tracer: not there; run from the build folder after make" >&2; exit 4; }
cost() { OMP_NUM_THREADS=$threads "$MPIRUN" -np 1 --bind-to none "$@" "$scratch/region_cost" | awk '{ print $1 "/" $2, $3 }'; }
{
    echo 'runtime construct/threads bare none rseq'
    for compiler in gcc clang; do
        OMPI_CC=$compiler $MPICC -O2 -fopenmp -o "$scratch/region_cost" "$top_srcdir/tests/bench/region_cost.c" || continue
        for threads in 1 2; do
            # Three times, by turns; the best of each counts.
            for round in 1 2 3; do
                cost | sed 's/^/bare /'
                for volume in none rseq; do cost -x LD_PRELOAD="$tracer" -x TIMELESS_VOLUME=$volume | sed "s/^/$volume /"; done
            done | awk -v compiler="$compiler" '
                !(($1, $2) in ns) || $3 < ns[$1, $2] { ns[$1, $2] = $3 }
                !($2 in seen) { seen[$2] = 1; order[++n] = $2 }
                END { for (i = 1; i <= n; i++) { b = order[i]
                    printf "%s %s %.0f +%.0f +%.0f\n", compiler, b, ns["bare", b], ns["none", b] - ns["bare", b], ns["rseq", b] - ns["bare", b] } }'
        done
    done
} | column -t
