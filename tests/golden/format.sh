#!/usr/bin/env bash
# doc/FORMAT.md is true: a reader written from it alone reads what we write.
. "$(dirname "$0")/../tap.sh"
export PYTHONDONTWRITEBYTECODE=1
check "a trace of every call is made" "$top_builddir/tests/golden/make_trace" all "$scratch/all.tl"
check "both readers see the same events of a trace of every call" \
    python3 "$top_srcdir/tests/golden/same_events.py" "$timeless" "$scratch/all.tl" every
check "a trace of every call is packed" "$timeless" pack "$scratch/all.tl" -o "$scratch/packed.tl"
check "both readers see the same events of the packed trace" \
    python3 "$top_srcdir/tests/golden/same_events.py" "$timeless" "$scratch/packed.tl" every
same_text() { equal "$("$timeless" dump "$scratch/all.tl")" "$("$timeless" dump "$scratch/packed.tl")"; }
check "the packed trace has the same text" same_text
check "the packed trace is smaller" test "$(stat -c %s "$scratch/packed.tl")" -lt "$(stat -c %s "$scratch/all.tl")"
check "a trace of many ranks is made" "$timeless" make stencil3d -n 512 --iterations 2 -o "$scratch/many.tl"
check "a trace of many ranks is packed" "$timeless" pack "$scratch/many.tl" -o "$scratch/many.tl"
check "both readers see the same events if blocks refer to others" \
    python3 "$top_srcdir/tests/golden/same_events.py" "$timeless" "$scratch/many.tl"
tap_done
