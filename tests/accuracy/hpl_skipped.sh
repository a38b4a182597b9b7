#!/usr/bin/env bash
# A run of HPL without computing against one that computes: the calls, the work of the kernels, the bytes.
#
#   hpl_skipped.sh -x HPL [-n N] [-b NB] [-p P] [-q Q] [-- OPTION ...]
#
#   -x HPL   the program that build_hpl.sh made (required)
#   N, NB, P, Q: 1000, 64, 4 and 4 unless given
#
# OPTIONs are those of 'timeless record' for the run without computing (default: --skip-kernels).
# Each rank must make the same number of calls by name, except MPI_Iprobe, of which HPL makes as many as it has
# time for. Each kernel must do the same work in all. The pivots are others: they decide how many rows a rank sends in
# a swap, and it sends no message for no rows. So the bytes sent, and the number of messages, must agree to 1 %.
# Takes about a minute on two free cores.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
: "${top_builddir:=$here/..}"
timeless=$(cd "$top_builddir" && pwd)/cli/timeless
. "$here/mpi_env.sh"
hpl= N=1000 NB=64 P=4 Q=4
while getopts x:n:b:p:q: option; do
    case $option in
    x) hpl=$(realpath "$OPTARG") ;;
    n) N=$OPTARG ;;
    b) NB=$OPTARG ;;
    p) P=$OPTARG ;;
    q) Q=$OPTARG ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
[ "$hpl" ] || { echo "$0: give -x HPL, a program that build_hpl.sh made" >&2; exit 2; }
[ $# != 0 ] || set -- --skip-kernels
work=$(mktemp -d "${TMPDIR:-/tmp}/hpl-skipped.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"
printf '%s\n' 'HPL.dat' 'of hpl_skipped.sh' HPL.out 6 1 "$N" 1 "$NB" 0 1 "$P" "$Q" 16.0 1 1 1 2 1 2 1 2 \
    1 1 1 1 1 64 0 0 1 8 >hpccinf.txt
recorded() { # NAME OPTION...
    local name=$1; shift
    timeout 1200 "$timeless" record -q --folded -n $((P * Q)) --kernels=all -o "$name.tl" "$@" -- "$hpl" >"$name.log" 2>&1 || :
    "$timeless" info "$name.tl" | grep -q '^complete *yes' || { cat "$name.log"; exit 1; }
    awk -F = -v name="$name" '$1 == "HPL_time" { printf "%s: HPL took %.1f s\n", name, $2 }' "$name.log"
    "$timeless" dump "$name.tl" >"$name.txt"
}
recorded complete
grep -q '^Success=1' complete.log || { echo "HPL calls the result of the complete run wrong"; exit 1; }
recorded skipped "$@"
python3 "$here/accuracy/hpl_skipped.py" complete.txt skipped.txt
