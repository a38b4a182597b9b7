#!/usr/bin/env bash
# Naive predictions of the sweeps of cluster.sh, without emulated hosts: naive_sweeps.sh [RATE:HOSTS/SLOWDOWN ...]
#
# They depend on nothing but the messages and the data sheet of the wire, so they can be computed for rows that were
# measured long ago.  Records the sweeps on shared memory without computation (--volume none), and prints CSV:
# group,program,case,naive_bytes_s,naive_hockney_s.  Default: 1gbit:2/10 100mbit:2 1gbit:4/10 100mbit:4/5.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
: "${top_builddir:=$here/..}" "${MPICC:=mpicc}"
PATH=$(cd "$top_builddir" && pwd)/cli:$PATH
export TIMELESS_PLATFORMS=${TIMELESS_PLATFORMS:-$here/../platforms} TIMELESS_QUIET=1
. "$here/mpi_env.sh"
. "$here/accuracy/rows.sh"
work=$(mktemp -d "${TMPDIR:-/tmp}/naive.XXXXXX")
trap 'rm -rf "$work"' EXIT
$MPICC -O2 -o "$work/sweep" "$here/accuracy/sweep.c"
cd "$work"
[ $# -gt 0 ] || set -- 1gbit:2/10 100mbit:2 1gbit:4/10 100mbit:4/5
echo group,program,case,naive_bytes_s,naive_hockney_s
for group; do
    rate=${group%:*} hosts=${group#*:} slowdown=1
    case $hosts in */*) slowdown=${hosts#*/} hosts=${hosts%/*} ;; esac
    for program in bcast allreduce alltoall; do
        trace=$program-$hosts
        if [ ! -e "$trace.rows" ]; then
            timeless record -q --volume none -o "$trace.tl" -- mpirun -np "$hosts" ./sweep $program \
                >"$trace.out" </dev/null
            timeless replay "$trace.tl" --platform star-1g --ranks-per-host 1 -q --json="$trace.json" >/dev/null
            timeless compare --all --csv "$trace.csv" "$trace.json" >/dev/null
            awk 'NF == 3 { print $1 "B" }' "$trace.out" >"$trace.labels"
            row_names "$trace.csv" "$(wc -l <"$trace.labels")" >"$trace.rows"
        fi
        naive_rows "$trace.tl" "$trace.rows" star-1g "$rate" "$slowdown" >naive
        paste "$trace.labels" naive |
            awk -v where="$group" -v program=$program '{ print where "," program "," $1 "," $2 "," $3 }'
    done
done
