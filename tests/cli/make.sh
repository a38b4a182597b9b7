#!/usr/bin/env bash
# timeless make and the loggops engine: every pattern replays, known times come out, wrong input is told.
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
check 'each pattern call_... makes the call that its help names' bash -c '"$1" make --help | sed -n "s/^  \(call_[a-z_]*\) *\(MPI_[A-Za-z_]*\).*/\1 \2/p" >calls
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
printf '5 10\n3 10\n' >detours
check 'detours out of order are refused' refused 3 'detours:2:' "$timeless" replay d.tl --engine loggops --params $bgl --noise detours
check 'noise that leaves no time is refused' refused 3 'no time' "$timeless" replay d.tl --engine loggops --params $bgl --noise 1000Hz:1ms
check 'noise without a duration is refused' refused 2 '1000Hz:100us' "$timeless" replay d.tl --engine loggops --params $bgl --noise 1000Hz:

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
        "$timeless" replay p.tl --engine loggops --params $odin,S=9 --noise 1000Hz:100us --threads $threads --json=$threads.json -q >/dev/null
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
check 'bcast of 100 kB: mpich scatters and gathers' agree --coll-selector mpich --coll bcast=scatter_LR_allgather
check 'bcast of 100 kB: these two algorithms differ' differ --coll bcast=flattree --coll bcast=scatter_LR_allgather
named() { "$timeless" replay p.tl --engine loggops --params $odin --json=p.json -q "${@:2}" >/dev/null && grep -qF "\"coll_selector\": \"$1\"" p.json; }
check 'no replacement is named if the engine has the algorithm' named ompi --coll-selector ompi
"$timeless" make call_bcast -n 16 --bytes 100000 -o p.tl
check 'the algorithm that replaces another one is named' named 'mpich (bcast scatter_LR_allgather for scatter_rdb_allgather)' --coll-selector mpich
"$timeless" make call_bcast -n 100 --bytes 100000 -o p.tl
check 'bcast of 100 ranks: ompi takes the k-nomial tree' agree --coll-selector ompi --coll bcast=knomial
check 'bcast of 100 ranks: the k-nomial tree is not the binomial one' differ --coll bcast=knomial --coll bcast=binomial_tree
check 'bcast of 100 ranks: no replacement is named' named ompi --coll-selector ompi
"$timeless" make call_allreduce -n 12 --bytes 100000 -o p.tl
check 'allreduce of 100 kB: ompi takes that of Rabenseifner' agree --coll-selector ompi --coll allreduce=rab_rdb
check 'allreduce of 100 kB: mpich takes that of Rabenseifner' agree --coll-selector mpich --coll allreduce=rab_rdb
check '--coll has priority over the selector' equal "$(replay_coll --coll-selector mpich --coll allreduce=rdb)" "$(replay_coll --coll allreduce=rdb)"
check 'an unknown algorithm is refused' refused 2 'rdb, lr, ring, rab_rdb, redbcast' replay_coll --coll allreduce=magic
check 'a collective without a choice of algorithms is refused' refused 2 'cannot take smpi/alltoallv:ring; it has a choice (--coll) for barrier,' replay_coll --coll alltoallv=ring
check 'options that --params replaces, or that LogGOPS does not have, are listed' sh -c '"$@" | grep -q "^without effect  *smpi/os surf/precision$"' \
    - "$timeless" replay p.tl --engine loggops --params $odin --cfg smpi/os:0:0:0 --cfg surf/precision:1e-6
check 'a selector that only SMPI has: the rules of MPICH replace it, and are named' named 'mvapich2 (all mpich for mvapich2)' --coll-selector mvapich2
check '... with the same makespan' agree --coll-selector mvapich2 --coll-selector mpich
check '--threads 0 is refused' refused 2 'threads' "$timeless" replay a.tl --engine loggops --params $odin --threads 0
check '--threads is refused by the smpi engine' refused 2 'loggops' "$timeless" replay a.tl -p star-1g --threads 2

check 'an unknown pattern is refused' refused 2 'choose one of: dissemination' "$timeless" make knot -n 4 -o p.tl
check 'a stencil of 5 ranks is refused' refused 2 'stencil2d:7: not fulfilled: a square number of ranks' "$timeless" make stencil2d -n 5 -o p.tl
check 'a folder that does not exist exits with 4' refused 4 'nowhere/p.tl' "$timeless" make token -n 5 -o nowhere/p.tl
check 'the loggops engine without --params is refused' refused 2 '--params' "$timeless" replay a.tl --engine loggops
check 'wrong --params are refused' refused 2 "at 'o'" "$timeless" replay a.tl --engine loggops --params L=1us,o
check '--params are refused by the smpi engine' refused 2 'loggops' "$timeless" replay a.tl -p star-1g --params $odin
check '--ranks-per-host is refused by the loggops engine' refused 2 'hosts only with --platform' "$timeless" replay a.tl --engine loggops --params $odin --ranks-per-host 2
check 'an unknown engine is refused' refused 2 'smpi, loggops' "$timeless" replay a.tl --engine abacus
# What would be ignored, or taken for something else, is refused.
params() { "$timeless" replay made.tl --engine loggops -q --params "L=1us,o=1us,g=0,G=1ns,O=0$1"; }
"$timeless" make ring -n 4 -o made.tl
for wrong in S=-1 S=x S=99999999999999999999 L=2us; do
    check "--params with $wrong is refused" refused 2 "is not valid at '$wrong" params ,$wrong
done
check '--params with a threshold for messages within a node is refused' refused 2 'S and R hold for all messages; give them in the first group' params ';local:L=1us,S=100'
check '--wildcards first is refused by the loggops engine' refused 2 'replays wildcards as they were recorded; leave out --wildcards first' \
    "$timeless" replay made.tl --engine loggops -q --params $odin --wildcards first
printf '%s\n' 'skeleton 1' 'ranks 4' MPI_Barrier >four.skel
for option in '--ranks 8' '--bytes 9' '--iterations 2' '--seed 3'; do
    # shellcheck disable=SC2086
    check "make of a skeleton refuses $option" refused 2 "${option% *} is for patterns; write ranks=N" "$timeless" make four.skel $option -o no.tl
done
check 'make of HPL refuses --ranks' refused 2 '--ranks is for patterns; write RANKS=N' "$timeless" make hpl N=100 -n 9 -o no.tl
check 'make of a pattern that draws nothing refuses --seed' refused 2 "ring: has no parameter 'seed'; it has: ranks, bytes, iterations" "$timeless" make ring -n 4 --seed 3 -o no.tl
# Rank 2 of 4 divides by zero, when ranks 0 and 1 have been written.
printf '%s\n' 'skeleton 1' 'ranks 4' 'unit "cpu-ns"' 'compute 10 * rank / (rank - 2) + 100' MPI_Barrier >divides.skel
rm -f made.tl
check_exit 3 'a skeleton that fails in the middle exits with 3' "$timeless" make divides.skel -o made.tl
check 'and leaves no file' test -z "$(ls made.tl* 2>/dev/null)"
"$timeless" make ring -n 4 -o made.tl && cp made.tl before.tl
check_exit 3 'nor does it touch the trace that was there' "$timeless" make divides.skel -o made.tl
check 'which has its bytes' cmp made.tl before.tl
no_room() { (ulimit -f 1; trap '' XFSZ; exec "$timeless" make random -n 3000 --iterations 20 -o made.tl); }
check 'a pattern that has no room exits with 4, and names the file as it was given' refused 4 '~^timeless: made.tl[: ]' no_room
check 'and leaves the trace that was there' cmp made.tl before.tl
tap_done
