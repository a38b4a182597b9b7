#!/usr/bin/env bash
# skeleton.sh - skeletons (doc/SKELETON.md): replay with --ranks and --set.
# MUTATIONS=N damages N texts instead of 100.
. "$top_srcdir/tests/tap.sh"
export TIMELESS_PLATFORMS=$top_srcdir/platforms
skeletons=$(cd "$top_srcdir/traces/skeletons" && pwd)
cd "$scratch" || exit 99
loggops="--engine loggops --params L=5.3us,o=2.3us,g=2us,G=2.5ns,O=1ns"

"$timeless" dump pattern:random,ranks=37,iterations=3 >random.txt
check 'random: each step is a permutation, and its receives are its sends' python3 - random.txt <<'END'
import re, sys
to, back, rank = {}, {}, None
for line in open(sys.argv[1]):
    m = re.search(r"^ *rank (\d+)", line)
    if m:
        rank = int(m.group(1))
    m = re.search(r"MPI_Sendrecv.*\bpeer=(\d+).*\btag=(\d+).*\brecv_peer=(\d+)", line)
    if m:
        to[int(m.group(2)), rank], back[int(m.group(2)), rank] = int(m.group(1)), int(m.group(3))
assert len(to) == 3 * 37
for tag in range(3):
    assert sorted(to[tag, r] for r in range(37)) == list(range(37))
    assert all(back[tag, to[tag, r]] == r for r in range(37))
assert len({tuple(to[tag, r] for r in range(37)) for tag in range(3)}) == 3
END

printf '%s\n' 'skeleton 1' 'ranks 4' 'param any = 2' 'MPI_Bcast peer=any count=any + 1' >any.skel
check 'a parameter may have the name any' prints '~^3 1 MPI_Bcast count=4 type_bytes=1 peer=3 ' "$timeless" dump any.skel,any=3

awk '/^comm shared = 0/, /^```/' "$top_srcdir/doc/SKELETON.md" | sed '/^```/d; 1i skeleton 1\nranks 4' >window.skel
check 'a window is made, used and freed' prints '~^0 3 MPI_Put count=100 type_bytes=1 peer=1 comm=3 ' "$timeless" dump window.skel
check 'and both engines replay it' bash -c '"$0" replay -q window.skel -p star-1g --no-compute &&
    "$0" replay -q window.skel $1' "$timeless" "$loggops"

# ---- in place of a trace ----

ring=$skeletons/ring.skel
"$timeless" info $ring >info.txt
check 'info: the events of the default number of ranks' grep -q '^ *480  MPI_Sendrecv' info.txt
"$timeless" replay $ring,ranks=32,bytes=5000 -p star-1g -q >first
check 'replay: --ranks and --set are the parameters behind the path' \
    equal "$("$timeless" replay $ring --ranks 32 --set bytes=5000 -p star-1g -q)" "$(cat first)"
"$timeless" replay $ring --ranks 32 --set bytes=5000 --set link.latency=1ms -p star-1g -q >second
check 'replay: a change of the platform beside a parameter' bash -c '[ -s second ] && ! cmp -s first second'
"$timeless" dump $ring >dump.txt
check 'a table names it so, without a function' bash -c '"$1" replay "$2" --engine loggops --no-compute \
    --params L=5us,o=2us,g=2us,G=2.5ns,O=1ns --details >table && grep -q "^MPI_[A-Za-z]* ring.skel:8 " table && ! grep -q "? (" table' - "$timeless" "$ring"
check 'dump: a call site is a line of the skeleton' grep -q '^site 1 .*file="ring.skel" line=8' dump.txt
check 'make: a trace of a skeleton' "$timeless" make $ring ranks=8 iterations=2 -o ring.tl
check 'make: it has the events of the skeleton' same_events $ring,ranks=8,iterations=2 ring.tl
cp $ring 'a,b=1.skel'
check 'info: a comma in the name of the file' "$timeless" info 'a,b=1.skel,ranks=3'
"$timeless" info --json $ring | grep '"hash"' >first
sed 's/2 \* (ranks - 1)/ranks/' $ring >ring.skel
"$timeless" info --json ring.skel | grep '"hash"' >second
check 'info: another text has another hash' bash -c '[ -s first ] && [ -s second ] && ! cmp -s first second'
peak_kb() { /usr/bin/env python3 -c 'import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' "$@"; }
small=$(peak_kb "$timeless" replay $skeletons/stencil2d.skel --set iterations=10 -p star-1g -q)
large=$(peak_kb "$timeless" replay $skeletons/stencil2d.skel --set iterations=1000 -p star-1g -q)
check "replay: 100 times the events in the same memory ($small and $large kB)" test "$large" -lt $((small + small / 10))
# A recorded trace, too. Two ranks that differ: both would be kept.
cat >long.skel <<'TEXT'
skeleton 1
ranks 2
param N = 1
for i = 1 to N {
    if rank == 0 { MPI_Send peer=1 tag=1 count=i % 100 type_bytes=8 }
    if rank == 1 { MPI_Recv peer=0 tag=1 count=i % 100 type_bytes=8 }
}
TEXT
loggops() { "$timeless" replay "$@" -p star-1g --ranks-per-host 1 --engine loggops --no-compute -q; }
kb_of_long() { # NUMBER: of the replay of a trace of twice as many events
    "$timeless" make long.skel N="$1" -o long.tl && peak_kb "$timeless" replay long.tl -p star-1g --engine loggops --no-compute -q
}
small=$(kb_of_long 600000) large=$(kb_of_long 1200000)
check "replay: a trace of twice the events in the same memory, loggops ($small and $large kB)" test "$large" -lt $((small + small / 10))
check 'replay: the trace takes as long as the program that makes it' equal "$(loggops long.tl)" "$(loggops long.skel --set N=1200000)"

# A communicator that is made again takes as long as another one.
commands() { printf '%s\n' 'skeleton 1' 'ranks 4' 'comm a = rank % 2' 'comm b = rank % 2' "$@"; }
commands 'repeat 2 {' 'MPI_Comm_split new_comm=a' 'MPI_Allreduce comm=a count=9' 'MPI_Comm_free comm=a' '}' \
    'MPI_Comm_split new_comm=b' >again.skel
commands 'MPI_Comm_split new_comm=a' 'MPI_Allreduce comm=a count=9' 'MPI_Comm_free comm=a' 'MPI_Comm_split new_comm=b' \
    'MPI_Allreduce comm=b count=9' \
    'MPI_Comm_free comm=b' 'MPI_Comm_split new_comm=c' | sed 's/^comm b.*/&\ncomm c = rank % 2/' >once.skel
smpi() { "$timeless" replay "$1" -p star-1g --no-compute -q; }
check 'a communicator made again takes as long as another one' equal "$(smpi again.skel) $(loggops again.skel)" \
    "$(smpi once.skel) $(loggops once.skel)"

# The page: the skeleton in it, and its commands.
page=$top_srcdir/doc/SKELETON.md
awk '/^```$/ {if (on) exit; on = 1; next} on' "$page" >jacobi.skel
while read -r command; do
    check "SKELETON.md: $command" bash -c "PATH=$(dirname "$timeless"):\$PATH; $command"
done < <(awk '/^```sh$/ {on = 1; next} /^```$/ {on = 0} on' "$page")
check 'SKELETON.md: all of its commands ran' test -s jacobi-64.tl

# ---- the language ----

# text LINE...: x.skel
text() { printf '%s\n' 'skeleton 1' 'ranks 4' "$@" >x.skel; }
# Each expression gives the tag of a message of each rank: 1 if it has its value.
mapfile -t values <<'VALUES'
2 + 3 * 4;14
7 / 2;3
-7 / 2;-4
-7 % 4;1
7 % -4;-1
1 << 3 | 1;9
6 & 3 ^ 1;3
5 > 3 && !0;1
0 && 1 / 0;0
1 ? 2 : 1 / 0;2
min(3, -1) + max(3, -1) + abs(-4);6
bits(0) + bits(1) + bits(8);5
root(26, 3) + root(27, 3) + root(9223372036854775807, 2);3037000504
owner(70, 16, 3);1
local(70, 16, 0, 3) * 10000 + local(70, 16, 1, 3) * 100 + local(70, 16, 2, 3);322216
dims(12, 2, 0) * 100 + dims(12, 2, 1) * 10 + dims(30, 3, 2);432
9223372036854775807 - 1 + 1;9223372036854775807
VALUES
text "${values[@]/#/MPI_Send peer=0 count=0 tag=(}"
sed -i 's/tag=(\(.*\);\(.*\)/tag=(\1) == (\2) ? 1 : 0/' x.skel
"$timeless" dump x.skel | awk '/MPI_Send/ { n[$2] += / tag=1 / } END { for (i = 1; i in n; i++) print n[i] }' >right
mapfile -t right <right
for i in "${!values[@]}"; do check "${values[i]%;*} is ${values[i]#*;}" equal "${right[i]:-}" 4; done
text 'unit "instructions"' 'grid g = 2, 2 periodic' 'let me = coord(g, 0) * 2 + coord(g, 1)' 'for i = 3 to 1 by -2 {' \
    '    compute 10 * i + me' '}' 'if rank == 0 {' '    MPI_Send peer=neighbour(g, 0, -1) count=1' '} else if rank == 1 {' \
    '    dgemm m=4 n=rank k=6' '} else {' '    MPI_Isend peer=self_or_0 count=3 type_bytes=8 request=a[rank]' \
    '    MPI_Wait request=a[rank]' '}'
sed -i 's/self_or_0/neighbour(g, 1, 2)/' x.skel
cat >expected <<'EVENTS'
0 1 MPI_Send count=1 type_bytes=1 peer=null tag=0 comm=1 volume=40
1 1 dgemm m=4 n=1 k=6 volume=42
2 1 MPI_Isend count=3 type_bytes=8 peer=2 tag=0 comm=1 request=1 volume=44
2 2 MPI_Wait request=1 volume=0
3 1 MPI_Isend count=3 type_bytes=8 peer=3 tag=0 comm=1 request=1 volume=46
3 2 MPI_Wait request=1 volume=0
EVENTS
check 'dump: computation, kernels, grids, conditions, requests with an index' bash -c '"$1" dump x.skel |
    sed -n "/_Init\|_Finalize/d;/^[0-9]/s/ site=[0-9]*$//p" | cmp - expected' - "$timeless"
check 'dump: the unit of the computation' prints '~^volume_unit "instructions"$' "$timeless" dump x.skel
check 'dump: computation behind the last call' bash -c \
    'printf "skeleton 1\nranks 1\nunit \"flops\"\ncompute 5\n" >y.skel; "$1" dump y.skel | grep -q "MPI_Finalize .*volume=5 "' - "$timeless"

text 'grid g = 2, 2' 'comm row = coord(g, 0)' 'comm back = 0, -rank' 'comm even = rank % 2 == 0 ? 0 : null' 'MPI_Comm_split new_comm=row' \
    'MPI_Comm_split new_comm=back' 'MPI_Comm_split new_comm=even' 'MPI_Send comm=row peer=(rank_in(row) + 1) % ranks_in(row) count=1' \
    'if rank_in(even) != null {' '    MPI_Reduce comm=even peer=1 count=5 in_place=rank_in(even) == 1 noncommutative=1' \
    '    MPI_Comm_free comm=even' '}' \
    'MPI_Alltoallv comm=back counts=rank_in(back) + 1 recv_counts=each + 1' 'MPI_Gatherv peer=2 count=rank recv_counts=each' \
    'MPI_Send peer=around(g, 8) count=1' 'MPI_Send peer=around(g, 1) count=1'
cat >expected <<'EVENTS'
comm 3 parent=1 call=MPI_Comm_split members=[2,3]
comm 4 parent=1 call=MPI_Comm_split members=[3-0]
comm 5 parent=1 call=MPI_Comm_split members=[0,2]
2 1 MPI_Comm_split comm=1 new_comm=3 volume=0
2 2 MPI_Comm_split comm=1 new_comm=4 volume=0
2 3 MPI_Comm_split comm=1 new_comm=5 volume=0
2 4 MPI_Send count=1 type_bytes=1 peer=1 tag=0 comm=3 volume=0
2 5 MPI_Reduce count=5 type_bytes=1 peer=1 comm=5 in_place=1 noncommutative=1 volume=0
2 6 MPI_Comm_free comm=5 volume=0
2 7 MPI_Alltoallv type_bytes=1 recv_type_bytes=1 comm=4 list=[2,2,2,2,1,2,3,4] volume=0
2 8 MPI_Gatherv count=2 type_bytes=1 peer=2 recv_type_bytes=1 comm=1 list=[0,1,2,3] volume=0
2 9 MPI_Send count=1 type_bytes=1 peer=null tag=0 comm=1 volume=0
2 10 MPI_Send count=1 type_bytes=1 peer=0 tag=0 comm=1 volume=0
comm 3 parent=1 call=MPI_Comm_split members=[2,3]
comm 4 parent=1 call=MPI_Comm_split members=[3-0]
3 1 MPI_Comm_split comm=1 new_comm=3 volume=0
3 2 MPI_Comm_split comm=1 new_comm=4 volume=0
3 3 MPI_Comm_split comm=1 new_comm=0 volume=0
3 4 MPI_Send count=1 type_bytes=1 peer=0 tag=0 comm=3 volume=0
3 5 MPI_Alltoallv type_bytes=1 recv_type_bytes=1 comm=4 list=[1,1,1,1,1,2,3,4] volume=0
3 6 MPI_Gatherv count=3 type_bytes=1 peer=2 recv_type_bytes=0 comm=1 list=[] volume=0
3 7 MPI_Send count=1 type_bytes=1 peer=null tag=0 comm=1 volume=0
3 8 MPI_Send count=1 type_bytes=1 peer=1 tag=0 comm=1 volume=0
EVENTS
two_ranks() { "$timeless" dump "$1" | sed -n '/^rank 2/,$p' | sed -n '/_Init\|_Finalize/d; s/ site=[0-9]*$//; /^[0-9c]/p' |
    cmp - expected; }
check 'dump: communicators, lists of counts, MPI_IN_PLACE, offsets in a grid' two_ranks x.skel
check 'make: a trace with the same communicators' bash -c '"$1" make x.skel -o comms.tl' - "$timeless"
check 'make: and the same calls' two_ranks comms.tl

# ---- draws ----

cat >drawn.skel <<'EOS'
skeleton 1
ranks 6
param steps = 4
param draw_seed = 1
grid line = ranks periodic
comm half = rank % 2, -rank
distribution sizes = 3, 10, 20, 50 seed draw_seed
distribution share = 700, 1000, 1300
MPI_Comm_split new_comm=half
for step = 1 to steps {
    for side = -1 to 1 by 2 {
        MPI_Irecv peer=neighbour(line, 0, -side) count=draw(sizes) tag=side + 1 request=a
    }
    for side = 1 to -1 by -2 {
        MPI_Isend peer=neighbour(line, 0, side) count=draw(sizes) tag=side + 1 request=a
    }
    MPI_Waitall request=a
    MPI_Sendrecv comm=half peer=(rank_in(half) + 1) % ranks_in(half) recv_peer=(rank_in(half) - 1) % ranks_in(half) count=2 * draw(sizes) \
        recv_count=2 * draw(sizes) tag=step
    if rank > 0 {
        MPI_Send peer=rank - 1 count=draw(share)
    }
    if rank < ranks - 1 {
        MPI_Recv peer=rank + 1 count=draw(share)
    }
    MPI_Alltoallv counts=draw(sizes) recv_counts=draw(sizes) type_bytes=4
    MPI_Alltoallv comm=half counts=draw(sizes) recv_counts=draw(sizes) in_place=1
    MPI_Bcast peer=0 count=draw(share)
    MPI_Allreduce comm=half count=draw(share)
    MPI_Allgatherv comm=half count=draw(share) recv_counts=draw(share)
    if rank == 2 {
        MPI_Gatherv peer=2 count=draw(share) recv_counts=draw(share)
    } else {
        MPI_Gatherv peer=2 count=draw(share) recv_counts=0
    }
    MPI_Scatterv peer=1 counts=draw(share) recv_count=draw(share)
    MPI_Reduce_scatter counts=draw(share)
}
EOS
check 'draws: both engines replay it' bash -c '"$1" replay drawn.skel -p star-1g -q && "$1" replay drawn.skel $2 -q' - \
    "$timeless" "$loggops"
check 'draws: other ranks' "$timeless" replay drawn.skel --ranks 16 $loggops -q
"$timeless" dump drawn.skel >first
check 'draws: the same seed, the same bytes' bash -c '"$1" dump drawn.skel | cmp - first' - "$timeless"
check 'draws: a rank alone makes the same' bash -c '"$1" dump --rank 3 drawn.skel | sed -n "/^3 /p" >own; [ -s own ] &&
    sed -n "/^3 /p" first | cmp - own' - "$timeless"
"$timeless" dump drawn.skel,draw_seed=2 >second
check 'draws: another seed, other sizes' bash -c '! cmp -s first second'
check 'draws: another seed, the same calls' bash -c \
    'for f in first second; do sed "/^[0-9]/!d; s/ \(recv_\)*count=[0-9]*//g; s/ list=[^ ]*//" $f >$f.calls; done
    cmp first.calls second.calls'
# Both sides of each message and each pair of ranks, and the same size on all ranks of a collective.
cat >agree.py <<'PY'
import re, sys
from collections import Counter, defaultdict
n, halves = 6, {0: [4, 2, 0], 1: [5, 3, 1]}
turn, sent, got, pairs, same, values = Counter(), {}, {}, defaultdict(list), defaultdict(set), set()
for line in open(sys.argv[1]):
    if not re.match(r"\d+ \d+ MPI_", line):
        continue
    rank, _, call, *words = line.split()
    rank, e = int(rank), dict(w.split("=", 1) for w in words)
    half, numbers = e.get("comm") == "3", [int(x) for x in re.findall(r"\d+", e.get("list", ""))] if "Wait" not in call else []
    members = halves[rank % 2] if half else list(range(n))
    def message(table, other, size, tag):
        key = (members[int(other)], rank, tag, half) if table is got else (rank, members[int(other)], tag, half)
        turn[table is got, key] += 1
        table[key + (turn[table is got, key],)] = int(size)
        values.add(int(size))
    if call in ("MPI_Isend", "MPI_Send", "MPI_Sendrecv"):
        message(sent, e["peer"], e["count"], e["tag"])
    if call in ("MPI_Irecv", "MPI_Recv"):
        message(got, e["peer"], e["count"], e["tag"])
    if call == "MPI_Sendrecv":
        message(got, e["recv_peer"], e["recv_count"], e["recv_tag"])
    turn[rank, call, half] += 1
    k = turn[rank, call, half]
    if call == "MPI_Alltoallv":
        me = members.index(rank)
        for i in range(len(members)):
            pairs[call, half, rank % 2 * half, k, me, i].append(numbers[i])
            pairs[call, half, rank % 2 * half, k, i, me].append(numbers[len(members) + i])
            if half:
                pairs[call, half, rank % 2, k, min(i, me), max(i, me)].append(numbers[i])
    elif call in ("MPI_Bcast", "MPI_Allreduce"):
        same[call, k, rank % 2 * half].add(e["count"])
    elif call in ("MPI_Allgatherv", "MPI_Reduce_scatter"):
        same[call, k, rank % 2 * half].add(tuple(numbers))
    elif call in ("MPI_Gatherv", "MPI_Scatterv"):
        for i, number in enumerate(numbers):
            same[call, k, i].add(number)
    if call in ("MPI_Gatherv", "MPI_Allgatherv"):
        same["MPI_Gatherv", k, rank].add(int(e["count"])) if call == "MPI_Gatherv" else None
        assert call == "MPI_Gatherv" or numbers[members.index(rank)] == int(e["count"])
    if call == "MPI_Scatterv":
        same[call, k, rank].add(int(e["recv_count"]))
assert sent == got and len(sent) == 4 * (2 * n + n + n - 1), (len(sent), len(got))
assert all(len(set(v)) == 1 for v in pairs.values()) and len(pairs) == 4 * (36 + 18)
assert all(len(v) == 1 for v in same.values()) and len(same) == 4 * (1 + 2 + 2 + 1 + n + n), len(same)
assert len(values) > 30 and len({x for v in same.values() for x in v}) > 50
# No value is for two ranks or two turns by mistake.
assert len({v[0] for k, v in pairs.items()}) > 30
PY
check 'draws: both sides of all messages, pairs and collectives agree' python3 agree.py first
check 'draws: with another seed, too' python3 agree.py second
# between SIZES LEAST GREATEST MEAN BELOW: of 5000 draws, the least and the greatest are at most and at least these, the mean is
# this within 3 %, and half of them are at most BELOW
between() {
    text "distribution d = $1" 'repeat 5000 { MPI_Bcast peer=0 count=draw(d) }'
    "$timeless" dump x.skel,ranks=1 | sed -n 's/.*Bcast count=\([0-9]*\).*/\1/p' >drawn.txt
    python3 - "${@:2}" <<'PY'
import sys
sizes, (least, greatest, mean, below) = [int(line) for line in open("drawn.txt")], map(int, sys.argv[1:])
share = sum(size <= below for size in sizes) / len(sizes)
print(len(sizes), min(sizes), max(sizes), sum(sizes) / len(sizes), share)
assert len(sizes) == 5000 and min(sizes) <= least and max(sizes) >= greatest
assert 0.97 * mean <= sum(sizes) / len(sizes) <= 1.03 * mean and (0.47 < share < 0.53 or least == greatest)
PY
}
check 'draws: all sizes between two have the same probability' between '0, 1000' 5 995 500 500
check 'draws: half of the sizes are at most the middle one' between '0, 10, 1000' 0 990 255 9
check 'draws: equal sizes' between '7, 7, 7' 7 7 7 7
check 'draws: sizes of 63 bits' between '0, 9223372036854775807' 9000000000000000 9200000000000000000 4611686018427387904 \
    4611686018427387904

ulimit -t 60 # of each process: no text may take for ever
# Damaged texts: dump exits with 0, or with 3 and one line with the place.
mkdir damaged
python3 "$top_srcdir/tests/cli/skeleton_texts.py" "${MUTATIONS:-100}" damaged "$skeletons"/*.skel drawn.skel
n_refused=0
survives() {
    local rc file why n=0
    for file in damaged/*.skel; do
        "$timeless" dump "skel:$file" >/dev/null 2>why
        rc=$?
        mapfile -t why <why
        n=$((n + 1))
        [ $rc -ne 0 ] || [ ${#why[@]} != 0 ] || continue
        n_refused=$((n_refused + 1))
        [ $rc -eq 3 ] && [ ${#why[@]} = 1 ] && [[ ${why[0]} =~ ^timeless:\ "$file":[0-9]+:\  ]] && continue
        echo "$file: exit code $rc"
        printf '%s\n' "${why[@]}"
        cp "$file" "${KEEP:-$scratch}/"
        return 1
    done
    [ $n -eq "${MUTATIONS:-100}" ]
}
check 'damaged texts are read, or refused with their line' survives
check 'most of them are refused' test $n_refused -gt $((${MUTATIONS:-100} / 2))
tap_done
