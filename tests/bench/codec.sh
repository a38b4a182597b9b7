#!/usr/bin/env bash
# codec.sh - speed and memory of writing and reading a trace, then a run of 100 million events.
#
#     tests/bench/codec.sh [EVENTS]        (from the build folder, after make)
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}" "${top_builddir:=$PWD}"
. "$top_srcdir/tests/tap.sh"
${CC:-cc} -O2 -DTIMELESS_EXPERIMENTAL -I"$top_srcdir/compress" -o "$scratch/codec" "$top_srcdir/tests/bench/codec.c" \
    -L"$top_builddir/compress/.libs" -ltimeless -lzstd -Wl,-rpath,"$(cd "$top_builddir" && pwd)/compress/.libs"
"$scratch/codec"
"$scratch/codec" "${1:-100000000}" "$scratch/codec.tl"
