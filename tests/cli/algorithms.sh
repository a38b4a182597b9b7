#!/usr/bin/env bash
# Algorithms of collectives: coll.OPERATION=all lists them; one that cannot serve a case says what it needs.
. "$top_srcdir/tests/tap.sh"
export TIMELESS_PLATFORMS=$top_srcdir/platforms
cd "$scratch" || exit 99
params=L=5us,o=2us,g=2us,G=2.5ns,O=1ns

# plainly_refused CODE TEXT COMMAND...: without an address of SimGrid
plainly_refused() { refused "$@" && never_says /proc/ said; }
sweep() { "$timeless" sweep -p graphene --ranks-per-host 1 "$@"; }

# All algorithms.
check 'SimGrid: coll.alltoall=all sweeps the algorithms' sweep --grid make=call_alltoall --grid make.ranks=8 \
    --grid coll.alltoall=all -o all.csv
"$timeless" make call_alltoall -n 8 -o a.tl
valid=$("$timeless" replay a.tl -p graphene --coll alltoall=none 2>&1 | sed 's/.*no such algorithm; give //; s/([^)]*)//g; s/,/ /g')
for name in $valid; do case $name in default | ompi | mpich | mvapich2 | impi | automatic) ;; *) echo $name ;; esac; done >expected
check 'SimGrid: they are those that it lists, without the selectors' equal "$(column all.csv coll.alltoall)" "$(cat expected)"
check 'SimGrid: there are at least 15 of alltoall' test "$(wc -l <expected)" -ge 15
check 'LogGOPS: coll.bcast=all sweeps the algorithms' "$timeless" sweep --engine loggops --params $params --grid make=call_bcast \
    --grid make.ranks=8 --grid coll.bcast=binomial_tree,all -o l.csv
check 'coll.bcast=all alone is an axis for a plot' "$timeless" sweep --engine loggops --params $params --grid make=call_bcast \
    --grid make.ranks=8 --grid coll.bcast=all -o p.csv --plot p.svg
check 'LogGOPS: an algorithm that is given beside all is not repeated' test \
    "$(column l.csv coll.bcast | sort | uniq -d | wc -l)" -eq 0 -a "$(column l.csv coll.bcast | wc -l)" -ge 9
check 'all is refused for two engines' refused 2 'give one --engine' "$timeless" sweep a.tl -p graphene \
    --grid engine=smpi,loggops --grid coll.alltoall=all
check 'all is refused for a collective without a choice' refused 2 'no choice of algorithms for scan' "$timeless" sweep a.tl \
    -p graphene --grid coll.scan=all

"$timeless" make call_bcast -n 16 --bytes 4096 -o whole.tl
"$timeless" sweep whole.tl -p graphene --ranks-per-host 4 --grid coll.bcast=all -o whole.csv >/dev/null 2>&1
all_receive() { # each algorithm that the sweep can replay
    local name n=0
    for name in $(awk -F, 'NR > 1 && $2 {print $1}' whole.csv); do
        "$timeless" replay whole.tl -p graphene --ranks-per-host 4 --coll bcast="$name" --json=whole.json -q && n=$((n + 1)) &&
            python3 -c 'import json; assert min(r["end_s"] for r in json.load(open("whole.json"))["ranks"][1:]) > 0' ||
            { echo "not in $name"; return 1; }
    done
    [ $n -ge 10 ]
}
check 'in each algorithm of bcast, all ranks receive' all_receive
# Algorithms that use which ranks share a host know it from the start.
if [ "$(simgrid_version)" -eq 332 ]; then
    for i in 1 2; do "$timeless" make call_allreduce -n 16 --iterations $i -o allreduce$i.tl; done
    "$timeless" make call_bcast -n 8 --bytes 64 -o bcast.tl
    once() { "$timeless" replay -q -p graphene "$@"; }
    check 'the first broadcast of MPICH takes the time of a binomial tree' equal \
        "$(once bcast.tl --ranks-per-host 1 --coll-selector mpich)" "$(once bcast.tl --ranks-per-host 1 --coll bcast=binomial_tree)"
    "$timeless" make call_allreduce -n 16 --bytes 65536 -o long.tl
    check 'MPICH with one rank on a host scatters a long allreduce' equal \
        "$(once long.tl --ranks-per-host 1 --coll-selector mpich)" "$(once long.tl --ranks-per-host 1 --coll allreduce=rab_rdb)"
    for name in smp_rdb mvapich2_two_level; do
        check "the second call of allreduce=$name takes as long as the first" awk -v a="$(once allreduce1.tl --coll allreduce=$name)" \
            -v b="$(once allreduce2.tl --coll allreduce=$name)" 'BEGIN { exit !(b > 1.5 * a && b < 2.5 * a) }'
    done
    check 'timeless/host-messages:yes: the hosts are found out by messages, as under smpirun' awk \
        -v a="$(once bcast.tl --ranks-per-host 1 --coll-selector mpich)" \
        -v b="$(once bcast.tl --ranks-per-host 1 --coll-selector mpich --cfg timeless/host-messages:yes)" 'BEGIN { exit !(b > 2 * a) }'
fi

# What does not serve a number of ranks.
"$timeless" make call_alltoall -n 30 -o thirty.tl
check 'pair on 30 ranks: the replay is refused, and the need is named' plainly_refused 2 \
    'timeless: not possible: the algorithm pair of alltoall needs a power of two of ranks, but the trace calls it on 30 ranks' \
    "$timeless" replay thirty.tl -p graphene --coll alltoall=pair
check '3dmesh on 30 ranks: the replay is refused, and the need is named' plainly_refused 2 \
    'the algorithm 3dmesh of alltoall needs' "$timeless" replay thirty.tl -p graphene --coll alltoall=3dmesh
check 'a sweep with points that are not possible succeeds' sweep --grid make=call_alltoall --grid make.ranks=16,30 \
    --grid coll.alltoall=pair,ring -o possible.csv --json=possible.json
cp err notes
check 'it reports how many, and the first' \
    grep -q '1 of 4 points are not possible; the first, .*make.ranks=30 coll.alltoall=pair: .*needs a power of two' notes
check 'the table has the others, and marks the point' python3 -c '
import csv, json
rows = list(csv.DictReader(open("possible.csv")))
assert [bool(r["makespan_s"]) for r in rows] == [True, True, False, True]
assert rows[2]["error"].startswith("not possible: ") and not any("/proc/" in r["error"] for r in rows)
points = json.load(open("possible.json"))["points"]
assert "power of two" in points[2]["not_possible"] and "error" not in points[2]'
"$timeless" make call_bcast -n 4 -o b.tl
check 'an algorithm that crashes SimGrid is named as the reason' plainly_refused 3 \
    "not possible: SimGrid's algorithm SMP_linear of bcast fails on this call" \
    "$timeless" replay b.tl -p graphene --ranks-per-host 1 --coll bcast=SMP_linear
check 'a study names it by a plain line, without the text or an address of SimGrid' "$timeless" study collectives --op allreduce \
    --ranks 4 --bytes 64 -p graphene --ranks-per-host 1 --algorithms rab,mvapich2_two_level,lr --csv plain.csv
check '... in its table' python3 -c '
import csv
errors = [r["error"] for r in csv.DictReader(open("plain.csv")) if r["error"]]
assert errors and all(e.startswith("not possible: SimGrid") and e.endswith("; choose another one") for e in errors), errors
assert not any(w in e for e in errors for w in ("libsimgrid", "0x", "pid", "??")), errors'
cp "$top_srcdir/traces/schedules/alltoall_ring.sched" ring.sched
check 'a study of a schedule in a folder' "$timeless" study collectives --op alltoall --ranks 4 --bytes 64 -p graphene \
    --ranks-per-host 1 --algorithms "$PWD/ring.sched,bruck" --json=mine.json
check '... prints its name without the folder, and the JSON has the whole' bash -c \
    '"$1" study collectives --op alltoall --ranks 4 --bytes 64 -p graphene --ranks-per-host 1 \
        --algorithms "$PWD/ring.sched,bruck" >mine.txt && grep -q "^  ring.sched  " mine.txt &&
        ! grep -q "$PWD" mine.txt && grep -q "$PWD/ring.sched" mine.json' - "$timeless"
check 'a nonblocking collective has no choice of algorithms, so that any is accepted' bash -c '
    "$1" make call_alltoall -n 3 -o n.tl && "$1" dump n.tl |
    sed "s/MPI_Alltoall \(.*\) comm=1/MPI_Ialltoall \1 comm=1 request=1/
        s/^\([0-9]* \)2 MPI_Finalize/\12 MPI_Wait request=1\n\13 MPI_Finalize/" >n.txt &&
    "$1" undump n.txt -o n.tl && "$1" replay n.tl -p graphene --coll alltoall=pair -q' - "$timeless"
check 'other points that fail do not name the path of the made trace' bash -c \
    '! "$1" sweep -p star-1g --ranks-per-host 1 --grid make=call_scan --grid make.ranks=4,40 -o s.csv &&
        ! grep -q /proc/ s.csv && grep -q 40 s.csv' - "$timeless"

# Selectors serve every collective: communicators of different sizes and placements make all calls in one replay.
# SELECTOR_RANKS="$(seq -s' ' 40)" SELECTOR_BYTES=4194304 tries all sizes up to 40.
sizes=${SELECTOR_RANKS:-1 2 3 5 6 7 12}
n_ranks=0 colours=
for n in $sizes; do
    n_ranks=$((n_ranks + n))
    colours+="rank < $n_ranks ? $n : "
done
cat >every.skel <<END
skeleton 1
ranks $n_ranks
param most = ${SELECTOR_BYTES:-524288}
comm part = ${colours}0
MPI_Comm_split new_comm=part
let last = ranks_in(part) - 1
for k = 0 to 2 {
    let n = k == 0 ? 1 : k == 1 ? 20000 : most
    MPI_Barrier comm=part
    MPI_Bcast comm=part peer=last count=n
    MPI_Reduce comm=part peer=last count=n
    MPI_Reduce comm=part peer=0 count=n noncommutative=1
    MPI_Allreduce comm=part count=n
    MPI_Allreduce comm=part count=n noncommutative=1
    MPI_Gather comm=part peer=last count=n
    MPI_Scatter comm=part peer=last count=n
    MPI_Allgather comm=part count=n
    MPI_Alltoall comm=part count=n
    MPI_Reduce_scatter comm=part counts=n
    MPI_Reduce_scatter comm=part counts=n noncommutative=1
    MPI_Reduce_scatter_block comm=part count=n
    MPI_Gatherv comm=part peer=last count=n recv_counts=n
    MPI_Scatterv comm=part peer=last counts=n recv_count=n
    MPI_Allgatherv comm=part count=n recv_counts=n
    MPI_Alltoallv comm=part counts=n recv_counts=n
    MPI_Scan comm=part count=n
    MPI_Exscan comm=part count=n
}
END
# serves SELECTOR OPTIONS...: and names itself in the result
serves() { "$timeless" replay every.skel --no-compute --coll-selector "$1" "${@:2}" --json=every.json -q &&
    grep -F '"coll_selector"' every.json && grep -q "\"coll_selector\": \"$1[ \"]" every.json; }
for selector in default ompi ompi-4.1 ompi-5.0 mpich mvapich2 impi; do
    for each in 1 3; do
        [ $each,$selector != 3,ompi-5.0 ] || continue
        check "$selector serves every collective of $sizes ranks, $each on a host" serves $selector -p graphene --ranks-per-host $each
    done
    check "$selector serves every collective by loggops" serves $selector --engine loggops --params $params
done
# The libraries exchange with the ranks at distance k and -k where SimGrid has pairs only.
as_ring() { "$timeless" make call_alltoall -n "$1" --bytes "$2" -o e.tl &&
    equal "$("$timeless" replay e.tl -p graphene --ranks-per-host 1 -q --coll-selector "$3")" \
    "$("$timeless" replay e.tl -p graphene --ranks-per-host 1 -q --coll alltoall=ring)"; }
check 'ompi-4.1: 6 ranks exchange 512 KiB as its pairwise algorithm does' as_ring 6 524288 ompi-4.1
check 'mpich: 3 ranks exchange 1 MiB as MPICH does' as_ring 3 1048576 mpich
check 'mpich: 7 ranks, too' as_ring 7 1048576 mpich
"$timeless" make call_bcast -n 6 --bytes 500 -o six.tl
check 'an algorithm of a selector that cannot go on is replaced, and the result names both' bash -c \
    '"$1" replay six.tl -p graphene --ranks-per-host 1 -q --coll-selector impi --timeline six.json --json=s.json >six &&
        grep -F "impi (bcast binomial_tree for impi)" s.json' - "$timeless"
check '... with the makespan of the replacement' equal "$(cat six)" \
    "$("$timeless" replay six.tl -p graphene --ranks-per-host 1 -q --coll bcast=binomial_tree)"

# The table of needs is that of SimGrid: what it refuses is refused before the replay, and nothing else is. The
# settings of a platform are not compared with the table.
sed -nE 's/^SMPI_NEEDS\(([a-z_]+), ([A-Za-z0-9_]+),.*/\1 \2/p' "$top_srcdir/replayer/smpi/algorithms.def" >needs
check 'the table has rows' test "$(wc -l <needs)" -ge 10
while read -r collective algorithm; do
    mkdir -p "p/$collective-$algorithm"
    cp "$top_srcdir"/platforms/graphene/platform.xml "p/$collective-$algorithm"
    { cat "$top_srcdir/platforms/graphene/options.conf"; echo "smpi/$collective:$algorithm"; } >"p/$collective-$algorithm/options.conf"
done <needs
: >differ
for collective in $(cut -d' ' -f1 needs | sort -u); do
    names=$(sed -n "s/^$collective //p" needs | paste -sd,)
    ours() { sweep --grid make=call_$collective --grid "coll.$collective=$names" --grid make.ranks=2,5,12 -o ours.csv; }
    # shellcheck disable=SC2001 # each name gets a path
    simgrids() { "$timeless" sweep --ranks-per-host 1 --grid make=call_$collective \
        --grid "platform=$(sed "s|[^,]*|$PWD/p/$collective-&|g" <<<"$names")" --grid make.ranks=2,5,12 -o simgrids.csv; }
    rm -f ours.csv simgrids.csv
    ours >/dev/null 2>&1
    simgrids >/dev/null 2>&1
    paste <(column ours.csv error) <(column simgrids.csv error) <(column simgrids.csv platform) <(column simgrids.csv make.ranks) |
        awk -F'\t' '($1 != "") != ($2 != "") || ($1 != "" && $1 !~ /^not possible: /)' >>differ
done
check 'SimGrid refuses the cases of the table, and no others of these algorithms' test ! -s differ
cat differ | sed 's/^/# /'
tap_done
