#!/usr/bin/env bash
# kernel_cost.sh - what recording a BLAS call costs, and from which length of vectors it is worth it.
#
#     tests/bench/kernel_cost.sh        (from the build folder, after make)
#
# CPU nanoseconds per daxpy of n elements: bare, and under the tracer with --kernels none, large, all,
# each without a volume source and with the default one.
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}" "${top_builddir:=$PWD}"
. "$top_srcdir/tests/tap.sh"
tracer=$top_builddir/tracer/.libs/libtimeless-tracer.so
export TIMELESS_QUIET=1 TIMELESS_OUTPUT=$scratch/bench.tl OPENBLAS_NUM_THREADS=1
[ -r "$tracer" ] || { echo "$tracer: not there; run from the build folder after make" >&2; exit 4; }
$MPICC -O2 -o "$scratch/kernel_cost" "$top_srcdir/tests/bench/kernel_cost.c" -lblas
"$MPIRUN" -np 1 "$scratch/kernel_cost" >"$scratch/bare"
columns='n bare' files=$scratch/bare
for volume in none auto; do
    for kernels in none large all; do
        LD_PRELOAD=$tracer TIMELESS_VOLUME=$volume TIMELESS_KERNELS=$kernels \
            "$MPIRUN" -np 1 "$scratch/kernel_cost" >"$scratch/$volume.$kernels"
        columns="$columns $kernels:$volume" files="$files $scratch/$volume.$kernels"
    done
done
{ echo "$columns"; paste -d' ' $files | awk '{print $1, $2, $4, $6, $8, $10, $12, $14}'; } | column -t
