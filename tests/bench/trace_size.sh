#!/usr/bin/env bash
# trace_size.sh - bytes of the complete trace file per recorded MPI call.
#
#     tests/bench/trace_size.sh [PART...]        (from the build folder, after make)
#
# Parts: hpl, regular, irregular, growth (all by default); quick, for the suite.  tests/bench/README.md has
# the results, those of the best peer, and what bounds them.
#
# Real programs under `timeless record`, which packs.  A call is an event of an MPI function: failed polls,
# kernels and notes of the tracer are none, so that peers, which record failed MPI_Iprobe too, have more
# calls for the same run.  Bytes and calls are of a run without volumes and kernels; `plain` is the encoding
# of that which plain.c writes, the smaller of its two forms, after zstd -19: it lacks what the trace says of
# the run.  Bytes per call with volumes and kernels, lossless and to 1e-3, are of a second run, in which
# ranks compute between their calls.  HPL is the last section of hpcc; a rank's part begins at its last
# MPI_Allreduce on MPI_COMM_WORLD.
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}" "${top_builddir:=$PWD}"
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/mpi_env.sh"
[ "${timeless#/}" = "$timeless" ] && timeless=$PWD/$timeless
libs=$(cd "$top_builddir" && pwd)/compress/.libs
$MPICC -O1 -o "$scratch/patterns" "$top_srcdir/tests/bench/patterns.c"
${CC:-cc} -O2 -DTIMELESS_EXPERIMENTAL -I"$top_srcdir/compress" -o "$scratch/plain" "$top_srcdir/tests/bench/plain.c" \
    -L"$libs" -ltimeless -Wl,-rpath,"$libs"
cd "$scratch" || exit 4
declare -A size_of
work=20000 # additions between two steps of the runs with volumes

bytes() { stat -c %s "$1"; }
plain_bytes() {
    local varint fixed
    varint=$(./plain "$1" varint 2>calls | zstd -19 -q -c | wc -c)
    fixed=$(./plain "$1" fixed 2>/dev/null | zstd -19 -q -c | wc -c)
    echo $((fixed < varint ? fixed : varint))
}
per_call() { awk -v bytes="$(bytes "$1")" -v calls="$(./plain "$1" varint 2>&1 >/dev/null)" 'BEGIN { printf "%.3f", bytes / calls }'; }

# row NAME RANKS TRACE [TRACE-WITH-VOLUMES]: both packed
row() {
    local name=$1 ranks=$2 plain lossless=- rounded=-
    plain=$(plain_bytes "$3")
    size_of[$name,$ranks]=$(bytes "$3")
    if [ $# = 4 ]; then
        "$timeless" pack --volume-precision 1e-3 "$4" -o rounded.tl
        lossless=$(per_call "$4") rounded=$(per_call rounded.tl)
    fi
    awk -v name="$name" -v ranks="$ranks" -v calls="$(cat calls)" -v plain="$plain" -v packed="$(bytes "$3")" \
        -v lossless="$lossless" -v rounded="$rounded" 'BEGIN {
        printf "%-20s %5d %9d %9d %8.4f %9d %6.2f %8s %8s\n", name, ranks, calls, packed, packed / calls,
               plain, packed / plain, lossless, rounded }'
}
# growth WHAT BEFORE AFTER: names of rows with their ranks, of the whole files and without wall clocks
growth() {
    local before after
    for part in '' ,unclocked; do
        before=${size_of[$2$part]:-} after=${size_of[$3$part]:-}
        [ -z "$before" ] || [ -z "$after" ] || awk -v what="$1${part/,unclocked/, without clocks}" -v b="$before" -v a="$after" 'BEGIN {
            printf "growth: %-46s %8d to %8d bytes %+6.1f %%\n", what, b, a, 100 * (a / b - 1) }'
    done
}
# The bytes of the trace that a text describes with its clocks set to 0.
unclocked() { sed 's/clock_ns=[0-9]*/clock_ns=0/' | "$timeless" undump - -o unclocked.tl &&
    "$timeless" pack unclocked.tl -o unclocked.tl && bytes unclocked.tl; }
# record TRACE RANKS COMMAND...: bare or full says whether without volumes and kernels
bare() { "$timeless" record -q --folded --volume none --kernels none --pack-seconds 600 -o "$1" -- "$MPIRUN" -np "${@:2}" >/dev/null; }
full() { "$timeless" record -q --folded --pack-seconds 600 -o "$1" -- "$MPIRUN" -np "${@:2}" >/dev/null; }
# pattern NAME RANKS ITERATIONS, without volumes only; both, with them too
pattern() { bare run.tl "$2" ./patterns "$1" "$3" && row "$1 x$3" "$2" run.tl; }
both() { bare run.tl "$2" ./patterns "$1" "$3" && full full.tl "$2" ./patterns "$1" "$3" $work && row "$1 x$3" "$2" run.tl full.tl; }

# The events of each rank from its last MPI_Allreduce on MPI_COMM_WORLD, by way of the text, and like
# `timeless cut` no call sites but those of these events.
last_section() {
    "$timeless" dump "$1" >run.txt
    awk '$1 ~ /^[0-9]+$/ { where = $1 " " substr($NF, 6) }
         NR == FNR { if ($1 ~ /^[0-9]+$/) at[where] = $2
                     if ($1 ~ /^[0-9]+$/ && $3 == "MPI_Allreduce" && / comm=1( |$)/) last[$1] = $2
                     next }
         $1 == "rank" { rank = $2 }
         $1 == "site" && !((rank " " $2) in at && at[rank " " $2] >= last[rank]) { next }
         $1 ~ /^[0-9]+$/ { if ($2 < last[$1]) next; $2 = n[$1]++ }
         { print }' run.txt run.txt | "$timeless" undump - -o "$2" && "$timeless" pack "$2" -o "$2"
}
hpl() { # RANKS N P Q NB
    bash "$top_srcdir/tests/hpcc_input.sh" "$2" "$3" "$4" "$5" >hpccinf.txt
    bare run.tl "$1" "$HPCC" && last_section run.tl hpl.tl || return
    full full.tl "$1" "$HPCC" && last_section full.tl hpl_full.tl || return
    row "HPL N=$2 NB=$5" "$1" hpl.tl hpl_full.tl
}

part_quick() {
    pattern stencil2d 4 300
    pattern wavefront 4 25
}
part_hpl() {
    hpl 4 5600 2 2 64
    hpl 16 2000 4 4 32
}
part_regular() {
    both stencil2d 4 3000
    both stencil2d 16 1000
    both stencil3d 4 2200
    both stencil3d 16 1000
    both wavefront 4 250
    both wavefront 16 50
}
part_irregular() {
    both irregular 4 1500
    pattern irregular 4 15000
    both irregular 16 300
    pattern irregular 16 1500
    both fft 4 5000
    pattern fft 4 50000
    pattern fft 4 100000
    both fft 16 1300
}
grown() { pattern "$@" && size_of[$1 x$3,$2,unclocked]=$("$timeless" dump run.tl | unclocked); }
part_growth() {
    local n
    for n in 3000 30000; do grown stencil2d 4 $n; done
    for n in 2200 22000; do grown stencil3d 4 $n; done
    growth 'iterations x10, 2-D, 4 ranks' 'stencil2d x3000,4' 'stencil2d x30000,4'
    growth 'iterations x10, 3-D, 4 ranks' 'stencil3d x2200,4' 'stencil3d x22000,4'
    for n in 16 64; do grown stencil2d $n 3000; done
    grown stencil3d 16 2200
    growth 'ranks x4, 2-D, 4 to 16' 'stencil2d x3000,4' 'stencil2d x3000,16'
    growth 'ranks x4, 2-D, 16 to 64' 'stencil2d x3000,16' 'stencil2d x3000,64'
    growth 'ranks x4, 3-D, 4 to 16' 'stencil3d x2200,4' 'stencil3d x2200,16'
    # Written, not recorded: 256 ranks are too many for a small machine.
    for n in 4x4x4 8x8x4 16x8x8; do
        size_of[$n,unclocked]=$(python3 "$top_srcdir/tests/bench/stencil3d_text.py" $n 100 | unclocked)
    done
    growth 'ranks x4, 3-D, 64 to 256' 4x4x4 8x8x4
    growth 'ranks x4, 3-D, 256 to 1,024' 8x8x4 16x8x8
}

printf '%-20s %5s %9s %9s %8s %9s %6s %8s %8s\n' program ranks calls bytes B/call plain ratio lossless 1e-3
[ $# != 0 ] || set -- hpl regular irregular growth
for part; do "part_$part"; done
