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
        "$timeless" make call_"$op" -n "$n" --bytes 1001 --iterations 2 -o "$op-$n.tl" && same "$op-$n.tl" "$op" "$schedule" "$own" "${loggops[@]}" || return
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

# All roots, and schedules that no engine has.
for op in bcast reduce gather scatter; do
    for file in "$schedules/${op}_"*.sched; do
        for root in 0 3; do
            "$timeless" dump "$op-7.tl" | sed "s/peer=0/peer=$root/" >root.txt
            case $file in
            *reduce_scatter*) continue ;;
            *rabenseifner*) "$timeless" make call_$op -n 8 -o eight.tl && "$timeless" dump eight.tl | sed "s/peer=0/peer=$root/" >root.txt ;;
            esac
            "$timeless" undump root.txt -o root.tl
            check "$(basename "$file" .sched) with root $root gives each rank its data" "$timeless" replay -q root.tl "${loggops[@]}" --coll "$op=$file"
        done
    done
done
tested() { grep -oE '\b[a-z]+_[a-z_]+\b' "$top_srcdir/tests/cli/schedules.sh" | sort -u | grep -cxF "$(cd "$schedules" && ls | grep -v '^reduce_rabenseifner\|^bcast_scatter' | sed 's/.sched$//')"; }
check 'every shipped schedule is tested' test "$(tested)" -eq "$(($(ls "$schedules" | wc -l) - 2))"

# What a prediction prints.
"$timeless" replay alltoall-7.tl "${simgrid[@]}" --coll "alltoall=$schedules/alltoall_ring.sched" --json=p.json >printed
check 'the prediction names trace, schedule and hash' bash -c 'grep -q "^trace  *alltoall-7.tl, xxh64" printed && grep -qE "^options  *smpi/alltoall:.*alltoall_ring.sched \(xxh64 [0-9a-f]{16}\)$" printed'
check 'the prediction has the hash of the trace' bash -c 'h=$("$0" info alltoall-7.tl | sed -n "s/^hash  *//p"); grep -q "^trace .* $h$" printed' "$timeless"
check 'study collectives compares schedules, and marks those that do not serve a number of ranks' \
    "$timeless" study collectives --op alltoall --ranks 8,12 --bytes 8 "${loggops[@]}" --algorithms "pair,$schedules/alltoall_pair.sched" --csv study.csv
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
while IFS= read -r command <&3; do check "SCHEDULE.md: $command" bash -c "$command"; done 3< <(sed -n '/^```sh$/,/^```$/{/^```/!p}' "$top_srcdir/doc/SCHEDULE.md")
check 'the schedule of the page is the shipped one' bash -c 'grep -v "^#" ring.sched | diff - <(grep -v "^#" "$0")' "$schedules/allgather_ring.sched"

# Wrong ones. schedule_refused CODE TEXT OPERATION STATEMENTS
schedule_refused() {
    local op=$3
    printf 'schedule 1\noperation %s\n%s\n' "$op" "$4" >wrong.sched
    [ -e "$op-4.tl" ] || "$timeless" make call_"$op" -n 4 -o "$op-4.tl"
    refused "$1" "$2" "$timeless" replay -q "$op-4.tl" "${loggops[@]}" --coll "$op=wrong.sched" && never_says timeless-schedule said
}
ring() { printf 'for k = 1 to %s {\n recv from (rank - 1) %% ranks\n%s\n send to (rank + 1) %% ranks block (rank - k + %s) %% ranks\n wait\n}\n' "$@"; }
check 'a round that is missing: rank and block are named' schedule_refused 3 'rank 0 ends without the block of rank 1' allgather \
    "$(ring 'ranks - 2' '' 1)"
check 'a wait between receive and send: the ranks wait forever' schedule_refused 3 \
    'wrong.sched:4: with 4 ranks, rank 0 waits forever for rank 3' allgather "$(ring 'ranks - 1' wait 1)"
check 'a block that the rank does not have' schedule_refused 3 \
    'rank 0 sends the block of rank 3 to rank 1, but does not have it' allgather "$(ring 'ranks - 1' '' 0)"
check 'a contribution that arrives twice' schedule_refused 3 'the contribution of rank 1 is in both' allreduce \
    $'for k = 1 to ranks - 1 {\ncombine from (rank - 1) % ranks\nsend to (rank + 1) % ranks all\nwait\n}'
check 'a contribution that is lost' schedule_refused 3 'rank 0 ends without the contribution of rank 0 to part 0' reduce \
    $'if rank == 0 {\nfor r = 1 to ranks - 1 {\nrecv from r\nwait\n}\n} else {\nsend to 0 all\n}'
check 'a send without a receive' schedule_refused 3 'rank 1 sends 1 messages to rank 0, which receives 0 from it' reduce \
    $'if rank > 0 {\nsend to 0 all\n}'
check 'a receive without a send' schedule_refused 3 'rank 0 receives 1 messages from rank 1, which sends 0 to it' gather \
    $'if rank == 0 {\nrecv from 1\n}'
check 'alltoall: source and destination of the block are named' schedule_refused 3 \
    'rank 0 ends without the block of rank 1 for rank 0' alltoall ''
check 'a barrier without word of a rank' schedule_refused 3 'rank 0 ends without word of the arrival of rank 2' barrier \
    $'recv from (rank - 1) % ranks\nrecv from (rank + 1) % ranks\nsend to (rank + 1) % ranks\nsend to (rank - 1) % ranks'
check 'a part that does not exist' schedule_refused 3 'block 2 does not exist; blocks are 0 to 1' bcast \
    $'parts 2\nif rank == 0 {\nsend to 1 block 2\n}'
check 'a rank that does not exist' schedule_refused 3 'rank 4 does not exist' barrier 'send to rank + 1'
check 'a message to itself' schedule_refused 3 'a message to itself' barrier 'send to rank'
check 'parts of an operation that has none' schedule_refused 3 'the blocks of allgather are those of its ranks' allgather 'parts 3'
check 'combine in an operation that combines nothing' schedule_refused 3 'allgather combines nothing' allgather 'combine from 0'
check 'another statement' schedule_refused 3 "'MPI_Send' instead of a statement" barrier 'MPI_Send peer=1'
check 'a loop without end' schedule_refused 3 'too many passes' barrier $'for k = 0 to 1 << 60 {\n}'
check 'a need that is not fulfilled' schedule_refused 2 \
    'not possible: the schedule wrong.sched of barrier needs five ranks, but the trace calls it on 4 ranks' barrier \
    'require ranks == 5, "five ranks"'
replay() { "$timeless" replay -q alltoall-16.tl "${loggops[@]}" "$@"; }
check 'comments and empty lines may precede the first line' bash -c '{ printf "# A ring.\n\n   # By hand.\n"; cat "$0"; } >commented.sched &&
    "$1" replay -q alltoall-7.tl "${@:2}" --coll alltoall=./commented.sched >commented &&
    "$1" replay -q alltoall-7.tl "${@:2}" --coll "alltoall=$0" | diff commented -' "$schedules/alltoall_ring.sched" "$timeless" "${loggops[@]}"
printf '# A ring.\n\noperation alltoall\n' >headless.sched
check_exit 3 'a schedule without its first line is refused' replay --coll alltoall=./headless.sched
check_exit 3 'a schedule of another operation is refused' replay --coll alltoall="$schedules/allgather_ring.sched"
check_exit 4 'a file that does not exist is refused' replay --coll alltoall=./no.sched
check_exit 2 'an operation with lists of counts is refused' replay --coll allgatherv="$schedules/allgather_ring.sched"
check_exit 2 'a schedule with --wildcards first is refused' replay --wildcards first --coll alltoall="$schedules/alltoall_ring.sched"

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
