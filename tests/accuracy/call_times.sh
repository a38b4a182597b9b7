#!/usr/bin/env bash
# call_times.sh - by which calls a program of tests/accuracy/bars takes longer than predicted, on two emulated hosts.
#
#     tests/accuracy/call_times.sh [-p] [-r RUNS] [-w FOLDER] PROGRAM      (from the build folder, as root)
#
#   -p           ranks and wire have real-time priority: other load of the machine then hardly matters
#   -r RUNS      measured runs (default: 20)
#   -w FOLDER    that of `budget_bars.sh cover`, whose calibration (fine) and trace are used (default: budget_bars)
#
# Prints for each call the seconds of a rank (mean of the two ranks) in the prediction and in the measured runs (median),
# "compute" being the time between the calls; then, for comparison, "compute" of the program on shared memory.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
: "${top_builddir:=$PWD}" "${MPICC:=mpicc}"
PATH=$(cd "$top_builddir" && pwd)/cli:$PATH
export TIMELESS_PLATFORMS=${TIMELESS_PLATFORMS:-$here/../platforms} TIMELESS_QUIET=1
. "$here/mpi_env.sh"
. "$here/cluster.sh"
work=$PWD/budget_bars runs=20 priority=
while getopts pr:w: option; do
    case $option in
    p) priority='-x CALL_TIMES_PRIORITY=1' ;;
    r) runs=$OPTARG ;;
    w) work=$(realpath "$OPTARG") ;;
    *) sed -n '4s/^# *//p' "$0" >&2; exit 2 ;;
    esac
done
shift $((OPTIND - 1))
program=${1:?a program of tests/accuracy/bars}
cd "$work"
command=$work/$(sed -n "/^programs()/,/^}/s/^$program /$program /p" "$here/accuracy/budget_bars.sh")
[ -e fine/done ] && [ -e "$program-cputime.tl" ] || { echo "$work: run budget_bars.sh cover -w $work $program first" >&2; exit 4; }
export CLUSTER_PIN=1 CLUSTER_TIMEOUT=120 OMPI_MCA_mpi_yield_when_idle=1
trap cluster_down EXIT
mkdir -p hosts
cluster_up "$work/hosts" 2 100mbit || { echo "no emulated hosts here" >&2; exit 77; }
[ -z "$priority" ] || for task in /proc/"$cluster_wire"/task/*; do chrt -f -p 50 "${task##*/}"; done
$MPICC -O2 -shared -fPIC -o call_times.so "$here/accuracy/call_times.c"
timeless replay "$program-cputime.tl" --platform ./fine --ranks-per-host 1 --coll-selector ompi-4.1 \
    --details --json=call_times.json -q >makespan
rm -f call_times.out shared.out
for run in $(seq "$runs"); do
    # shellcheck disable=SC2086
    cluster_run mpirun $priority -x LD_PRELOAD="$work/call_times.so" -H "$(cluster_hosts 1)" -np 2 $command </dev/null |
        sed "s/^/$run /" >>call_times.out
    # shellcheck disable=SC2086
    mpirun $priority -x LD_PRELOAD="$work/call_times.so" --bind-to core --map-by core -np 2 $command </dev/null |
        sed "s/^/$run /" >>shared.out
done
python3 - "$(cat makespan)" <<'END'
import collections, json, statistics, sys
def read(path):
    sums, longest = collections.defaultdict(lambda: collections.defaultdict(float)), collections.defaultdict(float)
    for words in map(str.split, open(path)):
        if words[1] == "call":
            sums[words[3]][words[0]] += float(words[4]) / 2
        elif words[1] == "rank_seconds":
            longest[words[0]] = max(longest[words[0]], float(words[2]))
    return {name: statistics.median(s.values()) for name, s in sums.items()}, sorted(longest.values())
predicted = {c["name"]: c["time_s"] / 2 for c in json.load(open("call_times.json"))["details"]["calls"]}
(measured, longest), (shared, _) = read("call_times.out"), read("shared.out")
print("%-16s %12s %12s %12s" % ("us of a rank", "predicted", "measured", "difference"))
for name in sorted(measured, key=lambda n: -abs(measured[n] - predicted.get(n, 0))):
    p, m = 1e6 * predicted.get(name, 0), 1e6 * measured[name]
    print("%-16s %12.1f %12.1f %+12.1f" % (name, p, m, m - p))
p = 1e6 * float(sys.argv[1])
print("%-16s %12.1f %12.1f %+12.1f   (%.1f to %.1f in %d runs)" % ("makespan", p, 1e6 * statistics.median(longest),
      1e6 * statistics.median(longest) - p, 1e6 * longest[0], 1e6 * longest[-1], len(longest)))
print("%-16s %12s %12.1f" % ("shared memory: compute", "", 1e6 * shared["compute"]))
END
