#!/usr/bin/env bash
# timeless fit --holes draw: sizes that depend on data are refused with their range; with this option they are drawn from the captured
# distribution, the same on both sides of a message; peers are refused all the same. With --holes nearest, they are copied from the
# nearest capture. Numbers of iterations that depend on data are a parameter.
. "$top_srcdir/tests/tap.sh"
export TIMELESS_PLATFORMS=$top_srcdir/platforms
cd "$scratch" || exit 99
loggops='--engine loggops --params L=5us,o=2us,g=2us,G=2.5ns,O=1ns'

# program CALL...: program.skel, with these statements in a loop
program() {
    printf '%s\n' 'skeleton 1' 'ranks 4' 'param N = 8' 'param steps = 2' 'grid line = ranks periodic' \
        'grid g = dims(ranks, 2, 0), dims(ranks, 2, 1)' \
        'comm row = coord(g, 0)' 'MPI_Comm_split new_comm=row' 'for step = 1 to steps {' "$@" '}' >program.skel
}
captures() {
    local i=0 one ranks n steps
    rm -f ?.tl
    for one in ${*:-4:4000:5 6:9000:8 12:20000:6 9:7000:3}; do
        i=$((i + 1))
        IFS=: read -r ranks n steps <<<"$one"
        "$timeless" make program.skel ranks="$ranks" N="$n" steps="$steps" -o $i.tl || return
    done
}
fit() { "$timeless" fit ?.tl --parameter N=4000,9000,20000,7000 --parameter steps=5,8,6,3 "$@"; }
# no_fit TEXT OPTION...: the captures of the program have no skeleton
no_fit() { captures && refused 3 "$1" fit -o refused.skel "${@:2}"; }
# data FROM TO MODULUS: a number that depends on data
data() { echo "(($1) * 7919 + ($2) * 104729 + step * 1299709 + N) * 40503 % 65537 % ($3)"; }
before='(rank - 1) % ranks' after='(rank + 1) % ranks' cell='N / (ranks * ranks)'

# ---- a sort: counts for each pair ----

program 'MPI_Allreduce count=64 type_bytes=4' \
    "MPI_Alltoallv counts=$cell / 2 + $(data rank each "$cell") recv_counts=$cell / 2 + $(data each rank "$cell") type_bytes=4"
check 'counts that depend on data are refused with their range, and --holes draw is named' no_fit \
    'MPI_Alltoallv at program.skel:11: no expression has the values of counts (43 to 374 in the captures); the captures have no skeleton: capture other sizes, write the skeleton, or draw these sizes (--holes draw)'
check 'with --holes draw there is a skeleton' fit --holes draw -o sort.skel
cp "$scratch/out" report
check 'the report names the draws, the seed, the call and the range' bash -c '
    grep -qx "contains draws with the seed draw_seed=1: .*" report &&
    grep -qx "sizes0: drawn from the 1475 sizes of MPI_Alltoallv at program.skel:11, 43 to 374, mean 157.62, in proportion to N / (ranks \* ranks)" report'
check 'it has the cross-validation of the sizes' bash -c \
    '[ "$(grep -cx "sizes0 of capture [1-4]: mean [0-9.]* drawn, [0-9.]* captured; [0-9]* to [0-9]* drawn, [0-9]* to [0-9]* captured" report)" = 4 ]'
check 'the means of the captures that are left out are met' bash -c '
    awk "/^sizes0 of capture/ {d = \$6 / \$8 - 1; if (d < -0.06 || d > 0.06) bad = 1; n++} END {exit bad || n != 4}" report'
check 'the skeleton contains the report' bash -c 'sed "s/^/# /" report | grep -vxFf sort.skel; [ $? -eq 1 ]'
check 'the same seed, the same bytes' bash -c 'cp sort.skel first &&
    fit_again() { "$1" fit ?.tl --parameter N=4000,9000,20000,7000 --parameter steps=5,8,6,3 "${@:2}"; }
    fit_again "$1" --holes draw -q -o second.skel && cmp sort.skel second.skel' - "$timeless"
calls() { "$timeless" dump "$1" | sed -n 's/ site=[0-9]*$//; s/ volume=[0-9]*//; /^[0-9]/p'; }
calls sort.skel,ranks=20,N=50000,steps=4 >first
calls sort.skel,ranks=20,N=50000,steps=4 >again
calls sort.skel,ranks=20,N=50000,steps=4,draw_seed=2 >second
calls program.skel,ranks=20,N=50000,steps=4 | grep -v Comm_split >true
check 'the parameter is the seed of the events' bash -c 'cmp first again && ! cmp -s first second'
cat >pairs.py <<'PY'
"""pairs.py FITTED TRUE: what i sends to j is what j receives from i, in each call; the totals are those of the true program."""
import re, sys
def read(path):
    lists, turn = {}, {}
    for line in open(path):
        if "MPI_Alltoallv" in line:
            rank = int(line.split()[0])
            turn[rank] = turn.get(rank, 0) + 1
            lists[rank, turn[rank]] = [int(x) for x in re.search(r"list=\[(.*)\]", line)[1].split(",")]
    return lists
fitted, true = read(sys.argv[1]), read(sys.argv[2])
n = 20
assert len(fitted) == len(true) == 4 * n
for (rank, turn), numbers in fitted.items():
    for other in range(n):
        assert numbers[other] == fitted[other, turn][n + rank]
total = [sum(sum(v) for v in lists.values()) for lists in (fitted, true)]
print(*total)
assert abs(total[0] / total[1] - 1) < 0.02
assert len({tuple(v) for v in fitted.values()}) == 4 * n
PY
check 'sent is received, and the totals of 20 ranks are met within 2 %' python3 pairs.py first true
check 'with another seed, too' python3 pairs.py second true
check 'both engines replay it' bash -c '"$1" replay sort.skel --ranks 20 --set N=50000 -p star-1g -q &&
    "$1" replay sort.skel --ranks 20 --set N=50000 --set draw_seed=7 $2 -q' - "$timeless" "$loggops"
check 'info and make read it' bash -c '"$1" info sort.skel,ranks=20 | grep -q draw_seed=1 &&
    "$1" make sort.skel ranks=20 draw_seed=3 -o sort.tl' - "$timeless"

# ---- messages, and collectives with one size ----

program "MPI_Irecv peer=$before count=N / ranks / 2 + $(data "$before" rank 'N / ranks') request=a" \
    "MPI_Isend peer=$after count=N / ranks / 2 + $(data rank "$after" 'N / ranks') request=a" 'MPI_Waitall request=a' \
    "MPI_Sendrecv peer=$after recv_peer=$before count=$(data rank 5 100) recv_count=$(data "$before" 5 100) tag=3" \
    'if rank > 0 {' "MPI_Send comm=world peer=0 count=$(data rank 3 1000)" '} else {' 'for i = 1 to ranks - 1 {' \
    'MPI_Recv peer=i count=1000' '}' '}' \
    "MPI_Bcast peer=0 count=$(data 1 2 1000)" "MPI_Allgatherv count=$(data rank 7 100) recv_counts=$(data each 7 100) in_place=1" \
    "MPI_Allreduce comm=row count=1 + $(data 'coord(g, 0)' 1 50)" \
    "MPI_Scatterv peer=0 counts=$(data each 8 100) recv_count=$(data rank 8 100)"
check 'captures of messages and collectives' captures
check 'all of their sizes are drawn' fit --holes draw -q -o all.skel
check 'sends and receives share a distribution' bash -c '[ "$(grep -c "^distribution" all.skel)" = 7 ] &&
    grep -q "^# sizes.* of MPI_Irecv at program.skel:10 and MPI_Isend at " all.skel'
check 'a receive with room for more has the size of its message' grep -q 'MPI_Recv .*count=draw(sizes' all.skel
cat >messages.py <<'PY'
"""messages.py FILE: each message is received with the size with which it is sent."""
import sys
from collections import Counter
turn, sizes, n = Counter(), {}, 0
def note(sends, source, to, tag, count):
    global n
    turn[sends, source, to, tag] += 1
    key = (source, to, tag, turn[sends, source, to, tag])
    assert sizes.setdefault(key, count) == count, key
    n += 1
for line in open(sys.argv[1]):
    rank, _, call, *words = line.split()
    e = dict(word.split("=", 1) for word in words)
    if call in ("MPI_Isend", "MPI_Send", "MPI_Sendrecv"):
        note(True, rank, e["peer"], e["tag"], e["count"])
    if call in ("MPI_Irecv", "MPI_Recv"):
        note(False, e["peer"], rank, e["tag"], e["count"])
    if call == "MPI_Sendrecv":
        note(False, e["recv_peer"], rank, e["recv_tag"], e["recv_count"])
assert n == 2 * len(sizes) and len(set(sizes.values())) > 100, (n, len(sizes))
PY
calls all.skel,ranks=20,N=50000 >first
check 'both sides of each message have the same size' python3 messages.py first
check 'both engines replay these, too' bash -c \
    'for n in 4 6 20; do "$1" replay all.skel --ranks $n --set N=50000 -p star-1g -q &&
        "$1" replay all.skel --ranks $n $2 -q ||
        exit 1; done' - "$timeless" "$loggops"

program 'MPI_Bcast peer=0 count=(N == 4000 ? 90 : N == 9000 ? 10 : N == 20000 ? 300 : 7) + step % 2'
check 'sizes with means that no expression has are captured' captures
check 'they are drawn without a scale' fit --holes draw -o plain.skel
check 'the report says so' grep -q \
    '^# sizes0: drawn from the 22 sizes of MPI_Bcast at .*, 7 to 301, .* not scaled: no product of parameters and ranks has the means$' plain.skel
check 'the greatest size is one of the captured ones' bash -c '"$1" dump plain.skel,steps=1000 |
    sed -n "s/.*Bcast count=\([0-9]*\).*/\1/p" | sort -n | sed -n "1p;\$p" | paste -sd" " |
    grep -qE "^([7-9]|1[0-9]) (29[0-9]|30[01])$"' - "$timeless"
program 'MPI_Bcast peer=0 count=N'
check 'sizes with an expression are captured' captures
check 'they are not drawn: the skeleton is the same with --holes draw' bash -c '"$1" fit $2 -o with.skel -q --holes draw &&
    "$1" fit $2 -o without.skel -q && cmp with.skel without.skel' - \
    "$timeless" '1.tl 2.tl 3.tl 4.tl --parameter N=4000,9000,20000,7000 --parameter steps=5,8,6,3'

# ---- iterations until convergence ----

sweeps='for k = 1 to 3 + N * 40503 % 65537 % 17 {'
program MPI_Barrier "$sweeps" 'MPI_Allreduce count=N type_bytes=8' 'MPI_Bcast peer=0 count=1' '}'
check 'numbers of iterations that depend on data: captures' captures
check 'they have a skeleton' fit -o iterations.skel
cp "$scratch/out" report
check 'the report names the parameter, the loop and the numbers' \
    grep -q '^ITERATIONS: iterations of the loop from MPI_Allreduce .* to MPI_Bcast .*: [0-9]*, [0-9]*, [0-9]*, [0-9]* in the captures; ' report
check 'left out, each capture has all of its calls with its own number' test "$(grep -c '^fitted without .* has all of its' report)" = 4
sed "s/^for k = .*/for k = 1 to 29 {/" program.skel >literal.skel
check 'the parameter is the number of iterations' bash -c 'calls() { "$1" dump "$2" |
    sed -n "s/ site=[0-9]*$//; s/ volume=[0-9]*//; /^[0-9]/p" | grep -v Comm_split; }
    cmp <(calls "$1" literal.skel,ranks=8,N=50,steps=3) <(calls "$1" iterations.skel,ranks=8,N=50,steps=3,ITERATIONS=29)' - "$timeless"

# ---- holes ----

program 'MPI_Allreduce count=N type_bytes=8' 'MPI_Isend peer=permute(rank, ranks, N) count=100 request=a' \
    'MPI_Recv peer=unpermute(rank, ranks, N) count=100' 'MPI_Wait request=a'
check 'peers that depend on data are refused' no_fit 'no expression has the values of peer (0 to '
check 'with --holes nearest there is a skeleton' fit --holes nearest -o holes.skel
cp "$scratch/out" report
check 'the report names the call sites with their shares' bash -c \
    'grep -qx "hole: peers of MPI_Isend at program.skel:11: .* % of the calls, .* % of the bytes" report &&
    grep -q "^holes: .* % of the calls with .* % of the bytes" report'
check 'it has the exact calls and the bytes of the captures that are left out' test \
    "$(grep -c '^fitted without .* % of its calls are exact, bytes [-+][0-9.]* %$' report)" = 4
check 'it names the calls that are not exact, and what differs' grep -qE \
    '^not exact without capture [0-9] \(ranks=[0-9]+\): MPI_Isend at program.skel:11: ([0-9]+) calls \(\1 made\), [0-9]+ exact, \1 but for peers$' report
calls holes.skel,ranks=12,N=20000,steps=6 | grep -v Comm_split >first
calls program.skel,ranks=12,N=20000,steps=6 | grep -v Comm_split >true
check 'it has the calls of a capture' cmp first true
ends() { "$timeless" dump "$1" | awk '/MPI_Isend/ && !/peer=null/ {s++} /MPI_Recv/ && !/peer=null/ {r++} END {exit !(s && s == r)}'; }
check 'at other sizes, each message has two ends' ends holes.skel,ranks=30,N=50000,steps=9
check 'both engines replay it' bash -c '"$1" replay holes.skel --ranks 30 --set N=500 -p star-1g -q &&
    "$1" replay holes.skel --ranks 30 $2 -q' - "$timeless" "$loggops"
# The neighbours in an order that no expression has; ranks at edges have fewer.
neighbours='for k = 0 to 8 { if around(g, permute(k, 9, 7)) != null {'
program "$neighbours" 'MPI_Irecv peer=around(g, permute(k, 9, 7)) count=100 request=a' '} }' "$neighbours" \
    'MPI_Isend peer=around(g, permute(k, 9, 7)) count=100 request=a' '} }' 'MPI_Waitall request=a'
captures 4:40:2 6:60:3 9:190:5 12:200:6
check 'neighbours in a grid, in any order: there is a skeleton' \
    "$timeless" fit ?.tl --parameter N=40,60,190,200 --parameter steps=2,3,5,6 --holes nearest -o places.skel
cp "$scratch/out" report
check 'the report names the grid' grep -q '^hole: calls, peers of MPI_Irecv .*; by places in the grid square$' report
# blind: three of the captures do not decide for the grid, so the largest one, left out, is predicted by blocks of ranks
blind() {
    "$timeless" fit [123].tl --parameter N=40,60,190 --parameter steps=2,3,5 --holes nearest -q -o three.skel &&
        ! grep ' by square' three.skel && grep -E '^fitted without capture 4 .* [0-9.]+ % of its calls are exact' report
}
check 'the grid for the capture that is left out is chosen without it' blind
calls places.skel,ranks=42,N=200,steps=6 | grep -v Comm_split >first
calls program.skel,ranks=42,N=200,steps=6 | grep -v Comm_split >true
check 'the ranks of a larger grid have the calls of the captured ranks at their places' cmp first true

check 'at other sizes, each message of them has two ends' bash -c 'for n in 7 16 30 35 64; do "$1" dump places.skel,ranks=$n |
    awk "/MPI_Isend/ && !/peer=null/ {s++} /MPI_Irecv/ && !/peer=null/ {r++} END {exit !(s && s == r)}" || exit; done' - "$timeless"
# A loop that starts requests of two names: both have the rows of the same ranks, or some are never completed.
there='peer=around(g, permute(k, 9, 7)) count=100' back='peer=around(g, permute(8 - k, 9, 7)) count=100'
program "$neighbours" "MPI_Isend $there request=a tag=1" "MPI_Irecv $back request=b tag=2" '} }' "$neighbours" \
    "MPI_Irecv $there request=a tag=1" "MPI_Isend $there request=b tag=2" '} }' 'MPI_Waitall request=a' 'MPI_Waitall request=b'
captures 4:40:2 6:60:3 9:190:5 12:200:6
check 'a loop of two neighbours: there is a skeleton' \
    "$timeless" fit ?.tl --parameter N=40,60,190,200 --parameter steps=2,3,5,6 --holes nearest -q -o two.skel
check 'at other sizes, no rank waits forever' bash -c 'for n in 7 16 20 35; do
    "$1" replay two.skel --ranks $n $2 -q || exit; done' - "$timeless" "$loggops"
# Which workers send to the master depends on data. At more ranks, each block of ranks has a master, to which its workers send.
takes_part() { echo "if permute($1, ranks, N) % 3 != 0 {"; }
program 'if rank == 0 {' 'for i = 1 to ranks - 1 {' "$(takes_part i)" 'MPI_Recv peer=i count=10' '}' '}' '} else {' "$(takes_part rank)" \
    'MPI_Send peer=0 count=10' '}' '}'
check 'captures of a master and workers that depend on data' captures
check 'they have a skeleton' fit --holes nearest -q -o master.skel
check 'at other sizes, each worker has a master that receives' bash -c 'for n in 7 16 20 35; do
    "$1" replay master.skel --ranks $n $2 -q || exit; done' - "$timeless" "$loggops"
# Which ranks are in a communicator depends on data, and some are in none.
of_comm() { printf '%s\n' 'skeleton 1' 'ranks 4' 'param N = 8' 'param steps = 2' "$@" >program.skel; }
of_comm 'comm some = permute(rank, ranks, N) % 3 == 2 ? null : permute(rank, ranks, N) % 3' 'MPI_Comm_split new_comm=some' \
    'repeat steps {' 'if rank_in(some) != null {' 'MPI_Allreduce comm=some count=10' \
    'MPI_Isend comm=some peer=(rank_in(some) + 1) % ranks_in(some) count=5 request=a' \
    'MPI_Recv comm=some peer=(rank_in(some) - 1) % ranks_in(some) count=5' 'MPI_Wait request=a' '}' '}'
captures 5:40:2 6:60:3 9:190:5 12:200:6
fit_members() { "$timeless" fit ?.tl --parameter N=40,60,190,200 --parameter steps=2,3,5,6 "$@" -o members.skel; }
refused_members() { ! fit_members && grep -q 'no condition holds for the members of its communicator' "$scratch/err"; }
check 'a communicator whose members depend on data is refused' refused_members
check 'with --holes nearest, its members are copied' fit_members --holes nearest
cp "$scratch/out" report
check 'the report names the call that makes it' grep -q '^hole: members of the communicators of MPI_Comm_split at ' report
check 'it has the calls and members of a capture' bash -c 'calls() { "$1" dump "$2" | sed -n "s/ site=[0-9]*$//; s/ volume=[0-9]*//; /^[0-9]/p; /^comm/p"; }
    cmp <(calls "$1" members.skel,ranks=12,N=200,steps=6) <(calls "$1" 4.tl)' - "$timeless"
check 'at other sizes, each message has two ends' ends members.skel,ranks=40,N=200
check 'both engines replay it' bash -c '"$1" replay members.skel --ranks 40 -p star-1g -q && "$1" replay members.skel --ranks 40 $2 -q' \
    - "$timeless" "$loggops"
# Rows and columns of a grid, with partners and roots in them that depend on data.
of_comm 'grid g = dims(ranks, 2, 0), dims(ranks, 2, 1)' 'comm row = coord(g, 0)' 'comm column = coord(g, 1)' \
    'MPI_Comm_split new_comm=row' 'MPI_Comm_split new_comm=column' 'for step = 1 to steps {' \
    'MPI_Isend comm=row peer=permute(rank_in(row), ranks_in(row), N + coord(g, 0)) count=5 request=a' \
    'MPI_Recv comm=row peer=unpermute(rank_in(row), ranks_in(row), N + coord(g, 0)) count=5' 'MPI_Wait request=a' \
    'MPI_Bcast comm=column peer=(N + coord(g, 1)) * 40503 % 65537 % ranks_in(column) count=7' '}'
captures 4:40:2 6:60:3 9:190:5 12:200:6
check 'partners in rows and columns of a grid: there is a skeleton' \
    "$timeless" fit ?.tl --parameter N=40,60,190,200 --parameter steps=2,3,5,6 --holes nearest -o rows.skel
cp "$scratch/out" report
check 'the report names the grid along which the captured ranks repeat' grep -q '^hole: peers of MPI_Isend .*; in blocks of the grid square$' report
check 'the skeleton has partners in the communicator' grep -q 'MPI_Isend peer=partner(copy[0-9]*, comm[0-9]*) ' rows.skel
check 'at other sizes, rows and columns make the same calls' bash -c 'for n in 7 8 16 20 35; do
    "$1" replay rows.skel --ranks $n $2 -q || exit; done' - "$timeless" "$loggops"
check 'and in the other engine' "$timeless" replay rows.skel --ranks 20 -p star-1g -q
# One end of the messages has an expression, and the numbers of the other end depend on data: these are equal at the captured sizes.
count='(step * 1299709 + N) * 40503 % 65537 % 4'
program 'repeat ranks {' 'MPI_Irecv comm=self peer=0 count=10 request=a' '}' "repeat $count {" 'MPI_Isend comm=self peer=0 count=10 request=b' \
    '}' "repeat ranks - $count {" 'MPI_Isend comm=self peer=0 count=10 request=b' '}' 'MPI_Waitall request=all'
captures 4:40:2 6:60:3 9:190:5 12:200:6
check 'as many receives as ranks, and sends that depend on data: there is a skeleton' \
    "$timeless" fit ?.tl --parameter N=40,60,190,200 --parameter steps=2,3,5,6 --holes nearest -q -o ends.skel
check 'at other sizes, no rank waits forever' bash -c 'for n in 7 16 20; do
    "$1" replay ends.skel --ranks $n $2 -q || exit; done' - "$timeless" "$loggops"
# The ranks in turn send what depends on data to the first one, and all meet before each: only the sizes are holes.
size='N / ranks + (from * 1299709 + N) * 40503 % 65537 % 97'
printf '%s\n' 'skeleton 1' 'ranks 4' 'param N = 8' 'for i = 0 to ranks - 1 {' 'MPI_Barrier' 'if i > 0 && rank == i {' \
    "MPI_Send peer=0 count=${size//from/rank} tag=rank + ranks" '} else if i > 0 && rank == 0 {' \
    "MPI_Recv peer=i count=${size//from/i} tag=i + ranks" '}' '}' >program.skel
in_turn() {
    rm -f ?.tl
    for ranks in 4 5 6 8; do
        "$timeless" make program.skel ranks=$ranks N=$((ranks * 1000 + 74)) -o $ranks.tl || return
    done
    "$timeless" fit ?.tl --parameter N=4074,5074,6074,8074 --holes nearest -q -o turns.skel
}
check 'ranks in turn send sizes that depend on data: there is a skeleton' in_turn
check 'the sizes are drawn, and nothing is copied' bash -c '! grep -q "^copies" turns.skel && grep -q "MPI_Send .*count=.*draw(" turns.skel'
check 'at another size, all meet as often as the program says' bash -c \
    '[ "$("$1" dump turns.skel,ranks=20 | grep -c MPI_Barrier)" = 400 ]' - "$timeless"
check 'and each message has two ends of the same size' bash -c '"$1" dump turns.skel,ranks=20 >turns.txt &&
    [ "$(grep -c MPI_Send turns.txt)" = 19 ] && cmp <(sed -n "s/.*MPI_Send \(count=[0-9]*\) .*/\1/p" turns.txt | sort) \
        <(sed -n "s/.*MPI_Recv \(count=[0-9]*\) .*/\1/p" turns.txt | sort)' - "$timeless"
# Partners of powers of two have an expression, which numbers of ranks in between do not have. Only the root of the MPI_Bcast is a hole.
printf '%s\n' 'skeleton 1' 'ranks 4' 'param N = 8' 'for k = 0 to bits(ranks) - 2 {' \
    'MPI_Irecv peer=rank ^ (1 << k) count=N request=a' 'MPI_Isend peer=rank ^ (1 << k) count=N request=b' 'MPI_Waitall request=all' '}' \
    'MPI_Bcast peer=(N * 40503 + 17) % 65537 % ranks count=4' >program.skel
butterfly() {
    rm -f ?.tl
    for ranks in 2 4 8 16; do
        "$timeless" make program.skel ranks=$ranks N=$((ranks * 1000 + 74)) -o $((ranks > 9 ? 9 : ranks)).tl || return
    done
    "$timeless" fit ?.tl --parameter N=2074,4074,8074,16074 --holes nearest -q -o butterfly.skel
}
check 'a hole beside partners of powers of two: there is a skeleton' butterfly
check 'the partners keep their expression' grep -qF 'MPI_Isend peer=rank ^ (1 << ' butterfly.skel
check 'only the root is copied' test "$(grep -c '^copies ' butterfly.skel)" = 1
# Communicators that only the largest capture makes.
printf '%s\n' 'skeleton 1' 'ranks 4' 'param N = 8' 'param steps = 2' 'comm pair = rank / 2' 'comm copy = rank / 2' \
    'if ranks == 12 {' '    MPI_Comm_split new_comm=pair' '    MPI_Comm_dup comm=pair new_comm=copy' \
    '    MPI_Allreduce comm=copy count=3' '}' 'MPI_Barrier' >program.skel
captures 4:40:2 6:60:3 9:190:5 12:200:6
check 'a communicator that only one capture makes: there is a skeleton' fit_members --holes nearest
cp "$scratch/out" report
check 'the others have one, too' bash -c '! grep -q "not possible" report && grep -q "^fitted without capture 4" report'
awk '/^## Holes/ {in_holes = 1} in_holes && /^```/ {n++; next} in_holes && n == 1' "$top_srcdir/doc/SKELETON.md" >example.skel
check 'the example of holes in doc/SKELETON.md: each message has two ends' ends example.skel,ranks=10
awk '/^## Holes/ {in_holes = 1} in_holes && /^```/ {n++; next} in_holes && n == 3' "$top_srcdir/doc/SKELETON.md" >example.skel
check 'the example of blocks of a grid: each message has two ends' ends example.skel,ranks=15
tap_done
