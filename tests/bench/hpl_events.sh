#!/usr/bin/env bash
# hpl_events.sh - how fast HPL's events are made, and in which memory.
#
#     tests/bench/hpl_events.sh [STRIDE]        (from the build folder, after make)
#
# STRIDE is that of the last run, of 6,006 ranks: 1 (the default) reads all of them, which takes minutes.
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}" "${top_builddir:=$PWD}"
. "$top_srcdir/tests/tap.sh"
${CC:-cc} -O2 -DTIMELESS_EXPERIMENTAL -I"$top_srcdir/compress" -o "$scratch/hpl_events" "$top_srcdir/tests/bench/hpl_events.c" \
    -L"$top_builddir/compress/.libs" -ltimeless -lzstd -Wl,-rpath,"$(cd "$top_builddir" && pwd)/compress/.libs"
dahu=NB=128,P=32,Q=32,BCAST=2,SWAP=0,PFACT=1,RFACT=2,NBMIN=2
"$scratch/hpl_events" hpl:N=50000,$dahu
"$scratch/hpl_events" hpl:N=500000,$dahu 8
"$scratch/hpl_events" hpl:N=3875000,NB=1024,P=77,Q=78,BCAST=3,SWAP=0 "${1:-1}"
