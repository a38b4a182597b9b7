#!/usr/bin/env bash
# volume_sources.sh - each source of volumes that works here: its unit, the CPU nanoseconds of reading it
# once (half of what it adds to an MPI_Iprobe, best of five times a million), how many times longer a
# burst takes in its emulator, and the volume of one burst in three runs: the mean and the spread.
#
#     tests/bench/volume_sources.sh [SOURCE...]        (from the build folder, after make)
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}" "${top_builddir:=$PWD}"
. "$top_srcdir/tests/tap.sh"
$MPICC -O2 -o "$scratch/program" "$top_srcdir/tests/bench/volume_sources.c" || exit 4
run() { "$timeless" record -q --volume "$1" -o "$scratch/t.tl" -- "$MPIRUN" -np 1 "$scratch/program" ${2-}; }
volume() { "$timeless" dump --rank 0 "$scratch/t.tl" | awk '/MPI_Barrier/ && ++n == 2' | grep -o 'volume=[0-9]*' | cut -d= -f2; }
[ $# != 0 ] || set -- $("$timeless" record --list-volumes | awk '$4 == "works" && $1 != "none" {print $1}')
read -r native base _ <<<"$(run none probe)"
echo "source unit read_ns slowdown volume spread" >"$scratch/table"
for source; do
    volumes=() read_ns=- slowdown=1
    case $source in
    exact*) read -r burst _ _ <<<"$(run "$source")"
        slowdown=$(awk -v a="$burst" -v b="$native" 'BEGIN { printf "%.0f", a / b }') ;;
    *) read -r _ probe _ <<<"$(run "$source" probe)"
        read_ns=$(awk -v a="$probe" -v b="$base" 'BEGIN { printf "%.0f", (a - b) / 2 }') ;;
    esac
    for i in 1 2 3; do
        run "$source" >/dev/null
        volumes+=("$(volume)")
    done
    unit=$("$timeless" info --json "$scratch/t.tl" | sed -n 's/.*"volume_unit": "\(.*\)".*/\1/p')
    printf '%s\n' "${volumes[@]}" | awk -v start="$source $unit $read_ns $slowdown" '
        NR == 1 { least = most = $1 } { sum += $1; if ($1 < least) least = $1; if ($1 > most) most = $1 }
        END { printf "%s %.0f %.2g%%\n", start, sum / NR, 100 * (most - least) / (sum / NR) }' >>"$scratch/table"
done
column -t "$scratch/table"
