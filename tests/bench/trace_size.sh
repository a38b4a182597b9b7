#!/usr/bin/env bash
# trace_size.sh - bytes of the complete trace file per recorded MPI call, ours beside peers'.
#
#     tests/bench/trace_size.sh [quick]        (from the build folder, after make)
#
# Real programs under `timeless record --no-pack --volume none --kernels none`, then `timeless pack`.  A call is
# an event of an MPI function: failed polls, kernels and notes of the tracer are none, so that peers,
# which record failed MPI_Iprobe too, have more calls for the same run.  `plain` is the encoding that
# plain.c writes, the smaller of its two forms, after zstd -19; it lacks what the trace says of the run.
# The irregular pattern draws a size below 8,192 for each ordered pair of neighbours every 100 iterations:
# 13 bits each that no encoding saves, 2,925 bytes of `irregular x15000` on 4 ranks.
# HPL is the last section of hpcc; a rank's part begins at its last MPI_Allreduce on MPI_COMM_WORLD.
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}" "${top_builddir:=$PWD}"
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/mpi_env.sh"
[ "${timeless#/}" = "$timeless" ] && timeless=$PWD/$timeless
libs=$(cd "$top_builddir" && pwd)/compress/.libs
$MPICC -O1 -o "$scratch/patterns" "$top_srcdir/tests/bench/patterns.c"
${CC:-cc} -O2 -I"$top_srcdir/compress" -o "$scratch/plain" "$top_srcdir/tests/bench/plain.c" \
    -L"$libs" -ltimeless -Wl,-rpath,"$libs"
cd "$scratch" || exit 4

# row NAME RANKS TRACE [REMARK...]
row() {
    local name=$1 ranks=$2 trace=$3 calls plain other written
    shift 3
    written=$(stat -c %s "$trace")
    "$timeless" pack "$trace" -o packed.tl || return
    calls=$(./plain packed.tl varint 2>&1 >records)
    plain=$(zstd -19 -q -c records | wc -c)
    other=$(./plain packed.tl fixed 2>/dev/null | zstd -19 -q -c | wc -c)
    [ "$other" -lt "$plain" ] && plain=$other
    awk -v name="$name" -v ranks="$ranks" -v calls="$calls" -v written="$written" -v plain="$plain" \
        -v packed="$(stat -c %s packed.tl)" -v remark="$*" 'BEGIN {
        printf "%-22s %5d %9d %9d %9d %8.4f %9d %6.2f  %s\n", name, ranks, calls, written, packed,
               packed / calls, plain, packed / plain, remark }'
}
record() { "$timeless" record -q --no-pack --volume none --kernels none -o run.tl -- "$MPIRUN" -np "$@" >/dev/null; }
pattern() { record "$2" ./patterns "$1" "$3" && row "$1 x$3" "$2" run.tl "${@:4}"; }

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
         { print }' run.txt run.txt | "$timeless" undump - -o "$2"
}
hpl() { # RANKS N P Q NB [REMARK]
    bash "$top_srcdir/tests/hpcc_input.sh" "$2" "$3" "$4" "$5" >hpccinf.txt
    record "$1" "$HPCC" && last_section run.tl hpl.tl && row "HPL N=$2 NB=$5" "$1" hpl.tl "${@:6}"
}

printf '%-22s %5s %9s %9s %9s %8s %9s %6s  %s\n' program ranks calls recorded packed B/call plain ratio \
    'peers, bytes (after zstd -19)'
if [ "${1:-}" = quick ]; then
    pattern stencil2d 4 300
    pattern wavefront 4 25
    exit
fi
hpl 4 5600 2 2 64 'HPL, 37270 calls: ScalaTrace-TI 443530 (42022), Recorder (65836), Pilgrim 987550 (87527)'
hpl 16 2000 4 4 32
pattern stencil2d 4 3000
pattern stencil2d 4 30000 'iterations x10'
pattern stencil2d 16 3000 'ranks x4'
pattern stencil3d 4 2200
pattern stencil3d 16 2200 'ranks x4'
pattern wavefront 4 250 'NPB LU.W, 26737 calls: Pilgrim 5452 (799)'
pattern wavefront 16 50 'NPB LU.W, 160141 calls: Pilgrim 8406 (1429)'
pattern irregular 4 1500
pattern irregular 4 15000
pattern irregular 16 300
pattern fft 4 5000
pattern fft 4 50000
pattern fft 16 1300
