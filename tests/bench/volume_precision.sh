#!/usr/bin/env bash
# volume_precision.sh - what it costs to round volumes: bytes of the packed trace, and by how much the
# predicted makespan changes.
#
#     tests/bench/volume_precision.sh [TRACE...]        (from the build folder, after make)
#
# A stencil on 4 ranks, then the traces given, by their full names.  Record these with --kernels none, so that all
# computation is in volumes.  PLATFORM is star-1g unless the environment has another.
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}" "${top_builddir:=$PWD}"
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/mpi_env.sh"
[ "${timeless#/}" = "$timeless" ] && timeless=$PWD/$timeless
platform=${PLATFORM:-star-1g}
$MPICC -O2 -I"$top_srcdir/tracer" -o "$scratch/stencil" "$top_srcdir/tests/bench/stencil.c" -lm
export TIMELESS_PLATFORMS=${TIMELESS_PLATFORMS:-$(cd "$top_srcdir" && pwd)/platforms}
cd "$scratch" || exit 4

makespan() { "$timeless" replay "$1" -p "$platform" --json |
    python3 -c 'import json, sys; print(repr(json.load(sys.stdin)["makespan_s"]))'; }
rows() { # NAME TRACE
    local exact='' precision s
    for precision in 0 1e-4 1e-3 1e-2; do
        if [ $precision = 0 ]; then "$timeless" pack "$2" -o packed.tl; else
            "$timeless" pack --volume-precision $precision "$2" -o packed.tl; fi
        s=$(makespan packed.tl)
        : "${exact:=$s}"
        awk -v name="$1" -v p=$precision -v bytes="$(stat -c %s packed.tl)" -v s="$s" -v exact="$exact" 'BEGIN {
            printf "%-10s %9s %9d bytes %14.9f s %10.1e\n", name, p, bytes, s, s / exact - 1 }'
    done
}
printf '%-10s %9s %15s %16s %10s\n' program precision packed predicted change
"$timeless" record -q --kernels none -o stencil.tl -- "$MPIRUN" -np 4 ./stencil 200 1000 >/dev/null && rows stencil stencil.tl
for trace; do rows "$(basename "$trace" .tl)" "$trace"; done
