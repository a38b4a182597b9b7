#!/usr/bin/env bash
# The differential oracle.  The program of a seed (oracle.h) runs online under SimGrid's smpirun, and
# under Open MPI with the tracer followed by a replay; computation is what the program says.  The end of
# every rank must agree to 1e-9 relative, on each platform.
#
#     oracle.sh [FIRST [COUNT]] [--max-ranks N] [--platform FOLDER]... [--keep FOLDER]
#
# 'make check' runs the first few seeds with few ranks.  For all: tests/mpi/oracle.sh 1 500 --max-ranks 64
. "${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}/tests/tap.sh"
. "$top_srcdir/tests/mpi/tracer.sh"
tolerance=1e-9
first=1 count=8 max_ranks=8 keep= platforms=() n_positional=0
while [ $# -gt 0 ]; do
    case $1 in
    --max-ranks) max_ranks=$2; shift 2 ;;
    --platform) platforms+=("$2"); shift 2 ;;
    --keep) keep=$2; shift 2 ;;
    -*) echo "oracle.sh: unknown option $1" >&2; exit 2 ;;
    *) if [ $n_positional = 0 ]; then first=$1; else count=$1; fi
       n_positional=$((n_positional + 1)); shift ;;
    esac
done
[ ${#platforms[@]} -gt 0 ] || platforms=("$here"/oracle/{star,fat-tree,shared,dragonfly} "$top_srcdir/platforms/graphene")

# build COMPILER NAME FLAGS...: the programs of all seeds are one binary
build() {
    local compiler=$1 name=$2; shift 2
    "$compiler" -O1 -g "$@" -o "$scratch/$name" "$here"/oracle.c -I"$top_srcdir/tracer" "$here"/oracle_{p2p,coll,nbc,window,schedule}.c \
        -lgsl -lgslcblas -lm -ldl
}
# options_of FOLDER: the platform's SMPI options as smpirun wants them
options_of() { sed -n '/^[[:space:]]*#/d; /:/s/^/--cfg=/p' "$1/options.conf"; }
# online FOLDER SEED RANKS HOSTFILE: "RANK SECONDS" of each rank under smpirun.  With an asynchronous
# threshold SMPI 3.32 lets messages of successive collectives overtake each other; a replay goes on, too.
online() {
    local folder=$1 seed=$2 ranks=$3 hosts=$4 cfg
    mapfile -t cfg < <(options_of "$folder")
    (cd "$scratch" && timeout 300 "$SMPIRUN" -no-privatize -np "$ranks" -platform "$folder/platform.xml" \
        -hostfile "$hosts" --log=root.thres:warning --cfg=smpi/simulate-computation:no \
        --cfg=smpi/host-speed:1f --cfg=smpi/errors-are-fatal:no "${cfg[@]}" "$scratch/oracle_online" "$seed") >"$scratch/online" 2>&1
    sed -n 's/^end //p' "$scratch/online" | sort -n >"$scratch/online.ends"
    [ "$(wc -l <"$scratch/online.ends")" = "$ranks" ]
}
# replayed FOLDER TRACE [OPTIONS...]: the same from a replay
replayed() {
    local folder=$1 trace=$2; shift 2
    $timeless replay "$trace" --platform "$folder" --model "$here/oracle/model.conf" --json "$@" >"$scratch/replay.json" &&
        sed -n 's/^ *"end_s": \([^,]*\),*$/\1/p' "$scratch/replay.json" | awk '{print NR - 1, $1}' >"$scratch/replay.ends"
}
# compare_ends: one line "makespan online, makespan replayed, worst relative difference, its rank"
compare_ends() {
    awk 'NR == FNR { a[$1] = $2; n++; if ($2 > max_a) max_a = $2; next }
         { m++; if ($2 > max_b) max_b = $2
           d = a[$1] - $2; if (d < 0) d = -d; if (a[$1] > 0) d /= a[$1]; if (d > worst) { worst = d; rank = $1 } }
         END { if (n != m) worst = 1; printf "%.17g %.17g %.3g %d\n", max_a, max_b, worst, rank }' \
        "$scratch/online.ends" "$scratch/replay.ends"
}
n_compared=0 n_different=0 worst=0
# judge SEED RANKS FOLDER TRACE: one TAP line
judge() {
    local seed=$1 ranks=$2 folder=$3 trace=$4 name online_s replay_s difference rank hosts=()
    name="seed $seed, $ranks ranks, ${folder##*/}"
    [ -f "$folder/hosts" ] && hosts=(--hostfile "$folder/hosts")
    if ! replayed "$folder" "$trace" "${hosts[@]}" 2>"$scratch/failure"; then
        n_different=$((n_different + 1))
        tap_result 'not ok' "$name: replay"
        sed 's/^/# /' "$scratch/failure"
        return
    fi
    if [ -f "$folder/hosts" ]; then cp "$folder/hosts" "$scratch/hosts"
    else sed -n 's/^ *"host": "\(.*\)",*$/\1/p' "$scratch/replay.json" >"$scratch/hosts"; fi
    if ! online "$folder" "$seed" "$ranks" "$scratch/hosts"; then
        n_different=$((n_different + 1))
        tap_result 'not ok' "$name: smpirun"
        grep -v '^end ' "$scratch/online" | head -n 5 | sed 's/^/# /'
        return
    fi
    n_compared=$((n_compared + 1))
    read -r online_s replay_s difference rank < <(compare_ends)
    worst=$(awk -v a="$worst" -v b="$difference" 'BEGIN { print (b + 0 > a + 0) ? b : a }')
    if awk -v d="$difference" -v t=$tolerance 'BEGIN { exit !(d <= t) }'; then
        tap_result ok "$name: $replay_s s"
    else
        n_different=$((n_different + 1))
        tap_result 'not ok' "$name"
        echo "# makespan online $online_s s, replayed $replay_s s; worst rank $rank: $difference relative"
    fi
}

check 'the programs compile for Open MPI' build "$MPICC" oracle
check 'the programs compile for SMPI' build "$SMPICC" oracle_online -DORACLE_ONLINE
n_wanted=0
# try SEED MAX_RANKS PLATFORM...
try() {
    local seed=$1 ranks trace folder
    ranks=$("$scratch/oracle" "$seed" --ranks "$2")
    shift 2
    trace=${keep:-$scratch}/oracle-$seed.tl
    n_wanted=$((n_wanted + $#))
    if ! timeout 300 $timeless record -q --volume none -o "$trace" -- $MPIRUN -np "$ranks" "$scratch/oracle" "$seed" \
        >"$scratch/record" 2>&1; then
        n_different=$((n_different + 1))
        tap_result 'not ok' "seed $seed, $ranks ranks: record"
        sed 's/^/# /' "$scratch/record" | head -n 20
        return
    fi
    for folder; do judge "$seed" "$ranks" "$folder" "$trace"; done
    [ -n "$keep" ] || rm -f "$trace"
}
for ((seed = first; seed < first + count; seed++)); do try "$seed" "$max_ranks" "${platforms[@]}"; done
# Collectives of several ranks at once share SMPI's buffers, which grow.
[ $n_positional = 0 ] && try 302 10 "${platforms[0]}"
echo "# $n_compared compared, $n_different different, worst relative difference $worst"
check 'all were compared' test "$n_compared" = $n_wanted
tap_done
[ $n_different = 0 ]
