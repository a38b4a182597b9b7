#!/usr/bin/env bash
# long_run.sh [EVENTS...] - traces of many events of 64 folded ranks: time, peak memory and bytes of
# each step, appended to tests/bench/long_run.csv.  It goes on with the steps that are missing: a trace
# in WORK (default: long_run_work) is not recorded again, a step that the CSV has is not repeated.
# Default: 1e7 1e8 1e9.  10^9 events need about 0.4 GB of disk and 20 minutes of CPU.
set -u
here=$(cd "$(dirname "$0")" && pwd)
timeless=${TIMELESS:-$PWD/cli/timeless}
export TIMELESS_PLATFORMS=$here/../../platforms
csv=${CSV:-$here/long_run.csv}
work=${WORK:-long_run_work}
mkdir -p "$work"
[ -e "$csv" ] || echo "events,step,exit,wall_s,cpu_s,peak_kib,bytes,load" >"$csv"
mpicc -O2 -o "$work/long_run" "$here/long_run.c" || exit 1

# step EVENTS NAME FILE COMMAND...: runs and measures the command, unless the CSV has the step
step() {
    local events=$1 name=$2 file=$3; shift 3
    grep -q "^$events,$name," "$csv" && return
    local load; load=$(cut -d' ' -f1 /proc/loadavg)
    /usr/bin/time -o "$work/time" -f '%e %U %S %M' "$@" >"$work/$events.$name.out" 2>"$work/$events.$name.err"
    local code=$?
    tail -n 1 "$work/time" | awk -v head="$events,$name,$code" -v bytes="$(stat -c %s "$file" 2>/dev/null || echo 0)" -v load="$load" \
        '{ printf "%s,%s,%.2f,%s,%s,%s\n", head, $1, $2 + $3, $4, bytes, load }' >>"$csv"
    tail -n 1 "$csv"
}
for events in ${*:-1e7 1e8 1e9}; do
    plain=$work/plain-$events.tl packed=$work/packed-$events.tl part=$work/part.tl
    [ -e "$packed" ] || step "$events" record "$plain" \
        "$timeless" record --folded --no-pack -n 64 -o "$plain" -- "$work/long_run" "$events"
    [ -e "$packed" ] || { "$timeless" pack "$plain" -o "$packed.new" && mv "$packed.new" "$packed"; } 2>/dev/null
    step "$events" pack "$packed" "$timeless" pack "$packed" -o "$work/again.tl"
    rm -f "$work/again.tl"
    step "$events" open "$packed" "$timeless" dump "$packed" --rank 0 --events 0:1
    step "$events" info "$packed" "$timeless" info "$packed"
    sections=$("$timeless" info "$packed" | awk '$2 == "MPI_Allreduce" { print $1 / 64 }') # each begins one
    n=$("$timeless" info "$packed" | awk '$1 == "63" { print $2 }')
    step "$events" seek_end "$packed" "$timeless" dump "$packed" --rank 63 --events $((n - 1)):"$n"
    step "$events" cut_start "$part" "$timeless" cut "$packed" --section 0:2 -o "$part"
    step "$events" cut_middle "$part" "$timeless" cut "$packed" --section $((sections / 2)):$((sections / 2 + 2)) -o "$part"
    step "$events" cut_end "$part" "$timeless" cut "$packed" --section $((sections - 3)):last -o "$part"
    step "$events" replay_part_smpi "$part" "$timeless" replay "$part" --platform star-1g --engine smpi --no-compute
    step "$events" replay_loggops "$packed" "$timeless" replay "$packed" --platform star-1g --engine loggops --no-compute
done
