#!/usr/bin/env bash
# simgrid_programs.sh - generated programs, of what SimGrid's text can say (simgrid_program.py): our replay
# takes as long as 'smpirun -replay' of the exported text, to 1e-9 relative, on five platforms.
#
#     simgrid_programs.sh [FIRST [COUNT [MAX_RANKS]]]
#
# 'make check' runs the first few seeds.  For many: tests/cli/simgrid_programs.sh 1 500 64
. "${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}/tests/tap.sh"
first=${1:-1} count=${2:-4} max_ranks=${3:-12}
oracle=$top_srcdir/tests/mpi/oracle
cd "$scratch" || exit 1

# SMPI 3.32 replays its text with its own collectives alone: other selectors gather which ranks share a host,
# which they cannot while messages carry nothing.
for folder in "$oracle"/{star,fat-tree,shared,dragonfly} "$top_srcdir/platforms/graphene"; do
    name=${folder##*/}
    mkdir "$name"
    cp "$folder/platform.xml" "$name/"
    sed '/^[[:space:]]*#/d; /selector/d; /^timeless/d; /^smpi\/[a-z_]*:[a-z]/d' "$folder/options.conf" >"$name/options.conf"
    cp "$name/options.conf" "$name/all.conf"
    [ ! -f "$folder/hosts" ] || cp "$folder/hosts" "$name/"
    echo 'reference_flops = 1.0e9; units = ( { unit = "flop"; seconds_per_unit = 1.0e-9; } );' >"$name/model.conf"
    names+=("$name")
done
# ours PLATFORM TRACE: prints the makespan, leaves the hosts of the ranks in `hosts`
ours() {
    local hosts=()
    [ ! -f "$1/hosts" ] || hosts=(--hostfile "$1/hosts")
    "$timeless" replay "$2" --platform "./$1" "${hosts[@]}" --json=ours.json -q &&
        sed -n 's/^ *"host": "\(.*\)",*$/\1/p' ours.json >hosts
}
# Programs of even seeds have what the text cannot say where receiving costs time.
overheads() {
    local folder
    for folder in fat-tree shared dragonfly; do
        if [ $(($1 % 2)) = 1 ]; then cp "$folder/all.conf" "$folder/options.conf"
        else grep -v '^smpi/or:' "$folder/all.conf" >"$folder/options.conf"; fi
    done
}
# theirs PLATFORM LIST: prints the makespan.  A flop of the trace is one of the host; each line of the log
# begins with the simulated time.
theirs() {
    local cfg
    mapfile -t cfg < <(sed -n '/:/s/^/--cfg=/p' "$1/options.conf")
    timeout 300 "$SMPIRUN" -np "$(wc -l <"$2")" -platform "$1/platform.xml" -hostfile hosts -replay "$2" \
        --cfg=smpi/host-speed:1Gf "${cfg[@]}" \
        --log=root.thres:critical --log=smpi_replay.thres:info '--log=root.fmt:%.17r%e%m%n' >theirs.log 2>&1
    sed -n 's/^\([0-9.]*\) Simulation time.*/\1/p' theirs.log
}
worst=0 n_compared=0
# judge SEED RANKS PLATFORM
judge() {
    local a b name="seed $1, $2 ranks, $3"
    if ! a=$(ours "$3" program.tl 2>ours.err); then
        tap_result 'not ok' "$name: replay"; sed 's/^/# /' ours.err; return
    fi
    b=$(theirs "$3" text/list.txt)
    if [ -z "$b" ]; then tap_result 'not ok' "$name: smpirun -replay"; tail -n 3 theirs.log | sed 's/^/# /'; return; fi
    n_compared=$((n_compared + 1))
    worst=$(awk -v a="$a" -v b="$b" -v w="$worst" 'BEGIN { d = (a - b) / b; if (d < 0) d = -d; print (d > w + 0 ? d : w) }')
    if awk -v a="$a" -v b="$b" 'BEGIN { d = (a - b) / b; exit !(b > 0 && d <= 1e-9 && d >= -1e-9) }'; then
        tap_result ok "$name: $a s"
    else
        tap_result 'not ok' "$name: $a s, smpirun -replay $b s"
    fi
}
for ((seed = first; seed < first + count; seed++)); do
    overheads "$seed"
    rm -rf text
    python3 "$top_srcdir/tests/cli/simgrid_program.py" "$seed" "$max_ranks" >program.txt &&
        "$timeless" undump program.txt -o program.tl && "$timeless" export --to simgrid program.tl -o text ||
        { tap_result 'not ok' "seed $seed: export"; continue; }
    for name in "${names[@]}"; do judge "$seed" "$(wc -l <text/list.txt)" "$name"; done
done
echo "# $n_compared compared, worst relative difference $worst"
check 'all were compared' test "$n_compared" = $((count * ${#names[@]}))
tap_done
