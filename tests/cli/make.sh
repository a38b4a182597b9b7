#!/usr/bin/env bash
# timeless make and the loggops engine: every pattern replays, known times come out. What is refused stands in make_refused.transcript.
. "$top_srcdir/tests/tap.sh"
export TIMELESS_PLATFORMS=$top_srcdir/platforms
cd "$scratch" || exit 99
odin=L=5.3us,o=2.3us,g=2us,G=2.5ns,O=1ns

loggops() { "$timeless" replay "$1" --engine loggops --params "$2" -q; }

patterns=$("$timeless" make --help | sed -n '/^Patterns/,$s/^  \([a-z][a-z0-9_]*\)  .*/\1/p')
check 'at least 15 patterns are listed' test "$(wc -w <<<"$patterns")" -ge 15
for pattern in $patterns; do
    check "$pattern: 64 ranks" "$timeless" make "$pattern" -n 64 --iterations 3 -o p.tl
    check "$pattern: in the LogGOPS model" loggops p.tl $odin
    check "$pattern: by rendezvous" loggops p.tl $odin,S=1
    check "$pattern: the same in SimGrid" "$timeless" replay p.tl -p fat-tree -q
done

# Text is counted over classes of ranks, JSON over all ranks.
calls_alike() {
    "$timeless" info p.tl | sed -n '/^ *events  call$/,/^$/s/^ *\([0-9][0-9]*\)  \(MPI_.*\)/\2 \1/p' | sort >text
    "$timeless" info --json p.tl | python3 -c 'import json, sys
for name, n in json.load(sys.stdin)["calls"].items(): print(name, n)' | sort | diff - text && [ -s text ]
}
for pattern in binomial stencil2d sweep; do
    "$timeless" make $pattern -n 100 --iterations 2 -o p.tl
    check "$pattern: calls are counted" calls_alike
done

same() { [ "$(loggops p.tl $odin)" = "$1" ]; }
"$timeless" make dissemination -n 100 --bytes 1 -o p.tl
check 'dissemination takes 7 (2o + L)' same 6.9300000000000004e-05
"$timeless" make gather -n 64 --bytes 1024 -o p.tl
check 'a gather of 64 blocks takes the time of its closed form' same 0.00031362250000000001
# The calls of patterns call_..., by algorithms that are patterns themselves.
while read -r pattern call algorithm; do
    "$timeless" make $pattern -n 64 --bytes 1024 -o a.tl
    "$timeless" make call_$call -n 64 --bytes 1024 -o b.tl
    check "call_$call by $algorithm takes the time of the pattern $pattern" equal "$(loggops a.tl $odin)" \
        "$("$timeless" replay b.tl --engine loggops --params $odin -q --coll $call=$algorithm)"
done <<'END'
gather gather ompi_basic_linear
scatter scatter ompi_basic_linear
binomial_reduce reduce binomial
END
check 'each pattern call_... makes the call that its help names' bash -c '"$1" make --help |
    sed -n "s/^  \(call_[a-z_]*\) *\(MPI_[A-Za-z_]*\).*/\1 \2/p" >calls
    [ $(wc -l <calls) -eq 10 ] && while read -r pattern call; do
        "$1" make $pattern -n 4 -o a.tl && "$1" dump a.tl | grep -c " $call " | grep -qx 4 || exit 1; done <calls' - "$timeless"
"$timeless" make random -n 1000 --iterations 5 -o a.tl
"$timeless" make random -n 1000 --iterations 5 -o b.tl
check 'a random pattern is the same in each run' cmp a.tl b.tl
"$timeless" make random -n 1000 --iterations 5 --seed 2 -o b.tl
check 'another seed gives another random pattern' bash -c '! cmp -s a.tl b.tl'
"$timeless" replay a.tl --engine loggops --params $odin --json=a.json
"$timeless" replay a.tl --engine loggops --params $odin --json=b.json
check 'two predictions have the same bytes' cmp a.json b.json

"$timeless" make dissemination -n 1024 --bytes 1 --iterations 50 -o d.tl
bgl=L=2.5us,o=1us,g=1us,G=0,O=0
# between FROM TO OPTION...: the slowdown by noise
between() {
    local from=$1 to=$2
    shift 2
    "$timeless" replay d.tl --engine loggops --params $bgl --json "$@" |
        awk -v from="$from" -v to="$to" '/^ "makespan_s"/ {m = $2 + 0} /"makespan_without_s"/ {q = $2 + 0}
            END {exit !(m > 0 && q > 0 && m / q >= from && m / q <= to)}'
}
check 'noise of 20 % adds up, at other moments on each rank' between 10 20 --noise 1000Hz:200us
check 'coscheduled noise costs less' between 1.1 1.5 --noise 1000Hz:200us,coscheduled
check 'noise on one rank costs less' between 1.1 1.5 --noise 1000Hz:200us,ranks=7-7
printf '# two detours\n0\t100000\n500000\t100000\n' >detours
check 'detours are read from a file' between 3 60 --noise detours
# Enough ranks that every window is shared; by rendezvous and with noise, so that all kinds of
# messages and wake-ups occur.
for pattern in $patterns; do
    case $pattern in
        stencil3d) ranks=4096 ;;
        alltoall | call_alltoall | call_allgather | call_reduce_scatter) ranks=256 iterations=1 ;;
        ring) ranks=600 iterations=1 ;;
        call_reduce | call_gather | call_scatter | call_scan) ranks=256 iterations=1 ;;
        *) ranks=2025 iterations=3 ;;
    esac
    [ $pattern = doubling ] && ranks=2048
    "$timeless" make $pattern -n $ranks --iterations $iterations --bytes 9 -o p.tl || exit 99
    for threads in 1 2 3; do
        "$timeless" replay p.tl --engine loggops --params $odin,S=9 --noise 1000Hz:100us --threads $threads --json=$threads.json \
            -q >/dev/null
    done
    check "$pattern: 2 threads find what 1 does" cmp 1.json 2.json
    check "$pattern: and 3" cmp 1.json 3.json
done
# Every algorithm by its name, and the rules.
replay_coll() { "$timeless" replay p.tl --engine loggops --params $odin -q "$@"; }
for collective in barrier bcast reduce allreduce gather scatter allgather alltoall reduce_scatter; do
    "$timeless" make call_$collective -n 12 --bytes 100000 -o p.tl
    names=$(replay_coll --coll $collective=none 2>&1 | sed "s/.*choose one of: //; s/,//g")
    check "$collective: what algorithms there are" test "$(wc -w <<<"$names")" -ge 2
    for name in $names; do
        check "$collective: $name" replay_coll --coll $collective=$name
    done
done
differ() { [ "$(replay_coll "$1" "$2")" != "$(replay_coll "$3" "$4")" ]; }
agree() { equal "$(replay_coll "$1" "$2")" "$(replay_coll "$3" "$4")"; }
"$timeless" make call_bcast -n 12 --bytes 100000 -o p.tl
check 'bcast of 100 kB: ompi takes the linear algorithm' agree --coll-selector ompi --coll bcast=flattree
check 'bcast of 100 kB: mpich scatters and doubles' agree --coll-selector mpich --coll bcast=scatter_rdb_allgather
check 'bcast of 100 kB: these two algorithms differ' differ --coll bcast=flattree --coll bcast=scatter_LR_allgather
named() { "$timeless" replay p.tl --engine loggops --params $odin --json=p.json -q "${@:2}" >/dev/null &&
    grep -qF "\"coll_selector\": \"$1\"" p.json; }
check 'no replacement is named if the engine has the algorithm' named "ompi (ompi-4.1 for SMPI's ompi)" --coll-selector ompi
check "SMPI's rules of mpich are those of both engines" named mpich --coll-selector mpich
"$timeless" make call_bcast -n 100 --bytes 100000 -o p.tl
check 'bcast of 100 ranks: ompi takes the k-nomial tree' agree --coll-selector ompi --coll bcast=knomial
check 'bcast of 100 ranks: the k-nomial tree is not the binomial one' differ --coll bcast=knomial --coll bcast=binomial_tree
check 'bcast of 100 ranks: no replacement is named' named "ompi (ompi-4.1 for SMPI's ompi)" --coll-selector ompi
"$timeless" make call_allreduce -n 12 --bytes 100000 -o p.tl
check 'allreduce of 100 kB: ompi takes that of Rabenseifner' agree --coll-selector ompi --coll allreduce=rab_rdb
check 'allreduce of 100 kB: mpich takes that of Rabenseifner' agree --coll-selector mpich --coll allreduce=rab_rdb
check '--coll has priority over the selector' equal "$(replay_coll --coll-selector mpich --coll allreduce=rdb)" \
    "$(replay_coll --coll allreduce=rdb)"
check 'options that --params replaces, or that LogGOPS does not have, are listed' sh -c \
    '"$@" | grep -q "^without effect  *smpi/os surf/precision$"' \
    - "$timeless" replay p.tl --engine loggops --params $odin --cfg smpi/os:0:0:0 --cfg surf/precision:1e-6
check 'a selector that only SMPI has: the rules of MPICH replace it, and are named' named 'mvapich2 (all mpich for mvapich2)' \
    --coll-selector mvapich2
check '... with the same makespan' agree --coll-selector mvapich2 --coll-selector mpich
tap_done
