#!/usr/bin/env bash
# timeless replay --details: who waits for whom.
. "$(dirname "$0")/../tap.sh"
cd "$scratch" || exit 99
use_platforms_without_overheads star-1g
cases="python3 $top_srcdir/tests/cli/waits_cases.py"
check 'programs whose waits are known' $cases write .
undump_all() {
    local text
    for text in ??.txt; do "$timeless" undump "$text" -o "${text%.txt}.tl" || return 1; done
}
check 'as traces' undump_all
check 'their replay' "$timeless" replay ??.tl -p star-1g --details --json=waits.json -q
check 'each rank waits for as long as computed by hand' $cases check waits.json

# What other machines would make of it, against replays on them.
hold() { # NAME PLATFORM OPTION...: of the traces own.tl and mean.tl
    local name=$1 platform=$2; shift 2
    replay() { "$timeless" replay "$@" -q; }
    check "$name: as it is" replay own.tl -p "$platform" "$@" --details --json=own.json
    local network cpu mean
    network=$(replay own.tl -p "$platform" "$@" --scale network 1e4)
    cpu=$(replay own.tl -p "$platform" "$@" --host-speed 2x)
    mean=$(replay mean.tl -p "$platform" "$@")
    check "$name: the bounds hold, the estimates are near" $cases bounds own.json "$network" "$cpu" "$mean"
}
for seed in 1 2; do
    for share in own mean; do $cases mixed $seed $share | "$timeless" undump - -o $share.tl; done
    hold "program $seed" star-1g --ranks-per-host 1
    hold "program $seed on another platform" dahu --ranks-per-host 1
done

# A receive takes as long as the bytes that come: a persistent one does not know them before.
for program in 'long eager messages' 'persistent requests'; do
    for share in own mean; do $cases planted "$program" $share | "$timeless" undump - -o $share.tl; done
    for engine in smpi loggops; do
        hold "$program, $engine" fat-tree --ranks-per-host 1 --engine $engine
    done
done

balance() { # PROGRAM ENGINE
    local share
    for share in own mean; do $cases planted "$1" $share | "$timeless" undump - -o $share.tl; done
    "$timeless" replay own.tl -p star-1g --ranks-per-host 1 --engine "$2" --details --json=own.json -q >makespan &&
        $cases balanced own.json "$("$timeless" replay mean.tl -p star-1g --ranks-per-host 1 --engine "$2" -q)"
}
for engine in smpi loggops; do
    for program in barriers sendrecv requests groups 'a chain' 'a line'; do
        check "$program, $engine: imbalances of phases that cancel in sum are balanced" balance "$program" $engine
    done
done
# LogGOPS counts what a rank of a tree waits for those below it as the time of its own reduction.
check 'reductions and broadcasts, smpi: likewise' balance 'reduce and bcast' smpi

# A part of one rank before a broadcast: in balance a quarter of it, 10 ms, and the 50 ms and 1 ms that all compute.
serial() { # ENGINE
    "$timeless" replay serial.skel -p star-1g --ranks-per-host 1 --engine "$1" --details --json=serial.json -q &&
        json serial.json 'b = d["details"]["what_if"]["balance"]; print(b); exit(not 0.061 < b["about_s"] < 0.0615)'
}
cat >serial.skel <<'END'
skeleton 1
ranks 4
unit "cpu-ns"
if rank == 0 {
    compute 40000000
}
MPI_Bcast peer=0 count=8
compute 50000000
MPI_Barrier
compute 1000000
MPI_Reduce peer=0 count=8
END
for engine in smpi loggops; do check "$engine: a serial part before a broadcast is shared in balance" serial $engine; done

$cases pipeline | "$timeless" undump - -o pipeline.tl
has_no_estimate() {
    "$timeless" replay pipeline.tl -p star-1g --ranks-per-host 1 --engine "$1" --details | grep -E '^computation in balance +0\.0036 *$'
}
for engine in smpi loggops; do
    check "$engine: a run that balance makes longer has no estimate of it" has_no_estimate $engine
done
tap_done
