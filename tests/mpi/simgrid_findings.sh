#!/usr/bin/env bash
# The programs of doc/simgrid-findings.md show what it says of SimGrid's versions.  Where one does not any more, the
# page, and what Timeless does instead, can be looked at again.
. "${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}/tests/tap.sh"
awk -v folder="$scratch" '/^### / { heading = substr($0, 5) }
    /^```c$/ { file = sprintf("%s/finding-%02d.c", folder, ++n); print heading > (folder "/heading-" n); next }
    /^```$/ { file = "" }
    file { print > file }' "$top_srcdir/doc/simgrid-findings.md"
version=$(pkg-config --modversion simgrid | sed 's/^\([0-9]*\.[0-9]*\).*/\1/')
# has FILE: this version of SimGrid has the defect, by the first line
has() { sed -n '1s/.*versions=\([^ ]*\) .*/,\1,/p' "$1" | grep -Fq ",$version,"; }
# shows FILE: compiles it, runs it as its first line says, and looks for the text
shows() {
    local file=$1 line ranks platform options text
    read -r line <"$file"
    ranks=$(sed 's/.*np=\([0-9]*\) .*/\1/' <<<"$line") platform=$(sed 's/.*platform=\([a-z-]*\) .*/\1/' <<<"$line")
    options=$(sed 's/.*options=\([^ ]*\) .*/\1/' <<<"$line") text=$(sed 's/.*prints=\(.*\) \*\//\1/' <<<"$line")
    platform=$top_srcdir/tests/mpi/oracle/$platform
    "$SMPICC" -O1 -o "${file%.c}" "$file" || return
    (cd "$scratch" && timeout 120 "$SMPIRUN" -no-privatize -np "$ranks" -platform "$platform/platform.xml" -hostfile "$platform/hosts" \
        --log=root.thres:error --cfg=smpi/simulate-computation:no --cfg=smpi/host-speed:1f $options "${file%.c}") >"$scratch/said" 2>&1
    grep -Eq "$text" "$scratch/said" || { echo "not printed: $text"; head -n 20 "$scratch/said"; return 1; }
}
lacks() { ! shows "$1" && test -x "${1%.c}"; }
for file in "$scratch"/finding-*.c; do
    heading=$(cat "$scratch/heading-$((tap_count + 1))")
    if has "$file"; then check "SimGrid $version has this defect: $heading" shows "$file"
    else check "SimGrid $version does not have this defect: $heading" lacks "$file"; fi
done
check 'all programs of the page were run' test "$(grep -c '^/\* versions=' "$top_srcdir/doc/simgrid-findings.md")" = "$tap_count"
tap_done
