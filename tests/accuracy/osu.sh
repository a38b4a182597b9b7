#!/usr/bin/env bash
# osu.sh - allreduce by timeless measure beside a loop in the manner of the OSU micro-benchmarks (osu_loop.c), in turns.
# `osu.sh [ROUNDS]` (default 10) prints, for each size, the median over the rounds of the medians in microseconds: of the loop, and
# of measure by loop, barrier and window (the mean of the two ranks' own times, as in the loop, and what the table has). Run it from
# the build folder (about 50 s). Ranks have real-time priority if they may.
set -u
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
export TIMELESS=$PWD/cli/timeless ROUNDS=${1:-10}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
. "$top_srcdir/tests/mpi_env.sh"
unset OMPI_MCA_mpi_yield_when_idle OMPI_MCA_hwloc_base_binding_policy # two ranks have two cores
mpicc -O2 -o "$scratch/osu_loop" "$top_srcdir/tests/accuracy/osu_loop.c" || exit
cd "$scratch" && python3 - <<'END'
import collections, csv, json, os, subprocess
from statistics import mean, median
sizes = [8, 64, 512, 4096, 32768, 262144, 1048576]
first = ["chrt", "-r", "1"] if subprocess.run(["chrt", "-r", "1", "true"]).returncode == 0 else []
run = lambda words: subprocess.run(first + words, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
found = collections.defaultdict(list)
def loop():
    for line in run(["mpirun", "-n", "2", "./osu_loop", "500"] + list(map(str, sizes))).splitlines():
        found["OSU", int(line.split()[0])].append(float(line.split()[2]))
def measure(start):
    run([os.environ["TIMELESS"], "measure", "allreduce", "--start", start, "--bytes", ",".join(map(str, sizes)), "--launches", "1",
         "--repetitions", "500", "-o", "m.csv", "--json=m.json", "--", "mpirun", "-n", "2"])
    own = collections.defaultdict(list)
    for row in csv.DictReader(line for line in open("m.csv") if line[0] != "#"):
        if row["late"] == "0":
            own[int(row["bytes"]), row["repetition"]].append(1e6 * (float(row["end_s"]) - float(row["begin_s"])))
    for size in sizes:
        found[start + ", own", size].append(median(mean(v) for k, v in own.items() if k[0] == size and len(v) == 2))
    for case in json.load(open("m.json"))["cases"]:
        found[start, case["bytes"]].append(1e6 * case["median_s"])
for i in range(int(os.environ["ROUNDS"])):
    loop(), measure("loop"), measure("barrier"), measure("window")
columns = ["OSU", "loop", "barrier, own", "barrier", "window, own", "window"]
print("   bytes", *(f"{c:>20}" for c in columns))
for size in sizes:
    base = median(found["OSU", size])
    print(f"{size:8}", *(f"{median(found[c, size]):12.3f} {100 * (median(found[c, size]) / base - 1):+5.1f} %" for c in columns))
END
