#!/usr/bin/env bash
# make.sh [FOLDER [PICTURE...]] - draws the pictures of README.md, doc/TOUR.md, doc/tutorials and doc/studies into FOLDER (default: this one), by
# the commands that these pages name: timeline, sweep, alltoall, latency, ranks, noise (default: all, about 40 s of CPU
# time). With the same gnuplot, they have the same bytes each time.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
folder=$(cd "${1:-$here}" && pwd)
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- timeline sweep alltoall latency ranks noise
cd "$here/../.."
export TIMELESS_PLATFORMS=$PWD/platforms
timeless=$(realpath "${timeless:-build/cli/timeless}")
said=$(mktemp) table=$(mktemp)
trap 'rm -f "$said" "$table"' EXIT
for picture; do
    file=$folder/$picture.svg
    case $picture in
    timeline) "$timeless" replay hpl:N=2000,NB=64,P=2,Q=4 --platform dahu --ranks-per-host 1 --timeline "$file" -q ;;
    sweep)
        rm -f "$table" # a table that is there is continued
        "$timeless" sweep traces/hpl-4.tl --platform star-1g --ranks-per-host 1 --grid scale.network=0.1,0.3,1,3,10 \
            --grid host-speed=1x,2x -o "$table" --plot "$file"
        ;;
    alltoall)
        "$timeless" study collectives --op alltoall --ranks 16 --bytes 1..4K --platform dahu --ranks-per-host 1 --plot "$file" ;;
    latency)
        rm -f "$table"
        "$timeless" sweep traces/wavefront-16.tl --platform star-1g --ranks-per-host 1 --grid scale.latency=0.1,0.3,1 \
            --grid scale.bandwidth=1,10 -o "$table" --plot "$file"
        ;;
    ranks)
        rm -f "$table"
        "$timeless" sweep --engine loggops --params L=5us,o=2us,g=2us,G=2.5ns,O=1ns --grid make=call_allreduce \
            --grid make.ranks=16,64,256,1024,4096 --grid make.iterations=100 --grid noise=1kHz:25us,10Hz:2500us \
            -o "$table" --plot "$file"
        ;;
    noise)
        cd doc/studies
        "$timeless" study noise halo.skel allreduce.skel dissemination.skel wavefront.skel hpl:N=8192,NB=128,MOVES=0 \
            --ranks 64..1024 --noise jaguar --noise zeptoos -p theta --engine loggops --ranks-per-host 1 --plot "$file"
        cd ../..
        ;;
    *) echo "make.sh: no picture $picture" >&2; exit 2 ;;
    esac >"$said"
done
