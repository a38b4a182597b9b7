#!/usr/bin/env bash
# noise_factors.sh - slowdowns of a loop of 1-byte barriers by noise, beside those of LogGOPSim.
#
#     [ITERATIONS=20] [SEEDS=10] [JOBS=2] tests/bench/noise_factors.sh   (from the build folder; minutes)
#
# Hoefler, Schneider, Lumsdaine, "Characterizing the Influence of System Noise", SC 2010, and the talk
# on it: each rank's CPU is taken away FREQUENCY times a second for DURATION, at moments of its own.
# LogGOPSim's figures are those of its schedules with the dependency that its generator omits, on the
# same parameters; Beckman et al. measured 16 where the model has 17 (200 us at 1,000 Hz).
#
#   mean, from, to   of the slowdown over the seeds
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}" "${top_builddir:=$PWD}"
. "$top_srcdir/tests/tap.sh"
cd "$scratch" || exit 99
: "${ITERATIONS:=20}" "${SEEDS:=10}" "${JOBS:=2}"
blue_gene=L=2.5us,o=1us,g=1us,G=0,O=0
odin=L=5.3us,o=2.3us,g=2us,G=2.5ns,O=1ns

printf '%-12s %7s %-26s %9s %7s %7s %7s\n' parameters ranks noise LogGOPSim mean from to
# row PARAMETERS RANKS NOISE LOGGOPSIM
row() {
    "$timeless" make dissemination -n "$2" --bytes 1 --iterations "$ITERATIONS" -o d.tl || exit 1
    "$timeless" sweep d.tl --engine loggops --params "${!1}" --noise "$3" --grid seed=1:"$SEEDS" -j "$JOBS" -o s.csv || exit 1
    python3 -c '
import csv, sys
slower = [float(r["makespan_s"]) / float(r["makespan_without_noise_s"]) for r in csv.DictReader(open("s.csv"))]
name, ranks, noise, peer = sys.argv[1:]
print("%-12s %7s %-26s %9s %7.2f %7.2f %7.2f"
      % (name, ranks, noise, peer, sum(slower) / len(slower), min(slower), max(slower)), flush=True)' "$@"
}
row blue_gene 32768 1000Hz:16us 1.6
row blue_gene 32768 1000Hz:50us 3.7
row blue_gene 32768 1000Hz:100us 7.5
row blue_gene 32768 1000Hz:200us 17
row blue_gene 32768 100Hz:200us 9.1
row blue_gene 32768 10Hz:200us 5.6
row blue_gene 1024 1000Hz:200us,coscheduled 1.32
row odin 32768 1000Hz:100us 4.0
row odin 32768 1000Hz:200us 8.7
