#!/usr/bin/env bash
# Predicted seconds of HPL on the platform dahu, as a table, beside measurements.
#
#   dahu.sh [-o TABLE] [-c MEASURED] [-b BLOCK,...] [-e ENGINE] [-s SEEDS] [-S] [-n N] [-j JOBS] [-t SECONDS] [-v VARIANT]
#           [-l] [-- OPTIONS of timeless replay]
#
#   -o TABLE    the CSV of predictions (default: dahu.csv); rows that it has are kept, others are appended
#   -c MEASURED a CSV of measurements with the columns N,NB,P,Q,bcast,swap,depth and experiment, median_s; errors
#               are printed
#   -b BLOCK    size, geometry, factorial (default: these three), measured (the rows of MEASURED), ablation, or small
#   -e ENGINE   smpi (default) or loggops
#   -s SEEDS    seeds of the noise: 1,2,3 (default: 1)
#   -S          dgemm-2020-02 and network-2018-10 too, for sensitivity
#   -n N        no matrix larger than N
#   -j JOBS     rows at a time (default: 1)
#   -t SECONDS  leave a row out that takes longer
#   -v VARIANT  all rows with this part of the model changed, as in the ablation block
#   -l          print the rows that are missing, and predict none
#
# Exits with 1 when a row could not be predicted.
#
# The rule of the prediction: each block uses the calibrations that are nearest to the month of its runs (dahu@DATE),
# sizes 2020-10, geometries 2020-06, the factorial and all others 2020-01.  PFACT 1, RFACT 2, NBMIN 2, NDIV 2, the
# threshold of swaps is NB, 32 ranks on each node; geometries use the nodes 1 to 29 and 31.
# The ablation block predicts five rows with one part of the model changed:
#   equal             the mean of all CPUs on each
#   fixed-polls       the panel is received before the update
#   no-loopback       no factors of their own for messages within a node
#   no-sharing        messages do not slow each other down
#   all-terms, mnk    dgemm-2019-10 as it is, and its M N K and constant alone
#   no-noise          dgemm always takes its mean
#   published-noise   the standard deviations of dgemm are those of the fit, shapes included
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
: "${top_builddir:=$here/..}"
PATH=$(cd "$top_builddir" && pwd)/cli:$PATH
export TIMELESS_PLATFORMS=${TIMELESS_PLATFORMS:-$here/../platforms}
table=dahu.csv measured= blocks=size,geometry,factorial engine=smpi seeds=1 sensitivity= max_n= failed= jobs=1 limit=0
list= variant_of_all=
while getopts o:c:b:e:s:Sn:j:t:v:l option; do
    case $option in
    o) table=$OPTARG ;;
    c) measured=$OPTARG ;;
    b) blocks=$OPTARG ;;
    e) engine=$OPTARG ;;
    s) seeds=$OPTARG ;;
    S) sensitivity=1 ;;
    n) max_n=$OPTARG ;;
    j) jobs=$OPTARG ;;
    t) limit=$OPTARG ;;
    v) variant_of_all=$OPTARG ;;
    l) list=1 ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
block_variants='equal fixed-polls no-loopback no-sharing all-terms mnk no-noise published-noise'
if [ "$variant_of_all" ] && ! [[ " $block_variants " == *" $variant_of_all "* ]]; then
    echo "dahu.sh: $variant_of_all is no variant" >&2
    exit 2
fi
options=$*
for block in ${blocks//,/ }; do
    case $block in
    size | geometry | factorial | ablation | small) ;;
    measured) [ "$measured" ] || { echo 'dahu.sh: -b measured needs -c MEASURED' >&2; exit 2; } ;;
    *) echo "dahu.sh: $block is no block" >&2; exit 2 ;;
    esac
done
work=$(mktemp -d "${TMPDIR:-/tmp}/dahu.XXXXXX")
trap 'rm -rf "$work"' EXIT
for node in {1..29} 31; do echo "dahu-$node:32"; done >"$work/geometry.hosts"
header=block,N,NB,P,Q,bcast,swap,depth,dgemm,network,variant,engine,options,seed,seconds,low_s,high_s,events,cpu_s
if [ ! -s "$table" ]; then
    echo $header >"$table"
elif [ "$(head -n 1 "$table")" != $header ]; then
    echo "dahu.sh: $table is no table of predictions; give another -o" >&2
    exit 3
fi

# grid BLOCK: "BLOCK N NB P Q BCAST SWAP DEPTH" of each row
grid() {
    local n p nb depth bcast swap
    case $1 in
    size)
        for n in 50000 75000 100000 125000 150000 175000 200000 250000 300000 350000 400000 450000 500000; do
            echo "size $n 128 32 32 2 0 1"
        done ;;
    geometry)
        for swap in 0 1; do
            for p in 1 2 3 4 5 6 8 10 12 15 16 20 24 30 32 40 48 60 64 80 96 120 160 192 240 320 480 960; do
                echo "geometry 250000 128 $p $((960 / p)) 2 $swap 1"
            done
        done ;;
    factorial)
        for nb in 128 256; do for depth in 0 1; do for bcast in 0 1 2 3 4 5; do for swap in 0 1 2; do
            echo "factorial 250000 $nb 32 32 $bcast $swap $depth"
        done; done; done; done ;;
    ablation)
        echo 'size 50000 128 32 32 2 0 1
factorial 250000 128 32 32 3 0 1
factorial 250000 256 32 32 2 1 0
geometry 250000 128 120 8 2 0 1
geometry 250000 128 15 64 2 0 1' ;;
    small)
        for depth in 0 1; do echo "factorial 2000 64 2 32 1 0 $depth"; done ;;
    measured)
        python3 - "$measured" <<'END'
import csv, sys
for r in csv.DictReader(open(sys.argv[1])):
    block = "size" if r["experiment"].startswith("cooling") else r["experiment"]
    print(block, *(r[c] for c in ("N", "NB", "P", "Q", "bcast", "swap", "depth")))
END
        ;;
    esac
}
# sets BLOCK: "DGEMM NETWORK" of the prediction, then those for sensitivity
sets() {
    local date=2020-01
    case $1 in
    size) date=2020-10 ;;
    geometry) date=2020-06 ;;
    esac
    [ -s "$work/sets-$date" ] || timeless replay hpl:N=8,NB=8,P=1,Q=1 -p "dahu@$date" --engine loggops --no-compute |
        sed -n 's/^platform .*@\([^,]*\),.*/\1/p' | tr + ' ' >"$work/sets-$date"
    cat "$work/sets-$date"
    [ ! "$sensitivity" ] || echo dgemm-2020-02 network-2018-10
}
# platform VARIANT DGEMM NETWORK: sets platform and model to what the replay is to use
platform() {
    local folder=$work/$1
    platform=dahu@$3+$2
    [ "$1" ] && [ "$1" != fixed-polls ] || return 0
    if [ ! -d "$folder" ]; then
        cp -r "$TIMELESS_PLATFORMS/dahu" "$folder"
        chmod -R u+w "$folder"
        case $1 in
        no-loopback) sed -i '/^timeless\/loopback/d' "$folder"/calibrations/network-*/options.conf ;;
        equal) sed -i '/^hosts = /,$ d' "$folder"/calibrations/dgemm-*/model.conf ;;
        no-sharing) sed -i 's/"SPLITDUPLEX"/"FATPIPE"/' "$folder"/calibrations/network-*/platform.xml ;;
        mnk) sed -i -E 's/ m[nk] = [^ ]+;| nk = [^ ]+;//g' "$folder"/calibrations/dgemm-2019-10/model.conf ;;
        published-noise) (cd "$folder" && python3 make.py --own-noise) ;;
        no-noise) sed -i -E 's/ noise = \{ [^}]*\}; \};//' "$folder"/calibrations/dgemm-*/model.conf ;;
        esac
    fi
    case $1 in
    all-terms | mnk) platform=$folder@$3+dgemm-2019-10 ;;
    *) platform=$folder@$3+$2 ;;
    esac
}
# predict KEY: appends the row
predict() {
    local block n nb p q bcast swap depth dgemm network variant seed out started
    IFS=, read -r block n nb p q bcast swap depth dgemm network variant _ _ seed <<<"$1"
    platform "$variant" "$dgemm" "$network"
    local program=hpl:N=$n,NB=$nb,P=$p,Q=$q,BCAST=$bcast,SWAP=$swap,DEPTH=$depth,PFACT=1,RFACT=2,NBMIN=2,NDIV=2,THRESHOLD=$nb
    local hosts=()
    [ "$block" != geometry ] || hosts=(--hostfile "$work/geometry.hosts")
    [ "$variant" != fixed-polls ] || program=$program,RECEIVE=0
    out=$work/$BASHPID
    started=$SECONDS
    TIMEFORMAT=%U
    # shellcheck disable=SC2086
    if { time timeout "$limit" timeless replay $program -p "$platform" "${hosts[@]}" --engine "$engine" --seed "$seed" --json="$out.json" \
        -q $options >"$out.txt" 2>"$out.err"; } 2>"$out.time"; then
        python3 - "$out.json" "$1" "$(tail -n 1 "$out.time")" >>"$table" <<'END'
import json, sys
p = json.load(open(sys.argv[1]))
low, high = (p.get("sampled") or {}).get("interval_90_s", ("", ""))
print(sys.argv[2], p["makespan_s"], low, high, p["n_events"], sys.argv[3], sep=",")
END
    else
        echo "dahu.sh: $1 failed or was stopped after $((SECONDS - started)) s: $(tail -n 1 "$out.err")" >&2
    fi
    rm -f "$out".*
}

for block in ${blocks//,/ }; do
    grid "$block" | while read -r row; do
        sets "${row%% *}" | if [ "$block" = ablation ]; then head -n 1; else cat; fi | while read -r set; do
            variants=${variant_of_all:--}
            [ "$block" != ablation ] || variants="- $block_variants"
            for variant in $variants; do
                for seed in ${seeds//,/ }; do
                    echo "$row $set ${variant#-},$engine,$options,$seed"
                done
            done
        done
    done
done | sed 's/ /,/; s/ /,/; s/ /,/; s/ /,/; s/ /,/; s/ /,/; s/ /,/; s/ /,/; s/ /,/; s/ /,/' |
    awk -F, -v n="$max_n" '(n == "" || $2 + 0 <= n + 0) && !seen[$0]++' >"$work/wanted"
[ -s "$work/wanted" ] || { echo 'dahu.sh: no row to predict' >&2; exit 1; }
# A row that is there need not be predicted again, whatever its block.
missing() {
    awk -F, -v OFS=, 'function key() { k = $2; for (i = 3; i <= 14; i++) k = k OFS $i; return k }
        NR == FNR { have[key()]; next } !(key() in have)' "$table" "$work/wanted"
}
missing >"$work/missing"
if [ "$list" ]; then
    cat "$work/missing"
    exit
fi
echo "dahu.sh: $(wc -l <"$work/missing") of $(wc -l <"$work/wanted") rows are missing" >&2
while IFS= read -r key; do
    while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n; done
    predict "$key" &
done <"$work/missing"
wait
[ -z "$(missing)" ] || failed=1
[ ! "$measured" ] || python3 "$here/accuracy/dahu_compare.py" "$table" "$measured"
[ ! "$failed" ]
