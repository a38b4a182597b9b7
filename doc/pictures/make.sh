#!/usr/bin/env bash
# make.sh [FOLDER] - draws the pictures of README.md into FOLDER (default: this one), by the commands that README.md names.
# With the same gnuplot, they have the same bytes each time.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
folder=$(cd "${1:-$here}" && pwd)
cd "$here/../.."
export TIMELESS_PLATFORMS=$PWD/platforms
timeless=${timeless:-build/cli/timeless}
"$timeless" replay hpl:N=2000,NB=64,P=2,Q=4 --platform dahu --ranks-per-host 1 --timeline "$folder/timeline.svg" -q
"$timeless" sweep traces/hpl-4.tl --platform star-1g --ranks-per-host 1 --grid scale.network=0.1,0.3,1,3,10 \
    --grid host-speed=1x,2x -o "$folder/sweep.csv" --plot "$folder/sweep.svg" >"$folder/said"
"$timeless" study collectives --op alltoall --ranks 16 --bytes 1..4K --platform dahu --ranks-per-host 1 \
    --plot "$folder/alltoall.svg" >"$folder/said"
rm "$folder/sweep.csv" "$folder/said"
