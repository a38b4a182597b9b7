#!/usr/bin/env bash
# Whether the makespan of a full replay is in the 90 % interval of a sampled one: 30 shapes of HPL, 10 seeds.
#
#   sample.sh [-e ENGINE] [-s SHAPES] [-n SEEDS] [-w WANTED] FILE.csv
#
#   -e ENGINE   loggops (default) or smpi
#   -s SHAPES   the first so many shapes only
#   -n SEEDS    so many seeds each (default: 10)
#   -w WANTED   the error that is asked for, such as 1% (default: none, one round of windows)
#
# Appends to FILE.csv what it does not have yet, so that a run that was ended goes on where it was.  Fails if less
# than five of six full replays are in the interval.  The seed draws pivots, hosts and the duration of each kernel
# (platform dahu).  With loggops it takes about ten minutes on one core.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
: "${top_builddir:=$here/..}"
timeless=$(cd "$top_builddir" && pwd)/cli/timeless
export TIMELESS_PLATFORMS=$here/../platforms
engine=loggops n_shapes=30 n_seeds=10 wanted=
while getopts e:s:n:w: option; do
    case $option in
    e) engine=$OPTARG ;;
    s) n_shapes=$OPTARG ;;
    n) n_seeds=$OPTARG ;;
    w) wanted=$OPTARG ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
[ $# = 1 ] || { echo "$0: give FILE.csv" >&2; exit 2; }
csv=$1
[ -s "$csv" ] || echo shape,network,engine,wanted,seed,full_s,full_cpu_s,sampled_s,low_s,high_s,windows,share,sampled_cpu_s,inside >"$csv"
work=$(mktemp -d "${TMPDIR:-/tmp}/sample.XXXXXX")
trap 'rm -rf "$work"' EXIT

# N NB P Q BCAST SWAP DEPTH, network
shapes='8000 16 4 4 1 2 1 fast
9600 16 2 4 1 2 1 fast
9600 24 4 2 3 1 1 fast
6400 16 2 2 0 0 1 fast
6400 16 3 3 1 2 1 fast
8000 16 3 5 2 1 1 fast
8000 16 5 3 4 0 1 fast
16000 32 4 4 5 2 1 fast
16000 32 2 8 1 2 1 fast
16000 32 8 2 1 1 1 fast
9600 24 1 8 3 0 1 fast
9600 24 8 1 1 2 1 fast
24000 48 4 16 2 2 1 fast
12000 24 6 4 0 1 1 fast
20000 48 4 4 1 2 0 fast
8000 16 4 4 1 2 1 slow
9600 24 2 4 1 2 1 slow
9600 24 4 2 3 1 0 slow
8000 16 3 4 4 1 1 slow
8000 16 4 3 5 0 1 slow
16000 32 2 16 0 2 1 slow
16000 32 8 2 1 2 1 slow
12000 24 5 5 2 1 1 slow
20000 40 4 5 1 2 1 slow
24000 48 4 8 3 2 1 fast
24000 48 8 4 1 1 1 fast
32000 64 4 4 1 2 1 fast
32000 64 4 8 2 2 1 slow
20000 40 6 6 1 2 2 fast
20000 40 7 5 3 1 1 slow'

# NETWORK: words of the replays
network() {
    case $engine,$1 in
    smpi,fast) echo ;;
    smpi,slow) echo --scale network=0.1 ;;
    loggops,fast) echo --params L=2us,o=0.5us,g=0.5us,G=0.08ns,O=0.02ns,S=65536 ;;
    loggops,slow) echo --params L=25us,o=5us,g=5us,G=1ns,O=0.2ns,S=65536 ;;
    esac
}
# OUT WORD...: replay, and its CPU seconds in OUT.cpu
replay() {
    local out=$1
    shift
    TIMEFORMAT='%U %S'
    { time timeout 3600 "$timeless" replay "$@" --platform dahu --engine "$engine" --json >"$out" 2>"$out.log"; } 2>"$out.cpu" ||
        { cat "$out.log" >&2; exit 1; }
}
echo "$shapes" | head -n "$n_shapes" | while read -r N NB P Q BCAST SWAP DEPTH network; do
    shape=N=$N:NB=$NB:P=$P:Q=$Q:BCAST=$BCAST:SWAP=$SWAP:DEPTH=$DEPTH
    for seed in $(seq "$n_seeds"); do
        grep -q "^$shape,$network,$engine,$wanted,$seed," "$csv" && continue
        read -ra words <<<"$(network "$network") --seed $seed"
        [ "$engine" = loggops ] || words+=(--ranks-per-host 1)
        trace=hpl:${shape//:/,},SEED=$seed
        replay "$work/full" "$trace" "${words[@]}"
        replay "$work/sampled" "$trace" "${words[@]}" "--sample${wanted:+=$wanted}"
        python3 - "$work" "$shape,$network,$engine,$wanted,$seed" >>"$csv" <<'END'
import json, sys
work, row = sys.argv[1:]
full, sampled = (json.load(open(f"{work}/{name}")) for name in ("full", "sampled"))
cpu = [sum(map(float, open(f"{work}/{name}.cpu").read().split())) for name in ("full", "sampled")]
about = sampled["sampled"]
low, high = about["interval_90_s"]
print(f'{row},{full["makespan_s"]:.9g},{cpu[0]:.2f},{sampled["makespan_s"]:.9g},{low:.9g},{high:.9g},{about["windows"]},'
      f'{about["share_of_events"]:.4f},{cpu[1]:.2f},{int(low <= full["makespan_s"] <= high)}')
END
    done
done
python3 - "$csv" "$engine" "$wanted" <<'END'
import csv, statistics, sys
rows = [r for r in csv.DictReader(open(sys.argv[1])) if r["engine"] == sys.argv[2] and r["wanted"] == sys.argv[3]]
number = lambda r, key: float(r[key])
errors = [number(r, "sampled_s") / number(r, "full_s") - 1 for r in rows]
widths = [(number(r, "high_s") - number(r, "sampled_s")) / number(r, "sampled_s") for r in rows]
inside = sum(int(r["inside"]) for r in rows)
cpu = sum(number(r, "full_cpu_s") for r in rows) / sum(number(r, "sampled_cpu_s") for r in rows)
print(f"{inside} of {len(rows)} full replays are in the 90 % interval")
print(f"error: mean {100 * statistics.mean(errors):+.2f} %, median of its size {100 * statistics.median(map(abs, errors)):.2f} %, "
      f"largest {100 * max(map(abs, errors)):.2f} %; half of the interval: median {100 * statistics.median(widths):.2f} %")
print(f"share of the events: {100 * statistics.mean(number(r, 'share') for r in rows):.0f} %; the full replays took {cpu:.1f} times as long")
sys.exit(6 * inside < 5 * len(rows))
END
