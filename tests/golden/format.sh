#!/usr/bin/env bash
# doc/FORMAT.md is true: a reader written from it alone reads what we write.
. "$(dirname "$0")/../tap.sh"
export PYTHONDONTWRITEBYTECODE=1
check "make a trace of every call" "$top_builddir/tests/golden/make_trace" all "$scratch/all.tl"
check "both readers see the same events" \
    python3 "$top_srcdir/tests/golden/same_events.py" "$timeless" "$scratch/all.tl"
tap_done
