#!/usr/bin/env bash
# Schedules as algorithms of collectives (doc/SCHEDULE.md): the same times as the engines' own algorithms, in both engines;
# wrong ones are refused by rank and block.
. "$(dirname "$0")/../tap.sh"
export TIMELESS_PLATFORMS=$top_srcdir/platforms
cd "$scratch" || exit 99
schedules=$top_srcdir/traces/schedules
loggops=(--engine loggops --params L=5us,o=2us,g=2us,G=2.5ns,O=1ns)
simgrid=(--platform dahu --ranks-per-host 1)
# same TRACE OPERATION SCHEDULE ALGORITHM OPTION...: both predict the same makespan
same() {
    local trace=$1 op=$2 mine=$schedules/$3.sched own=$4
    shift 4
    equal "$("$timeless" replay -q "$trace" "$@" --coll "$op=$mine")" "$("$timeless" replay -q "$trace" "$@" --coll "$op=$own")"
}
# each OPERATION SCHEDULE ALGORITHM RANKS...: at all numbers of ranks, by the LogGOPS engine
each() {
    local op=$1 schedule=$2 own=$3 n
    shift 3
    for n in "$@"; do
        "$timeless" make call_"$op" -n "$n" --bytes 1001 --iterations 2 -o "$op-$n.tl" &&
            same "$op-$n.tl" "$op" "$schedule" "$own" "${loggops[@]}" || return
    done
}
check 'LogGOPS: barrier, dissemination' each barrier barrier_dissemination ompi_bruck 2 7 16
check 'LogGOPS: bcast, binomial tree' each bcast bcast_binomial binomial_tree 2 7 16
check 'LogGOPS: allgather, ring' each allgather allgather_ring ring 2 7 16
check 'LogGOPS: allgather, recursive doubling' each allgather allgather_doubling rdb 2 16
check 'LogGOPS: alltoall, pairs' each alltoall alltoall_pair pair 2 16
check 'LogGOPS: alltoall, ring' each alltoall alltoall_ring ring 2 7 16
check 'LogGOPS: alltoall, Bruck' each alltoall alltoall_bruck bruck 2 7 16
check 'LogGOPS: allreduce, recursive doubling' each allreduce allreduce_doubling rdb 2 7 16
check 'LogGOPS: allreduce, ring' each allreduce allreduce_ring ring 2 7 16
check 'LogGOPS: reduce, binomial tree' each reduce reduce_binomial binomial 2 7 16
check 'LogGOPS: reduce_scatter, recursive halving' each reduce_scatter reduce_scatter_halving ompi_basic_recursivehalving 2 16
check 'LogGOPS: gather, binomial tree' each gather gather_binomial ompi_binomial 2 7 16
check 'LogGOPS: scatter, binomial tree' each scatter scatter_binomial ompi_binomial 2 7 16
check 'SimGrid: alltoall, pairs' same alltoall-16.tl alltoall alltoall_pair pair "${simgrid[@]}"
check 'SimGrid: alltoall, ring' same alltoall-7.tl alltoall alltoall_ring ring "${simgrid[@]}"
check 'SimGrid: alltoall, Bruck' same alltoall-7.tl alltoall alltoall_bruck bruck "${simgrid[@]}"
same_stencil() { same "$top_srcdir/traces/stencil-64.tl" allreduce allreduce_doubling rdb --no-compute "$@"; }
check 'LogGOPS: allreduce on a Cartesian communicator of a recorded trace' same_stencil "${loggops[@]}"
check 'SimGrid: allreduce on a Cartesian communicator of a recorded trace' same_stencil --platform dahu --ranks-per-host 2

# A schedule may depend on the size: a chain in one part for short buffers, in four for long ones.
chain() { # NAME PARTS
    cat >"$1" <<END
schedule 1
operation bcast
parts $2
let n = $2
for k = 0 to n - 1 {
    recv from rank == root_rank ? null : (rank - 1) % ranks
    wait
    send to (rank + 1) % ranks == root_rank ? null : (rank + 1) % ranks block k
}
END
}
chain one.sched 1
chain four.sched 4
chain both.sched 'bytes > 4096 ? 4 : 1'
printf 'skeleton 1\nranks 5\nMPI_Bcast peer=0 count=1000\nMPI_Barrier\nMPI_Bcast peer=1 count=90000\n' >both.skel
sed 4,5d both.skel >short.skel
sed 3,4d both.skel >long.skel
as_own() { # OPTION...: a schedule that is chosen by size is each of both where it holds
    equal "$("$timeless" replay -q short.skel "$@" --coll bcast=both.sched)" \
        "$("$timeless" replay -q short.skel "$@" --coll bcast=./one.sched)" &&
        equal "$("$timeless" replay -q long.skel "$@" --coll bcast=both.sched)" \
            "$("$timeless" replay -q long.skel "$@" --coll bcast=./four.sched)" &&
        "$timeless" replay -q both.skel "$@" --coll bcast=both.sched &&
        ! equal "$("$timeless" replay -q long.skel "$@" --coll bcast=both.sched)" \
            "$("$timeless" replay -q long.skel "$@" --coll bcast=./one.sched)"
}
check 'LogGOPS: parts by the size of the buffer' as_own "${loggops[@]}"
check 'SimGrid: parts by the size of the buffer' as_own "${simgrid[@]}"

# All roots, and schedules that no engine has.
for op in bcast reduce gather scatter; do
    for file in "$schedules/${op}_"*.sched; do
        for root in 0 3; do
            "$timeless" dump "$op-7.tl" | sed "s/peer=0/peer=$root/" >root.txt
            case $file in
            *reduce_scatter*) continue ;;
            *rabenseifner*) "$timeless" make call_$op -n 8 -o eight.tl && "$timeless" dump eight.tl |
                sed "s/peer=0/peer=$root/" >root.txt ;;
            esac
            "$timeless" undump root.txt -o root.tl
            check "$(basename "$file" .sched) with root $root gives each rank its data" "$timeless" replay -q root.tl \
                "${loggops[@]}" --coll "$op=$file"
        done
    done
done
tested() { grep -oE '\b[a-z]+_[a-z_]+\b' "$top_srcdir/tests/cli/schedules.sh" | sort -u |
    grep -cxF "$(cd "$schedules" && ls | grep -v '^reduce_rabenseifner\|^bcast_scatter' | sed 's/.sched$//')"; }
check 'every shipped schedule is tested' test "$(tested)" -eq "$(($(ls "$schedules" | wc -l) - 2))"

# What a prediction prints.
"$timeless" replay alltoall-7.tl "${simgrid[@]}" --coll "alltoall=$schedules/alltoall_ring.sched" --json=p.json >printed
check 'the prediction names trace, schedule and hash' bash -c 'grep -q "^trace  *alltoall-7.tl, xxh64" printed &&
    grep -qE "^options  *smpi/alltoall:.*alltoall_ring.sched \(xxh64 [0-9a-f]{16}\)$" printed'
check 'the prediction has the hash of the trace' bash -c 'h=$("$0" info alltoall-7.tl |
    sed -n "s/^hash  *//p"); grep -q "^trace .* $h$" printed' "$timeless"
check 'study collectives compares schedules, and marks those that do not serve a number of ranks' \
    "$timeless" study collectives --op alltoall --ranks 8,12 --bytes 8 "${loggops[@]}" \
    --algorithms "pair,$schedules/alltoall_pair.sched" --csv study.csv
check 'the times of a study are those of the same algorithm' python3 -c '
import csv
rows = [r for r in csv.DictReader(open("study.csv")) if not r["algorithm"].startswith("rule")]
eight = {r["makespan_s"] for r in rows if r["ranks"] == "8"}
(refused,) = [r for r in rows if r["ranks"] == "12" and r["algorithm"] != "pair"]
assert len(eight) == 1 and "" not in eight and "a power of two of ranks" in refused["error"], rows'
cp "$schedules/alltoall_ring.sched" change.sched
sweep() { "$timeless" sweep alltoall-16.tl "${loggops[@]}" --grid coll.alltoall=./change.sched,ring -o sweep.csv; }
changed() { sed -n 's/^alltoall-16.tl,//; s/^.*change.sched,\([^,]*\),.*/\1/p' sweep.csv; }
check 'sweep takes a schedule as a value' sweep
before=$(changed)
cp "$schedules/alltoall_bruck.sched" change.sched
check 'and again when the schedule has changed' sweep
check 'the point is run again' test "$before" != "$(changed)" -a -n "$before"

# The page: its schedule and its commands.
mkdir bin && ln -s "$timeless" bin/timeless && PATH=$PWD/bin:$PATH
awk '/^schedule 1$/ {inside = 1} /^```$/ {inside = 0} inside' "$top_srcdir/doc/SCHEDULE.md" >ring.sched
while IFS= read -r command <&3; do check "SCHEDULE.md: $command" bash -c "$command"
    done 3< <(sed -n '/^```sh$/,/^```$/{/^```/!p}' "$top_srcdir/doc/SCHEDULE.md")
check 'the schedule of the page is the shipped one' bash -c 'grep -v "^#" ring.sched | diff - <(grep -v "^#" "$0")' \
    "$schedules/allgather_ring.sched"

check 'comments and empty lines may precede the first line' bash -c \
    '{ printf "# A ring.\n\n   # By hand.\n"; cat "$0"; } >commented.sched &&
    "$1" replay -q alltoall-7.tl "${@:2}" --coll alltoall=./commented.sched >commented &&
    "$1" replay -q alltoall-7.tl "${@:2}" --coll "alltoall=$0" | diff commented -' "$schedules/alltoall_ring.sched" "$timeless" \
    "${loggops[@]}"

# Damaged texts: an error or a right schedule, never a crash.
damaged() {
    python3 - "$timeless" "$schedules" "${DAMAGED:-60}" "${loggops[@]}" <<'END'
import os, random, subprocess, sys
program, folder, n, options = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4:]
draw, codes = random.Random(7), {}
names = sorted(os.listdir(folder))
for i in range(n):
    name = names[i % len(names)]
    text = bytearray(open(f"{folder}/{name}", "rb").read())
    for _ in range(draw.randint(1, 3)):
        at = draw.randrange(len(text))
        kind = draw.randrange(3)
        if kind == 0: text[at] = draw.choice(b"0123456789+-*/%(){}<>&|^ \nkrs")
        elif kind == 1: del text[at:at + draw.randint(1, 12)]
        else: text[at:at] = bytes(draw.choices(b" 9-(){}\nr", k=draw.randint(1, 3)))
    open("damaged.sched", "wb").write(text)
    op = "reduce_scatter" if name.startswith("reduce_scatter") else name.split("_")[0]
    code = subprocess.run([program, "replay", "-q", f"{op}-16.tl" if os.path.exists(f"{op}-16.tl") else f"{op}-4.tl", *options,
        "--coll", f"{op}=./damaged.sched"], capture_output=True, timeout=60).returncode
    assert code in (0, 2, 3), (i, name, code)
    codes[code] = codes.get(code, 0) + 1
print(codes)
assert codes.get(3, 0) > n // 3
END
}
check 'damaged schedules are refused or right' damaged
tap_done
