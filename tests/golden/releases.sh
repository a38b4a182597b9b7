#!/usr/bin/env bash
# The golden files of every released version, and of each minor version of the format, say what they said; so do those
# that a release would keep today.
. "$(dirname "$0")/../tap.sh"
export PYTHONDONTWRITEBYTECODE=1 top_builddir
check 'golden files of today' bash "$top_srcdir/tests/golden/release.sh" "$scratch/today"
check_exit 2 'are never replaced' bash "$top_srcdir/tests/golden/release.sh" "$scratch/today"
has_its_text() { "$timeless" dump "$1" 2>/dev/null | diff "${1%.tl}.txt" - | head -n 20 >"$scratch/diff"
    [ -s "${1%.tl}.txt" ] && [ ! -s "$scratch/diff" ] || { cat "$scratch/diff"; return 1; }; }
for folder in "$scratch/today" "$top_srcdir"/tests/golden/[0-9]*/ "$top_srcdir"/tests/golden/format-*/; do
    [ -d "$folder" ] || continue # no version has been released
    version=$(basename "$folder")
    for trace in "$folder"/*.tl; do
        name=$(basename "$trace" .tl)
        check "$version: $name" has_its_text "$trace"
        [ "$name" = damaged ] || check "$version: $name, by the independent reader" \
            python3 "$top_srcdir/tests/golden/same_events.py" "$timeless" "$trace"
    done
done
tap_done
