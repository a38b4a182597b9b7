#!/usr/bin/env bash
# release.sh [FOLDER]: at a release, keeps traces of this version, and what they say, in tests/golden/VERSION
# (or FOLDER).  A trace that stands there is never changed: releases.sh reads those of all versions for ever.
# A change of the text form may change the .txt beside it.  Needs what `make check` has built.
set -eu
src=$(cd "$(dirname "$0")/../.." && pwd)
: "${top_builddir:=$src/build}"
timeless=$top_builddir/cli/timeless make_trace=$top_builddir/tests/golden/make_trace
version=$("$timeless" --version) version=${version#timeless }
folder=${1:-$src/tests/golden/$version}
[ ! -e "$folder" ] || { echo "release.sh: $folder is there already, and never changes" >&2; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir golden
# Every call more than once, extremes included; a run; a part of it; a packed trace; one that is cut off.
"$make_trace" all all.tl
"$timeless" dump all.tl | awk '$1 !~ /^[0-9]+$/ || $2 < 700' | "$timeless" undump - -o golden/every-call.tl
"$make_trace" ring golden/ring.tl
"$timeless" dump golden/ring.tl | sed '/^rank 1 /a clock "it waited for a core"' | "$timeless" undump - -o golden/clock.tl
"$timeless" cut golden/ring.tl --section 1 -o golden/part.tl
"$timeless" pack golden/every-call.tl -o golden/packed.tl
# Several blocks, whose frames refer to one.
"$timeless" make token -n 400 -o many.tl
"$timeless" pack many.tl -o golden/shared.tl
# One whose rank 1 was killed: the file beside it has its events.
"$make_trace" open golden/open.tl
head -c $(($(stat -c %s golden/ring.tl) - 20)) golden/ring.tl >golden/damaged.tl
cd golden
for trace in *.tl; do
    "$timeless" dump "$trace" >"${trace%.tl}.txt" 2>/dev/null || [ "$trace" = damaged.tl ] || [ "$trace" = open.tl ]
done
mkdir -p "$(dirname "$folder")"
cp -r --sparse=always . "$folder"
echo "golden files of $version in $folder; commit them with the release"
