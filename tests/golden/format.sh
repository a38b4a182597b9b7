#!/usr/bin/env bash
# doc/FORMAT.md is true: a reader written from it alone reads what we write.
. "$(dirname "$0")/../tap.sh"
export PYTHONDONTWRITEBYTECODE=1
check "make a trace of every call" "$top_builddir/tests/golden/make_trace" all "$scratch/all.tl"
check "both readers see the same events" \
    python3 "$top_srcdir/tests/golden/same_events.py" "$timeless" "$scratch/all.tl" every
check "pack it" "$timeless" pack "$scratch/all.tl" -o "$scratch/packed.tl"
check "both see the same in the packed trace" \
    python3 "$top_srcdir/tests/golden/same_events.py" "$timeless" "$scratch/packed.tl" every
same_text() { equal "$("$timeless" dump "$scratch/all.tl")" "$("$timeless" dump "$scratch/packed.tl")"; }
check "which says what the other says" same_text
check "and is smaller" test "$(stat -c %s "$scratch/packed.tl")" -lt "$(stat -c %s "$scratch/all.tl")"
check "make a trace of many ranks" "$timeless" make stencil3d -n 512 --iterations 2 -o "$scratch/many.tl"
check "pack it" "$timeless" pack "$scratch/many.tl" -o "$scratch/many.tl"
check "both see the same where blocks refer to others" \
    python3 "$top_srcdir/tests/golden/same_events.py" "$timeless" "$scratch/many.tl"
tap_done
